package recall

import "fmt"

// explain names the pattern that found each idea or wrong statement, for the
// -misses output.
func explain(e example, ideas, wrong []int) string {
	r, err := loadRubric()
	if err != nil {
		return err.Error()
	}
	a := r.read(e.Answer, r.points[e.Point].needs)
	out := ""
	for _, id := range ideas {
		out += a.explain(fmt.Sprintf("idea %d", id), r.points[e.Point].ideas[id], rejected|listed)
	}
	for _, id := range wrong {
		out += a.explain(fmt.Sprintf("wrong %d", id), r.points[e.Point].wrong[id], rejected|reported|denied|asked|listed)
	}
	return out
}

func (a *reading) explain(what string, rules rule, s stance) string {
	for _, p := range rules.any {
		one := rule{any: []pattern{p}, except: rules.except, claims: rules.claims, unless: rules.unless}
		if at, ok := a.judge(one, s); ok {
			return fmt.Sprintf("\n\t  + %s: %s  [%s]", what, p.source, a.answer[a.tokens[at.from].start:a.tokens[at.to-1].end])
		}
	}
	return ""
}

// blocked names the patterns of a missed idea or statement that did match, and
// what kept them from counting.
func blocked(e example, ideas, wrong []int) string {
	r, _ := loadRubric()
	a := r.read(e.Answer, r.points[e.Point].needs)
	out := ""
	for _, id := range ideas {
		out += a.blocked(fmt.Sprintf("idea %d", id), r.points[e.Point].ideas[id], rejected|listed)
	}
	for _, id := range wrong {
		out += a.blocked(fmt.Sprintf("wrong %d", id), r.points[e.Point].wrong[id], rejected|reported|denied|asked|listed)
	}
	return out
}

func (a *reading) blocked(what string, rules rule, s stance) string {
	out := ""
	for _, p := range rules.any {
		for _, m := range first(a.matches(p)) {
			why := ""
			if a.hasStance(m, s) {
				why += " stance"
			}
			for _, x := range append(append([]pattern{}, rules.except...), rules.claims...) {
				for _, xm := range a.matches(x) {
					if overlaps(m, []match{xm}) {
						why += " except " + x.source
					}
				}
			}
			for _, u := range rules.unless {
				if a.takenBack(m, []pattern{u}) {
					why += " unless " + u.source
				}
			}
			at := m.bounds()
			out += fmt.Sprintf("\n\t  - %s: %s  [%s]%s", what, p.source, a.answer[a.tokens[at.from].start:a.tokens[at.to-1].end], why)
		}
	}
	return out
}

// first is at most the first of these.
func first[T any](all []T) []T { return all[:min(1, len(all))] }
