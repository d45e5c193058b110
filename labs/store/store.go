// Package store is the data store of the labs: one SQLite table behind a small
// HTTP API on the loopback. Fenced, it compares every write's token with the
// highest it has seen, in the same statement that writes; unfenced, it takes
// whatever comes.
package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	_ "modernc.org/sqlite" // the driver "sqlite"

	"lockdrill/labs/guard"
)

// Request is what a client asks of the store, and on whose behalf.
type Request struct {
	Resource string `json:"resource"`
	Process  string `json:"process"`
	Grant    int    `json:"grant"` // the grant it stands on
	Call     int    `json:"call"`  // the invoke event it belongs to
	Token    uint64 `json:"token"`
	Value    string `json:"value,omitempty"`
	Base     uint64 `json:"base,omitempty"` // write: the version it was worked out from; 0 = never read
}

// Reply is what the store answers, and what the decision was.
type Reply struct {
	Stale   bool   `json:"stale,omitempty"` // refused: the token was lower than one already seen
	Moved   bool   `json:"moved,omitempty"` // refused: the version is not the base any more; Value and Version are what it is
	Taken   bool   `json:"taken,omitempty"` // refused: the row is there already
	Value   string `json:"value,omitempty"`
	Version uint64 `json:"version"` // the version read or made
	SQL     string `json:"sql"`     // the statement that decided, as it ran
	Rows    int64  `json:"rows"`    // rows it touched
}

// Op names what a request asks.
type Op string

// The operations of the store.
const (
	Read  Op = "read"  // the value and its version
	Claim Op = "claim" // register a token before reading, so that lower ones are refused from here on
	Write Op = "write"
	// Save writes if the version is still Base, whoever asks.
	Save Op = "save"
	// Insert makes a row, and is refused if it is there.
	Insert Op = "intend"
)

// Store is a running store. Every decision is passed to the callback given to
// Start before the next one is taken, so the callback sees them in order.
type Store struct {
	mu     sync.Mutex // one decision at a time
	db     *sql.DB
	fenced bool
	decide func(Op, Request, Reply)
	hung   chan struct{} // closed = answering

	srv *http.Server
	url string
}

const schema = `CREATE TABLE resource (
	id         TEXT PRIMARY KEY,
	value      TEXT NOT NULL,
	version    INTEGER NOT NULL,
	last_token INTEGER NOT NULL
)`

// Start opens an empty store in memory and serves it on a free loopback port.
func Start(fenced bool, decide func(Op, Request, Reply)) (*Store, error) {
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	db.SetMaxOpenConns(1) // an in-memory database lives in its one connection
	if _, err := db.Exec(schema); err != nil {
		_ = db.Close()
		return nil, fmt.Errorf("store: %w", err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		_ = db.Close()
		return nil, fmt.Errorf("store: %w", err)
	}
	s := &Store{db: db, fenced: fenced, decide: decide, hung: make(chan struct{}), url: "http://" + l.Addr().String()}
	close(s.hung)
	mux := http.NewServeMux()
	for _, op := range []Op{Read, Claim, Write, Save, Insert} {
		mux.HandleFunc("POST /"+string(op), func(w http.ResponseWriter, r *http.Request) { s.serve(w, r, op) })
	}
	s.srv = &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	go guard.Func(func() { _ = s.srv.Serve(l) })() // ends with Close
	return s, nil
}

// URL is where the store listens.
func (s *Store) URL() string { return s.url }

// Put sets a resource to value, at version 1 and with no token seen.
func (s *Store) Put(resource, value string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, err := s.db.Exec(`INSERT INTO resource VALUES (?, ?, 1, 0)`, resource, value)
	return err
}

// SetFenced turns the comparison of tokens on or off, from the next write on.
func (s *Store) SetFenced(on bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fenced = on
}

// Fenced says whether writes are compared.
func (s *Store) Fenced() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.fenced
}

// Hang makes the store accept requests and answer none, as a stuck disk does.
func (s *Store) Hang() {
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case <-s.hung:
		s.hung = make(chan struct{})
	default:
	}
}

// Close stops serving, breaking off what is under way.
func (s *Store) Close() error {
	err := s.srv.Close()
	s.mu.Lock()
	defer s.mu.Unlock()
	return errors.Join(err, s.db.Close())
}

func (s *Store) serve(w http.ResponseWriter, r *http.Request, op Op) {
	var req Request
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<20)).Decode(&req); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if !s.answering(r.Context()) {
		return
	}
	reply, err := s.do(r.Context(), op, req)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(reply) // a client that left does not read it
}

func (s *Store) answering(ctx context.Context) bool {
	s.mu.Lock()
	hung := s.hung
	s.mu.Unlock()
	select {
	case <-hung:
		return true
	case <-ctx.Done():
		return false
	}
}

func (s *Store) do(ctx context.Context, op Op, req Request) (Reply, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	// A client that leaves must not interrupt the statement: the decision stands.
	reply, err := s.run(context.WithoutCancel(ctx), op, req)
	if err == nil {
		s.decide(op, req, reply)
	}
	return reply, err
}

func (s *Store) run(ctx context.Context, op Op, req Request) (Reply, error) {
	switch op {
	case Claim:
		if !s.fenced {
			return Reply{SQL: "no statement: an unfenced store keeps no token"}, nil
		}
		return s.update(ctx, `UPDATE resource SET last_token = ? WHERE id = ? AND last_token <= ? RETURNING version`,
			req.Token, req.Resource, req.Token)
	case Write:
		if !s.fenced {
			return s.update(ctx, `UPDATE resource SET value = ?, version = version + 1 WHERE id = ? RETURNING version`,
				req.Value, req.Resource)
		}
		return s.update(ctx, `UPDATE resource SET value = ?, version = version + 1, last_token = ? WHERE id = ? AND last_token <= ? RETURNING version`,
			req.Value, req.Token, req.Resource, req.Token)
	case Save:
		return s.save(ctx, req)
	case Insert:
		return s.insert(ctx, req)
	}
	const q = `SELECT value, version FROM resource WHERE id = ?`
	reply := Reply{SQL: filled(q, req.Resource), Rows: 1}
	err := s.db.QueryRowContext(ctx, q, req.Resource).Scan(&reply.Value, &reply.Version)
	return reply, err
}

// update runs one conditional UPDATE. No row back means that its condition
// failed: the token was stale.
func (s *Store) update(ctx context.Context, query string, args ...any) (Reply, error) {
	reply := Reply{SQL: filled(strings.TrimSuffix(query, " RETURNING version"), args...), Rows: 1}
	err := s.db.QueryRowContext(ctx, query, args...).Scan(&reply.Version)
	if errors.Is(err, sql.ErrNoRows) {
		reply.Rows, reply.Stale = 0, true
		return reply, nil
	}
	return reply, err
}

// save is the optimistic write: it compares the version for equality.
func (s *Store) save(ctx context.Context, req Request) (Reply, error) {
	reply, err := s.update(ctx, `UPDATE resource SET value = ?, version = version + 1 WHERE id = ? AND version = ? RETURNING version`,
		req.Value, req.Resource, req.Base)
	if err != nil || !reply.Stale {
		return reply, err
	}
	reply.Stale, reply.Moved = false, true
	err = s.db.QueryRowContext(ctx, `SELECT value, version FROM resource WHERE id = ?`, req.Resource).Scan(&reply.Value, &reply.Version)
	return reply, err
}

// insert lets the primary key decide who was first.
func (s *Store) insert(ctx context.Context, req Request) (Reply, error) {
	reply, err := s.update(ctx, `INSERT INTO resource VALUES (?, ?, 1, 0) ON CONFLICT DO NOTHING RETURNING version`, req.Resource, req.Value)
	if err == nil && reply.Stale {
		reply.Stale, reply.Taken = false, true
	}
	return reply, err
}

// filled writes a statement with its arguments in place, for people to read.
func filled(query string, args ...any) string {
	var b strings.Builder
	for i, part := range strings.Split(query, "?") {
		if i > 0 {
			b.WriteString(literal(args[i-1]))
		}
		b.WriteString(part)
	}
	return b.String()
}

func literal(a any) string {
	if s, ok := a.(string); ok {
		return "'" + strings.ReplaceAll(s, "'", "''") + "'"
	}
	return fmt.Sprint(a)
}
