package model

import "fmt"

// head is a model without its trees: what turns rows into codes, and scores into predictions.
type head struct {
	contents Contents
	used     []int   // features that a tree splits on, ascending
	columns  []uint8 // bits per code of each used feature in a prediction block
	place    []int32 // of each feature that is used: its index in used
}

// newHead prepares the contents, of whose features trees split on the used ones.
func newHead(c Contents, used []int) head {
	h := head{contents: c, used: used, columns: make([]uint8, len(used)), place: make([]int32, len(c.Cuts.Features))}
	for i, f := range used {
		h.columns[i], h.place[f] = codeBits(c.Cuts.Features[f].Regular), int32(i)
	}
	return h
}

// usedFeatures returns the features that the trees split on, ascending.
func usedFeatures(c *Contents) []int {
	is := make([]bool, len(c.Cuts.Features))
	count := 0
	for t := range c.Trees {
		for _, f := range c.Trees[t].Feature {
			if !is[f] {
				is[f] = true
				count++
			}
		}
	}
	used := make([]int, 0, count)
	for f, is := range is {
		if is {
			used = append(used, f)
		}
	}
	return used
}

func (h *head) needClasses() error {
	if h.contents.Classes == nil {
		return fmt.Errorf("a model with objective %s predicts numbers, it has no classes", h.contents.Objective)
	}
	return nil
}

// noRounds is the error about a number of rounds that the model has not.
func (h *head) noRounds(k int) error {
	return fmt.Errorf("%d rounds of a model that has %d: give a number from 0 to that", k, h.contents.BestRound)
}
