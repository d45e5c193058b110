package drills

// mixer deals items out so that no topic comes twice running where that can be
// avoided, and otherwise in the order in which they were added.
type mixer[T any] struct {
	piles []*pile[T]
	left  int // items still to be dealt, at most what the piles hold
	held  int // items in the piles
	last  string
}

// pile is what is left of one topic, in order.
type pile[T any] struct {
	topic string
	items []ranked[T]
}

type ranked[T any] struct {
	rank int
	item T
}

// newMixer deals the first limit of the items; every one if limit is negative.
func newMixer[T any](items []T, topic func(T) string, limit int) *mixer[T] {
	m := &mixer[T]{held: len(items), left: len(items)}
	if limit >= 0 {
		m.left = min(limit, m.left)
	}
	byTopic := map[string]*pile[T]{}
	for rank, item := range items {
		name := topic(item)
		p := byTopic[name]
		if p == nil {
			p = &pile[T]{topic: name}
			byTopic[name] = p
			m.piles = append(m.piles, p)
		}
		p.items = append(p.items, ranked[T]{rank, item})
	}
	return m
}

// next deals one item, after one of topic last.
func (m *mixer[T]) next() (item T, ok bool) {
	if m.left == 0 {
		return item, false
	}
	p := m.choose()
	item = p.items[0].item
	p.items = p.items[1:]
	m.last = p.topic
	m.left--
	m.held--
	return item, true
}

// choose is the pile to deal from: one that must be dealt from now, because the
// others would run out before every second place is filled; else the earliest
// of another topic than the last; else the last one's.
func (m *mixer[T]) choose() *pile[T] {
	var first, same *pile[T]
	for _, p := range m.piles {
		switch {
		case len(p.items) == 0:
		case p.topic == m.last:
			same = p
		case m.held-len(p.items) < (m.left+1)/2:
			return p
		case first == nil || p.items[0].rank < first.items[0].rank:
			first = p
		}
	}
	if first == nil {
		return same
	}
	return first
}
