package server

import (
	"fmt"
	"strconv"
	"time"

	"github.com/alicebob/miniredis/v2"
	miniserver "github.com/alicebob/miniredis/v2/server"
)

// Redis is one Redis in this process (miniredis) with the real clock, and with
// the replication and the WAIT that miniredis lacks.
type Redis struct {
	m    *miniredis.Miniredis
	addr string // kept: a closed miniredis cannot be asked
	*replication
	follows *Redis // its primary; nil = none
}

// StartRedis starts one empty node on a free loopback port.
func StartRedis() (*Redis, error) {
	m := miniredis.NewMiniRedis()
	m.ClockTTL(true)
	if err := m.Start(); err != nil {
		return nil, fmt.Errorf("redis: %w", err)
	}
	r := &Redis{m: m, addr: m.Addr()}
	r.replication = newReplication(m)
	m.Server().SetPreHook(r.hook)
	return r, nil
}

// Addr is host:port.
func (r *Redis) Addr() string { return r.addr }

// Close stops the node at once; what it had not sent to a replica is lost.
// Closing it again does nothing.
func (r *Redis) Close() error {
	r.replication.stop()
	r.m.Close()
	return nil
}

// hook answers WAIT and leaves every other command to miniredis.
func (r *Redis) hook(c *miniserver.Peer, cmd string, args ...string) bool {
	if cmd != "WAIT" {
		return false
	}
	if len(args) != 2 {
		c.WriteError("ERR wrong number of arguments for 'wait' command")
		return true
	}
	n, err1 := strconv.Atoi(args[0])
	ms, err2 := strconv.Atoi(args[1])
	if err1 != nil || err2 != nil {
		c.WriteError("ERR value is not an integer or out of range")
		return true
	}
	c.WriteInt(r.acknowledged(n, time.Duration(ms)*time.Millisecond))
	return true
}

// snapshot is one key as a replica receives it.
type snapshot struct {
	key, value string
	exists     bool
	until      time.Time // zero = does not expire
}

// same says whether two snapshots of a key differ in no more than the jitter of
// reading a TTL.
func (s snapshot) same(t snapshot) bool {
	const jitter = 5 * time.Millisecond
	return s.exists == t.exists && s.value == t.value && s.until.IsZero() == t.until.IsZero() &&
		s.until.Sub(t.until).Abs() < jitter
}

func read(m *miniredis.Miniredis, key string) snapshot {
	s := snapshot{key: key}
	v, err := m.Get(key)
	if err != nil {
		return s
	}
	s.exists, s.value = true, v
	if ttl := m.TTL(key); ttl > 0 {
		s.until = time.Now().Add(ttl)
	}
	return s
}

func apply(m *miniredis.Miniredis, s snapshot) {
	left := time.Until(s.until)
	if !s.exists || (!s.until.IsZero() && left <= 0) {
		m.Del(s.key)
		return
	}
	_ = m.Set(s.key, s.value) // fails only on a key of another type; the labs use strings
	if !s.until.IsZero() {
		m.SetTTL(s.key, left)
	}
}
