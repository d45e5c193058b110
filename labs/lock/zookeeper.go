package lock

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/go-zookeeper/zk"

	"lockdrill/labs/guard"
)

// The numbers that ZooKeeper has for a lock node.
const (
	tokenCzxid    = "czxid"    // the transaction that made the node: rises over the whole ensemble
	tokenSequence = "sequence" // the node's suffix, counted by its parent: begins again under another parent
	tokenVersion  = "version"  // how often the node was set: begins again with every node
)

// lookSession is the session length of the connection that only looks.
const lookSession = 10 * time.Second

// errSessionEnded means that the session ended while its node stood in line.
var errSessionEnded = errors.New("zookeeper: the session has ended, and its node with it")

// zkService is the lock recipe of the ZooKeeper documentation: an ephemeral
// sequential node that waits for its predecessor alone. The client library's own
// Lock does the same but keeps the node's czxid, the token, to itself.
//
// Every grant has a session of its own, as long as the lease. Its pings are held
// back once the lock is had, so that one visible renewal loop, the client's,
// keeps every kind of lease alive.
type zkService struct {
	cfg   Config
	token string

	mu       sync.Mutex // everything below
	base     *zkSession // looks, and never holds anything
	sessions map[int64]*zkSession
	closing  sync.WaitGroup
}

func openZooKeeper(c Config) *zkService {
	s := &zkService{cfg: c, token: c.Token, sessions: map[int64]*zkSession{}}
	if s.token == "" {
		s.token = tokenCzxid
	}
	return s
}

// parent is the node under which the clients of a resource stand in line.
func (s *zkService) parent(resource string) string {
	return "/" + s.cfg.Prefix + url.PathEscape(resource)
}

func (s *zkService) TryAcquire(ctx context.Context, resource string, ttl time.Duration) (Lease, error) {
	if _, err := s.Holder(ctx, resource); err == nil {
		return Lease{}, ErrHeld
	} else if !errors.Is(err, ErrFree) {
		return Lease{}, err
	}
	return s.acquire(ctx, resource, ttl, true)
}

func (s *zkService) Acquire(ctx context.Context, resource string, ttl time.Duration) (Lease, error) {
	return s.acquire(ctx, resource, ttl, false)
}

func (s *zkService) acquire(ctx context.Context, resource string, ttl time.Duration, once bool) (Lease, error) {
	sess, err := openSession(ctx, s.cfg, ttl)
	if err != nil {
		return Lease{}, err // a session without a node is in nobody's way
	}
	node, err := sess.create(ctx, s.parent(resource))
	if err == nil {
		err = sess.turn(ctx, node, once)
	}
	l := Lease{Resource: resource, Owner: node}
	if err == nil {
		l, err = s.granted(ctx, sess, l)
	}
	if err != nil {
		return Lease{}, s.abandon(sess, node, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sessions[l.Session] = sess
	return l, nil
}

// granted fills in a lease whose turn has come. Its last request renews the
// session at a time that we know.
func (s *zkService) granted(ctx context.Context, sess *zkSession, l Lease) (Lease, error) {
	sess.holdPings()
	if s.token == tokenVersion {
		if err := sess.set(ctx, l.Owner, "at work"); err != nil {
			return l, err
		}
	}
	l.Asked, l.Session, l.TTL = time.Now(), sess.c.SessionID(), sess.length()
	stat, err := sess.stat(ctx, l.Owner)
	if err != nil {
		return l, err
	}
	l.Created = uint64(stat.Czxid)
	switch s.token {
	case tokenSequence:
		seq, _ := sequence(l.Owner)
		l.Token = uint64(seq) + 1 // counted from one: zero means that there is none
	case tokenVersion:
		l.Token = uint64(stat.Version)
	default:
		l.Token = l.Created
	}
	return l, nil
}

// abandon takes the node of an attempt that ended in err out of the line. Without
// an answer to that, the attempt may still come to be granted.
func (s *zkService) abandon(sess *zkSession, node string, err error) error {
	defer s.end(sess)
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if node == "" {
		if errors.Is(err, ErrUnknown) || errors.Is(err, zk.ErrConnectionClosed) {
			return unknown(err)
		}
		return err
	}
	if derr := sess.remove(ctx, node); derr != nil && !gone(derr) {
		return unknown(err)
	}
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		return fmt.Errorf("gave up waiting: %w", unmarked(err))
	}
	return err
}

// unmarked is the context's error in err, whose outcome has been learned since.
func unmarked(err error) error {
	if errors.Is(err, context.Canceled) {
		return context.Canceled
	}
	return context.DeadlineExceeded
}

// gone says whether a node is surely not there.
func gone(err error) bool {
	return errors.Is(err, zk.ErrNoNode) || errors.Is(err, zk.ErrSessionExpired)
}

// session is the one that holds a lease, or the one that looks if it is not of
// this client.
func (s *zkService) session(ctx context.Context, id int64) (sess *zkSession, own bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if sess := s.sessions[id]; sess != nil {
		return sess, true, nil
	}
	if s.base == nil {
		if s.base, err = openSession(ctx, s.cfg, lookSession); err != nil {
			s.base = nil
			return nil, false, err
		}
	}
	return s.base, false, nil
}

// Renew asks for the node, which keeps the session that asks alive.
func (s *zkService) Renew(ctx context.Context, l Lease) (Lease, error) {
	sess, own, err := s.session(ctx, l.Session)
	if err != nil {
		return l, err
	}
	stat, err := sess.stat(ctx, l.Owner)
	if err == nil && own && uint64(stat.Czxid) == l.Created {
		return l, nil
	}
	if err == nil || gone(err) {
		s.forget(l.Session)
		return l, ErrNotHeld
	}
	return l, zkFailure(err)
}

func (s *zkService) Release(ctx context.Context, l Lease) error {
	sess, _, err := s.session(ctx, l.Session)
	if err != nil {
		return err
	}
	err = sess.remove(ctx, l.Owner)
	if err == nil || gone(err) {
		s.forget(l.Session)
	}
	if gone(err) {
		return ErrNotHeld
	}
	return zkFailure(err)
}

func (s *zkService) Holder(ctx context.Context, resource string) (string, error) {
	line, err := s.line(ctx, resource)
	if err != nil {
		return "", err
	}
	if len(line) == 0 {
		return "", ErrFree
	}
	return line[0], nil
}

// InLine is how many hold or wait for the resource.
func (s *zkService) InLine(ctx context.Context, resource string) (int, error) {
	line, err := s.line(ctx, resource)
	return len(line), err
}

func (s *zkService) line(ctx context.Context, resource string) ([]string, error) {
	sess, _, err := s.session(ctx, 0)
	if err != nil {
		return nil, err
	}
	line, err := sess.line(ctx, s.parent(resource))
	if errors.Is(err, zk.ErrNoNode) {
		return nil, nil
	}
	return line, err
}

// forget ends the session of a lease that is no more.
func (s *zkService) forget(id int64) {
	s.mu.Lock()
	sess := s.sessions[id]
	delete(s.sessions, id)
	s.mu.Unlock()
	if sess != nil {
		s.end(sess)
	}
}

// end closes a session in the background: over a dead connection it takes time.
func (s *zkService) end(sess *zkSession) { s.closing.Go(guard.Func(sess.close)) }

func (s *zkService) Close() error {
	s.mu.Lock()
	for _, sess := range s.sessions {
		s.end(sess)
	}
	clear(s.sessions)
	if s.base != nil {
		s.end(s.base)
		s.base = nil
	}
	s.mu.Unlock()
	s.closing.Wait()
	return nil
}

// sequence is the number at the end of a lock node's name. It is a signed 32-bit
// counter of the parent.
func sequence(node string) (int32, bool) {
	i := strings.LastIndex(node, nodeMark)
	if i < 0 {
		return 0, false
	}
	n, err := strconv.ParseInt(node[i+len(nodeMark):], 10, 32)
	return int32(n), err == nil
}

// inOrder leaves the lock nodes of a parent's children, first come first.
func inOrder(parent string, children []string) []string {
	var line []string
	for _, c := range children {
		if _, ok := sequence(c); ok {
			line = append(line, parent+"/"+c)
		}
	}
	slices.SortFunc(line, func(a, b string) int {
		m, _ := sequence(a)
		n, _ := sequence(b)
		return int(m) - int(n)
	})
	return line
}

// zkFailure tells an answer of the server from a lost reply.
func zkFailure(err error) error {
	if errors.Is(err, zk.ErrConnectionClosed) || errors.Is(err, zk.ErrClosing) {
		return unknown(err)
	}
	return err
}
