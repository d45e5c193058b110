package main

import (
	"encoding/json"
	"fmt"
	"strings"

	"lockdrill/drills"
	"lockdrill/labs"
)

func listLabs(io streams, asJSON bool) error {
	if !asJSON {
		for _, l := range labs.All() {
			if _, err := fmt.Fprintf(io.out, "%-18s %s\n%18s services %s; stores %s\n", l.Name, l.Question, "",
				strings.Join(l.Services, ", "), strings.Join(l.Stores, ", ")); err != nil {
				return err
			}
		}
		return nil
	}
	type lab struct {
		Name     string   `json:"name"`
		Question string   `json:"question"`
		Services []string `json:"services"`
		Stores   []string `json:"stores"`
		Points   []int    `json:"points"`
		Cards    []string `json:"cards"` // ids of the cards that it proves
	}
	doc := struct {
		Schema int   `json:"schema"`
		Labs   []lab `json:"labs"`
	}{Schema: 1, Labs: []lab{}}
	cards, err := cardsByLab()
	if err != nil {
		return err
	}
	for _, l := range labs.All() {
		doc.Labs = append(doc.Labs, lab{l.Name, l.Question, l.Services, l.Stores, l.Points, cards[l.Name]})
	}
	return json.NewEncoder(io.out).Encode(doc)
}

// cardsByLab are the ids of the built-in cards, by the lab that proves them.
func cardsByLab() (map[string][]string, error) {
	m, err := drills.Load(nil, labNames())
	if err != nil {
		return nil, err
	}
	ids := map[string][]string{}
	for _, name := range labNames() {
		ids[name] = []string{}
	}
	for _, c := range m.Cards {
		if c.Lab != "" {
			ids[c.Lab] = append(ids[c.Lab], c.ID)
		}
	}
	return ids, nil
}
