package deck

import "strings"

// heading makes the card of a heading and what stands below it.
func (b builder) heading(bl block) (Card, error) {
	c := b.plain(strings.TrimSpace(bl.head), "")
	c.Kind = "" // not known yet
	body := bl.body
	if bl.id != "" {
		c.ID = b.id(bl.id)
		var err error
		if body, err = attributes(&c, body); err != nil {
			return c, err
		}
	}
	if c.Front == "" {
		return c, whole(bl.n, c)
	}
	if err := answer(&c, bl, body); err != nil {
		return c, err
	}
	return c, whole(bl.n, c)
}

// attributes reads the list on the lines directly below the heading into c and
// returns the lines after it.
func attributes(c *Card, body []line) ([]line, error) {
	for len(body) > 0 {
		_, item, ok := cutBullet(body[0].text)
		if !ok || body[0].code {
			break
		}
		key, value, _ := strings.Cut(item, ":")
		if err := c.set(body[0].n, strings.TrimSpace(key), strings.TrimSpace(value)); err != nil {
			return nil, err
		}
		body = body[1:]
	}
	return body, nil
}

func (c *Card) set(n int, key, value string) error {
	if value == "" {
		return fault(n, "attribute %q is not written \"- key: value\"; put an empty line between the heading and a list that is part of the answer", short(key))
	}
	switch key {
	case "kind":
		c.Kind = Kind(value)
		if _, ok := kinds[c.Kind]; !ok {
			return fault(n, "kind %q does not exist; there are qa, cloze, choice, order and row", short(value))
		}
	case "topic":
		c.Topic = value
	case "source":
		c.Source = value
	case "lab":
		return c.setLab(n, value)
	default:
		return fault(n, "attribute %q does not exist; there are kind, topic, lab and source (an empty line ends the attributes)", short(key))
	}
	return nil
}

// setLab reads the name of a lab, or "none, why".
func (c *Card) setLab(n int, value string) error {
	why, none := strings.CutPrefix(value, "none")
	if !none {
		c.Lab = value
		return nil
	}
	c.NoLab = strings.TrimSpace(strings.TrimLeft(why, " ,:;"))
	if c.NoLab == "" {
		return fault(n, "lab none does not say why; write \"- lab: none, and the reason\"")
	}
	return nil
}
