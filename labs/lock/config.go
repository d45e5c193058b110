package lock

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"os"
	"slices"
	"strings"
)

// tokens are the numbers that a service has, the right one first.
var tokens = map[string][]string{
	"redis-incr": {"incr"},
	"etcd":       {tokenCreateRevision, tokenHeaderRevision, tokenLeaseID, tokenElectionHeader, tokenElectionRev},
	"zookeeper":  {tokenCzxid, tokenSequence, tokenVersion},
}

// TokensOf lists the numbers of a service that may be taken for a fencing token,
// the right one first; none if it has none.
func TokensOf(service string) []string { return tokens[service] }

func (c Config) check() error {
	if len(c.Endpoints) == 0 {
		return fmt.Errorf("%s: no address to connect to", c.Service)
	}
	if c.Token != "" && !slices.Contains(tokens[c.Service], c.Token) {
		return fmt.Errorf("%s has no number called %q; it has %s", c.Service, c.Token, strings.Join(tokens[c.Service], ", "))
	}
	return nil
}

// TLS says how to speak TLS to a server.
type TLS struct {
	// ServerName is what the server's certificate must be for: the address that
	// is dialled may be that of a link.
	ServerName string `json:"server_name"`
	CA         string `json:"ca,omitempty"`   // file of trusted certificates, PEM; "" = the system's
	Cert       string `json:"cert,omitempty"` // file of the client's own certificate, PEM
	Key        string `json:"key,omitempty"`  // file of its key, PEM
}

// config reads the files. It returns nil for no TLS.
func (t *TLS) config() (*tls.Config, error) {
	if t == nil {
		return nil, nil
	}
	c := &tls.Config{ServerName: t.ServerName, MinVersion: tls.VersionTLS12}
	if t.CA != "" {
		pem, err := os.ReadFile(t.CA)
		if err != nil {
			return nil, fmt.Errorf("trusted certificates: %w", err)
		}
		c.RootCAs = x509.NewCertPool()
		if !c.RootCAs.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("%s holds no certificate in PEM form", t.CA)
		}
	}
	if t.Cert != "" {
		own, err := tls.LoadX509KeyPair(t.Cert, t.Key)
		if err != nil {
			return nil, fmt.Errorf("client certificate: %w", err)
		}
		c.Certificates = []tls.Certificate{own}
	}
	return c, nil
}
