package main

import (
	"os"
	"strings"

	"github.com/spf13/pflag"

	"lockdrill/labs"
	"lockdrill/labs/lock"
)

// serverFlags say which servers a lab runs against.
type serverFlags struct {
	redisServer, redis, etcd, zookeeper string
	user                                string
	tls                                 lock.TLS
}

func (o *serverFlags) define(f *pflag.FlagSet) {
	f.StringVar(&o.redisServer, "redis-server", "", "start real redis-servers: =PATH names the program")
	f.Lookup("redis-server").NoOptDefVal = "redis-server"
	f.StringVar(&o.redis, "redis", "", "attach to a running Redis: HOST:PORT or redis[s]://USER:PASSWORD@HOST:PORT; $REDISCLI_AUTH")
	f.StringVar(&o.etcd, "etcd", "", "attach to a running etcd: endpoints as etcdctl takes them; $ETCDCTL_USER, _PASSWORD, _CACERT, _CERT, _KEY")
	f.StringVar(&o.zookeeper, "zookeeper", "", "attach to a running ZooKeeper: HOST:PORT,HOST:PORT")
	f.StringVar(&o.user, "user", "", "NAME:PASSWORD for the etcd or ZooKeeper attached to")
	f.StringVar(&o.tls.CA, "cacert", "", "certificates to trust for the server attached to, a PEM file")
	f.StringVar(&o.tls.Cert, "cert", "", "client certificate for the server attached to, a PEM file")
	f.StringVar(&o.tls.Key, "key", "", "its key, a PEM file")
}

// servers reads the flags, and what the servers' own clients take from the
// environment.
func (o *serverFlags) servers() (labs.Servers, error) {
	s := labs.Servers{RedisServer: o.redisServer}
	var err error
	if s.Redis, err = o.attach(o.redis, lock.RedisAt, o.asRedisCLI); err != nil {
		return s, err
	}
	if s.Etcd, err = o.attach(o.etcd, lock.EtcdAt, o.asEtcdctl); err != nil {
		return s, err
	}
	if s.ZooKeeper, err = o.attach(o.zookeeper, lock.ZooKeeperAt, o.asUser); err != nil {
		return s, err
	}
	if (o.tls.Cert == "") != (o.tls.Key == "") {
		return s, usagef("--cert and --key belong together")
	}
	return s, nil
}

// attach reads one address and completes it.
func (o *serverFlags) attach(text string, read func(string) (lock.Config, error), complete func(*lock.Config)) (*lock.Config, error) {
	if text == "" {
		return nil, nil
	}
	c, err := read(text)
	if err != nil {
		return nil, usagef("%s", err)
	}
	if c.TLS == nil && (o.tls.CA != "" || o.tls.Cert != "") {
		return nil, usagef("--cacert and --cert are for TLS: write rediss:// or https://")
	}
	if c.TLS != nil {
		secure := o.tls
		c.TLS = &secure
	}
	complete(&c)
	return &c, nil
}

func (o *serverFlags) asUser(c *lock.Config) {
	if o.user != "" {
		c.User, c.Password, _ = strings.Cut(o.user, ":")
	}
}

func (o *serverFlags) asRedisCLI(c *lock.Config) {
	if c.Password == "" {
		c.Password = os.Getenv("REDISCLI_AUTH")
	}
}

func (o *serverFlags) asEtcdctl(c *lock.Config) {
	c.User, c.Password, _ = strings.Cut(os.Getenv("ETCDCTL_USER"), ":")
	if p := os.Getenv("ETCDCTL_PASSWORD"); c.Password == "" {
		c.Password = p
	}
	o.asUser(c)
	if c.TLS == nil {
		return
	}
	if c.TLS.CA == "" {
		c.TLS.CA = os.Getenv("ETCDCTL_CACERT")
	}
	if c.TLS.Cert == "" {
		c.TLS.Cert, c.TLS.Key = os.Getenv("ETCDCTL_CERT"), os.Getenv("ETCDCTL_KEY")
	}
}
