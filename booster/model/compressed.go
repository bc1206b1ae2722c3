package model

import (
	"encoding/json"
	"errors"
	"slices"

	"boost/tree"
)

// HasStatistics reports whether the trees have covers and gains.
func (m *Model) HasStatistics() bool {
	for i := range m.contents.Trees {
		if m.contents.Trees[i].NoStatistics() {
			return false
		}
	}
	return true
}

// Compressed says how the model's file keeps leaf values, nil for a full model. It must not be
// changed.
func (m *Model) Compressed() *Compression { return m.contents.Compression }

// ErrLinear is the error about models with linear leaves (tree.linear) where only constant leaves can be.
var ErrLinear = errors.New("the model has linear leaves (tree.linear), which cannot be pruned or simplified, and whose errors are not pushed forward: leave that out, or train without tree.linear")

// HasLinear reports whether leaves have linear models.
func (m *Model) HasLinear() bool {
	return slices.ContainsFunc(m.contents.Trees, func(t tree.Tree) bool { return t.Linear != nil })
}

// Narrowed returns the model with what its trees do not use left out, and nodes in canonical
// order: see Contents.Narrow. Unless HashedNames is asked for it predicts the same bits for every row, and stays calibrated.
func (m *Model) Narrowed(keep LevelNames) (*Model, error) {
	c := m.expanded()
	if keep != HashedNames {
		c.Trust = m.contents.Trust
	}
	return New(c.Narrow(keep))
}

// WithCertificate returns a compressed model with another certificate, and nothing else changed.
func (m *Model) WithCertificate(text json.RawMessage) (*Model, error) {
	c := *m.contents
	if c.Compression == nil {
		return nil, errors.New("the model is not compressed, and has no certificate")
	}
	z := *c.Compression
	z.Certificate, c.Compression = text, &z
	return New(c)
}

// Compress returns the compressed model of a narrowed one, which is not calibrated: with the values of z.Leaves in place
// of its leaf values, but with the linear models of leaves as they are, without the history of its metrics, and without covers and gains unless
// z.Statistics is set. Errors name what does not fit.
func (m *Model) Compress(z Compression) (*Model, error) {
	c := m.expanded()
	c.Trees, c.History = slices.Clone(c.Trees), nil
	at := 0
	for i := range c.Trees {
		t := &c.Trees[i]
		if z.Leaves == nil || len(t.Leaf) > z.Leaves.Len()-at {
			return nil, errors.New("the model has more leaves than leaf values")
		}
		t.Leaf = make([]float64, len(t.Leaf))
		z.Leaves.DecodeRange(t.Leaf, at)
		at += len(t.Leaf)
		if !z.Statistics {
			t.Gain, t.Cover, t.LeafCover = nil, nil, nil
		}
	}
	c.Compression = &z
	return New(c)
}
