package server

import (
	"fmt"
	"slices"

	"go.etcd.io/etcd/client/pkg/v3/types"
)

// Cut takes a member off the network of the members, both ways. Clients still
// reach it.
func (c *Etcd) Cut(name string) error { return c.setCut(name, true) }

// Mend puts a member back on the network.
func (c *Etcd) Mend(name string) error { return c.setCut(name, false) }

func (c *Etcd) setCut(name string, cut bool) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	i := slices.IndexFunc(c.members, func(m *member) bool { return m.name == name && !m.dead })
	if i < 0 {
		return fmt.Errorf("no living etcd member is called %q", name)
	}
	one := c.members[i]
	one.cut = cut
	for _, other := range c.members {
		if other == one || other.dead {
			continue
		}
		if cut || other.cut {
			other.between(one, (*member).cutPeer)
		} else {
			other.between(one, (*member).mendPeer)
		}
	}
	return nil
}

// between does the same at both ends.
func (m *member) between(other *member, do func(*member, types.ID)) {
	do(m, other.e.Server.MemberID())
	do(other, m.e.Server.MemberID())
}

func (m *member) cutPeer(id types.ID)  { m.e.Server.CutPeer(id) }
func (m *member) mendPeer(id types.ID) { m.e.Server.MendPeer(id) }

// Reachable is how many members are alive and not cut off.
func (c *Etcd) Reachable() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := 0
	for _, m := range c.members {
		if !m.dead && !m.cut {
			n++
		}
	}
	return n
}

// IsCut says whether a member is cut off.
func (c *Etcd) IsCut(name string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.ContainsFunc(c.members, func(m *member) bool { return m.name == name && m.cut })
}

// MemberIDs are the members' numbers, in the order of Names. They head the lease
// ids that each of them gives.
func (c *Etcd) MemberIDs() []uint64 {
	var all []uint64
	for _, m := range c.members {
		all = append(all, uint64(m.e.Server.MemberID()))
	}
	return all
}
