package model

import (
	"encoding/json"
	"slices"
)

// Mean returns one model whose raw scores are the mean of those of the models: the trees of all of them, one model after the other, with
// leaf values and base scores divided by their number. Errors are those of Merge.
func Mean(models ...*Model) (*Model, error) {
	share := float64(len(models))
	parts := make([]*Model, len(models))
	for i, m := range models {
		c := *m.Contents()
		c.BaseScore, c.Trees = slices.Clone(c.BaseScore), slices.Clone(c.Trees)
		for k := range c.BaseScore {
			c.BaseScore[k] /= share
		}
		for t := range c.Trees {
			c.Trees[t] = *c.Trees[t].CloneLeaves()
			c.Trees[t].Divide(share)
		}
		var err error
		if parts[i], err = New(c); err != nil {
			return nil, err
		}
	}
	return Merge(parts...)
}

// Members returns the models whose mean the model is, as Mean was given them but for rounding; itself where it is no mean, and none where
// what it was made of is not known. The mean of models of train.blend knows it, by a segment for each; they all begin at its base score.
func (m *Model) Members() ([]*Model, error) {
	c := m.expanded()
	if c.Averaged() == 0 {
		return []*Model{m}, nil
	}
	var p struct {
		Blend int `json:"train.blend"`
	}
	n, rounds := len(c.Segments), 0
	for _, s := range c.Segments {
		rounds += s.Rounds
	}
	if json.Unmarshal(c.Params, &p) != nil || p.Blend < n || n < 2 || rounds != c.BestRound {
		return nil, nil
	}
	members := make([]*Model, n)
	first := 0
	for i, s := range c.Segments {
		part := c
		var err error
		if part.Params, err = c.RoundParams(first); err != nil {
			return nil, err
		}
		part.Trees, part.WideRounds = slices.Clone(c.Trees[first*c.Outputs:][:s.Rounds*c.Outputs]), nil
		for t := range part.Trees {
			part.Trees[t] = *part.Trees[t].CloneLeaves()
			part.Trees[t].Divide(1 / float64(n))
		}
		for _, w := range c.WideRounds {
			if w.Round -= first; w.Round >= 0 && w.Round < s.Rounds {
				part.WideRounds = append(part.WideRounds, w)
			}
		}
		part.BestRound, part.Segments, part.History = s.Rounds, nil, nil
		if members[i], err = New(part); err != nil {
			return nil, err
		}
		first += s.Rounds
	}
	return members, nil
}
