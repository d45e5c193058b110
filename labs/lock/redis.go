package lock

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
)

// The two scripts of the Redis manual: a lease is renewed or given up only by
// the owner whose random value is still in the key.
var (
	renewScript   = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("PEXPIRE", KEYS[1], ARGV[2]) else return 0 end`)
	releaseScript = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) else return 0 end`)
)

// redisPoll is how long a waiting client sleeps between looks at the key: Redis
// tells nobody that a lock is free.
const redisPoll = 10 * time.Millisecond

// incrScript takes the lock and the next token in one step, so that two grants
// never carry the same number. The counter has no TTL: it outlives every lease.
var incrScript = redis.NewScript(`if redis.call("SET", KEYS[1], ARGV[1], "NX", "PX", ARGV[2]) then return redis.call("INCR", KEYS[2]) else return 0 end`)

// waitForReplicas bounds WAIT. It is long, so that only a replica that is gone
// and not one that is slow leaves the grant in doubt.
const waitForReplicas = 10 * time.Second

// redisService is SET NX PX with a value of its own per grant. By itself it
// issues no fencing token.
type redisService struct {
	rdb    *redis.Client
	prefix string
	wait   int
	incr   bool // the token comes from a counter beside the key
}

// silenceRedis keeps go-redis's own log off the terminal: what it has to say is
// in the errors that it returns.
var silenceRedis = sync.OnceFunc(func() { redis.SetLogger(silent{}) })

type silent struct{}

func (silent) Printf(context.Context, string, ...any) {}

func openRedis(c Config) (*redisService, error) {
	rdb, err := redisClient(c, c.Endpoints[0], redisWire{})
	if err != nil {
		return nil, err
	}
	return &redisService{rdb: rdb, prefix: c.Prefix, wait: c.Wait, incr: c.Service == "redis-incr"}, nil
}

func redisClient(c Config, endpoint string, wire redisWire) (*redis.Client, error) {
	silenceRedis()
	secure, err := c.TLS.config()
	if err != nil {
		return nil, err
	}
	rdb := redis.NewClient(&redis.Options{
		Addr:                  endpoint,
		Username:              c.User,
		Password:              c.Password,
		DB:                    c.DB,
		TLSConfig:             secure,
		MaxRetries:            -1, // a retry after a lost reply would hide what happened
		DialTimeout:           2 * time.Second,
		DialerRetries:         1,
		ReadTimeout:           30 * time.Second, // longer than any pause of a lab
		WriteTimeout:          30 * time.Second,
		PoolSize:              4,
		Protocol:              2,
		DisableIdentity:       true,
		ContextTimeoutEnabled: true,
	})
	rdb.AddHook(wire)
	return rdb, nil
}

func (s *redisService) TryAcquire(ctx context.Context, resource string, ttl time.Duration) (Lease, error) {
	l := Lease{Resource: resource, Owner: randomOwner(), TTL: ttl, Asked: time.Now()}
	// A connection of its own, so that WAIT speaks of this very SET.
	conn := s.rdb.Conn()
	defer conn.Close()
	if err := s.set(ctx, conn, &l); err != nil {
		return Lease{}, err
	}
	if s.wait == 0 {
		return l, nil
	}
	n, err := conn.Wait(ctx, s.wait, waitForReplicas).Result()
	if err == nil && int(n) < s.wait {
		err = fmt.Errorf("%d of %d replicas acknowledged the key", n, s.wait)
	}
	if err != nil {
		return Lease{}, unknown(err)
	}
	return l, nil
}

// set sends the one command that takes the lock, if it is free.
func (s *redisService) set(ctx context.Context, conn *redis.Conn, l *Lease) error {
	key := s.prefix + l.Resource
	if s.incr {
		n, err := incrScript.Eval(ctx, conn, []string{key, key + ".token"}, l.Owner, l.TTL.Milliseconds()).Uint64()
		if err != nil {
			return redisFailure(err)
		}
		if n == 0 {
			return ErrHeld
		}
		l.Token = n
		return nil
	}
	err := conn.SetArgs(ctx, key, l.Owner, redis.SetArgs{Mode: "NX", TTL: l.TTL}).Err()
	if errors.Is(err, redis.Nil) {
		return ErrHeld
	}
	if err != nil {
		return redisFailure(err)
	}
	return nil
}

func (s *redisService) Acquire(ctx context.Context, resource string, ttl time.Duration) (Lease, error) {
	for {
		_, err := s.Holder(ctx, resource)
		if errors.Is(err, ErrFree) {
			var l Lease
			if l, err = s.TryAcquire(ctx, resource, ttl); err == nil {
				return l, nil
			}
		}
		if err != nil && !errors.Is(err, ErrHeld) {
			return Lease{}, ranOut(err)
		}
		if err := pause(ctx, redisPoll); err != nil {
			return Lease{}, err
		}
	}
}

// ranOut marks an error of a connection that the context's deadline ended as
// what it is.
func ranOut(err error) error {
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return fmt.Errorf("%w: %w", context.DeadlineExceeded, err)
	}
	return err
}

func (s *redisService) Renew(ctx context.Context, l Lease) (Lease, error) {
	return l, s.ifOwner(ctx, renewScript, l, l.TTL.Milliseconds())
}

func (s *redisService) Release(ctx context.Context, l Lease) error {
	return s.ifOwner(ctx, releaseScript, l)
}

func (s *redisService) ifOwner(ctx context.Context, script *redis.Script, l Lease, args ...any) error {
	n, err := script.Eval(ctx, s.rdb, []string{s.prefix + l.Resource}, append([]any{l.Owner}, args...)...).Int()
	if err != nil {
		return redisFailure(err)
	}
	if n == 0 {
		return ErrNotHeld
	}
	return nil
}

func (s *redisService) Holder(ctx context.Context, resource string) (string, error) {
	v, err := s.rdb.Get(ctx, s.prefix+resource).Result()
	if errors.Is(err, redis.Nil) {
		return "", ErrFree
	}
	if err != nil {
		return "", err
	}
	return v, nil
}

func (s *redisService) Close() error { return s.rdb.Close() }

func randomOwner() string {
	b := make([]byte, 8)
	_, _ = rand.Read(b) // never fails: crypto/rand ends the program instead
	return hex.EncodeToString(b)
}

// redisFailure tells a command that was refused, or never sent, from one whose
// reply was lost.
func redisFailure(err error) error {
	var refused redis.Error
	var op *net.OpError
	if errors.As(err, &refused) || (errors.As(err, &op) && op.Op == "dial") {
		return err
	}
	return unknown(err)
}

// redisWire writes each command and reply into the context's record.
type redisWire struct {
	node string // put before each command; "" = there is but one
}

func (redisWire) DialHook(next redis.DialHook) redis.DialHook { return next }

func (w redisWire) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		err := next(ctx, cmd)
		if cmd.Name() == "hello" {
			return err // the client library's greeting, no part of the lock
		}
		record(ctx, w.node+redisCommand(cmd.Args()), redisReply(cmd, err))
		return err
	}
}

func (redisWire) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return next
}

func redisCommand(args []any) string {
	words := make([]string, len(args))
	for i, a := range args {
		words[i] = fmt.Sprint(a)
		if strings.ContainsRune(words[i], ' ') {
			words[i] = fmt.Sprintf("%q", words[i])
		}
	}
	if len(words) > 0 {
		words[0] = strings.ToUpper(words[0])
	}
	return strings.Join(words, " ")
}

func redisReply(cmd redis.Cmder, err error) string {
	if errors.Is(err, redis.Nil) {
		return "(nil)"
	}
	if err != nil {
		return err.Error()
	}
	switch c := cmd.(type) {
	case *redis.StatusCmd:
		return c.Val()
	case *redis.StringCmd:
		return c.Val()
	case *redis.BoolCmd: // SET NX, as redsync sends it
		return map[bool]string{true: "OK", false: "(nil)"}[c.Val()]
	case *redis.IntCmd:
		return fmt.Sprintf("(integer) %d", c.Val())
	case *redis.Cmd:
		return fmt.Sprintf("(integer) %v", c.Val())
	}
	return ""
}
