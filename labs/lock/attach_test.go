package lock_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"lockdrill/labs/lock"
)

func TestAddresses(t *testing.T) {
	tests := []struct {
		read func(string) (lock.Config, error)
		text string
		want lock.Config // Endpoints nil = refused
	}{
		{lock.RedisAt, "127.0.0.1:6379", lock.Config{Endpoints: []string{"127.0.0.1:6379"}}},
		{lock.RedisAt, "a:1,b:2,c:3", lock.Config{Endpoints: []string{"a:1", "b:2", "c:3"}}},
		{lock.RedisAt, "redis://u:p@h:1/2", lock.Config{Endpoints: []string{"h:1"}, User: "u", Password: "p", DB: 2}},
		{lock.RedisAt, "rediss://h", lock.Config{Endpoints: []string{"h:6379"}, TLS: &lock.TLS{}}},
		{lock.RedisAt, "http://h:1", lock.Config{}},
		{lock.RedisAt, "unix:///tmp/x", lock.Config{}},
		{lock.RedisAt, "redis://u:secret@h:x", lock.Config{}},
		{lock.EtcdAt, "a:1,http://b:2", lock.Config{Endpoints: []string{"a:1", "b:2"}}},
		{lock.EtcdAt, "https://a:1", lock.Config{Endpoints: []string{"a:1"}, TLS: &lock.TLS{}}},
		{lock.EtcdAt, "https://u:secret@a:1", lock.Config{}},
		{lock.EtcdAt, "a", lock.Config{}},
		{lock.EtcdAt, "ftp://a:1", lock.Config{}},
		{lock.ZooKeeperAt, "a:1,b:2", lock.Config{Endpoints: []string{"a:1", "b:2"}}},
		{lock.ZooKeeperAt, "https://a:1", lock.Config{}},
		{lock.ZooKeeperAt, "", lock.Config{}},
	}
	for _, tt := range tests {
		got, err := tt.read(tt.text)
		if refused := tt.want.Endpoints == nil; refused != (err != nil) {
			t.Errorf("%s: %+v, %v", tt.text, got, err)
			continue
		}
		if err != nil {
			if strings.Contains(err.Error(), "secret") {
				t.Errorf("%s: a password is shown: %v", tt.text, err)
			}
			continue
		}
		if !slices.Equal(got.Endpoints, tt.want.Endpoints) || got.User != tt.want.User || got.Password != tt.want.Password ||
			got.DB != tt.want.DB || (got.TLS == nil) != (tt.want.TLS == nil) {
			t.Errorf("%s: %+v", tt.text, got)
		}
	}
}

// authority is a certificate authority with a server's and a client's
// certificate, in files.
type authority struct {
	ca, cert, key string
	pool          *x509.CertPool
	pair          tls.Certificate
}

func newAuthority(t *testing.T) authority {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	own := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true,
		KeyUsage:    x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	der, err := x509.CreateCertificate(rand.Reader, own, own, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	a := authority{ca: filepath.Join(dir, "ca.pem"), cert: filepath.Join(dir, "ca.pem"), key: filepath.Join(dir, "key.pem")}
	certPEM := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	keyPEM := pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: private})
	for file, text := range map[string][]byte{a.ca: certPEM, a.key: keyPEM} {
		if err := os.WriteFile(file, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	a.pool = x509.NewCertPool()
	a.pool.AppendCertsFromPEM(certPEM)
	if a.pair, err = tls.X509KeyPair(certPEM, keyPEM); err != nil {
		t.Fatal(err)
	}
	return a
}

// front speaks TLS to clients and forwards to a server that does not.
func (a authority) front(t *testing.T, to string, clients tls.ClientAuthType) string {
	t.Helper()
	l, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{
		Certificates: []tls.Certificate{a.pair}, ClientCAs: a.pool, ClientAuth: clients, NextProtos: []string{"h2"},
		MinVersion: tls.VersionTLS12,
	})
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	all.Go(func() {
		for {
			near, err := l.Accept()
			if err != nil {
				return
			}
			far, err := net.Dial("tcp", to)
			if err != nil {
				_ = near.Close()
				continue
			}
			forward := func(dst, src net.Conn) {
				_, _ = io.Copy(dst, src)
				_ = dst.Close()
				_ = src.Close()
			}
			all.Go(func() { forward(far, near) })
			all.Go(func() { forward(near, far) })
		}
	})
	t.Cleanup(func() {
		_ = l.Close()
		all.Wait()
	})
	return l.Addr().String()
}

// Servers that speak TLS, and want a client's certificate, are used as their own
// clients use them.
func TestTLS(t *testing.T) {
	a := newAuthority(t)
	for name, cfg := range map[string]lock.Config{"redis": openRedis(t), "etcd": openEtcd(t)} {
		for _, tt := range []struct {
			what    string
			clients tls.ClientAuthType
			tls     *lock.TLS
			want    string // "" = it works
		}{
			{"the authority is known", tls.NoClientCert, &lock.TLS{CA: a.ca}, ""},
			{"the authority is not known", tls.NoClientCert, &lock.TLS{}, "--cacert"},
			{"with a certificate", tls.RequireAndVerifyClientCert, &lock.TLS{CA: a.ca, Cert: a.cert, Key: a.key}, ""},
			{"without one that it wants", tls.RequireAndVerifyClientCert, &lock.TLS{CA: a.ca}, "--cert"},
			{"no such file", tls.NoClientCert, &lock.TLS{CA: a.ca + "x"}, "no such file"},
			{"no certificate in it", tls.NoClientCert, &lock.TLS{CA: a.key}, "holds no certificate"},
		} {
			t.Run(name+" "+tt.what, func(t *testing.T) {
				c := cfg
				c.Endpoints, c.TLS = []string{a.front(t, cfg.Endpoints[0], tt.clients)}, tt.tls
				ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
				defer cancel()
				err := lock.Probe(ctx, c)
				if (tt.want == "") != (err == nil) || (err != nil && !strings.Contains(err.Error(), tt.want)) {
					t.Errorf("got %v, want %q", err, tt.want)
				}
			})
		}
	}
}

func TestSweepLeavesOthersAlone(t *testing.T) {
	for _, s := range subjects() {
		if s.name != "redis-incr" && s.name != "etcd" && s.name != "zookeeper" {
			continue
		}
		t.Run(s.name, func(t *testing.T) {
			mine := s.open(t)
			mine.Prefix = "lockdrill/1/"
			other := mine
			other.Prefix = "lockdrill/12/"
			acquired(t, client(t, mine), time.Minute)
			l := acquired(t, client(t, other), time.Minute)
			if err := lock.Sweep(bounded(t), mine); err != nil {
				t.Fatal(err)
			}
			_, err := client(t, mine).Holder(bounded(t), job)
			wants(t, "holder of mine", err, lock.ErrFree)
			owner, err := client(t, other).Holder(bounded(t), job)
			if wants(t, "holder of the other", err, nil); owner != l.Owner {
				t.Errorf("it is %q, want %q", owner, l.Owner)
			}
			if err := lock.Sweep(bounded(t), mine); err != nil {
				t.Errorf("again: %v", err)
			}
		})
	}
}
