package compress

import (
	"errors"
	"fmt"
	"sort"
	"sync"

	"boost/booster/model"
	"boost/ptq"
)

// Calibration is how the scales of a model's leaves are chosen. The zero value is the
// default of every form. Forms of blocks have scales of their own and take no other.
type Calibration struct {
	Method ptq.Method
	// Percent is that of ptq.Percentile, above 0 to 100.
	Percent float64
	// Scale and Offset are those of ptq.Given.
	Scale, Offset float64
	// By says which leaves share a scale; forms of blocks take the default only.
	By Granularity
	// Weights count in ptq.Percentile and ptq.MSE: one for each leaf, 0 to 1e100, as
	// CoverWeights and HitWeights make them. nil: each leaf once.
	Weights []float64
	// Float32Scales keeps each scale in 4 bytes.
	Float32Scales bool
}

// of returns what the calibration means for the leaves of a model.
func (c Calibration) of(m *model.Model, form ptq.Form) (ptq.Calibration, error) {
	out := ptq.Calibration{Method: c.Method, Percent: c.Percent, Scale: c.Scale, Offset: c.Offset, Float32Scales: c.Float32Scales}
	_, typed := form.DType()
	if !typed && c.By != ByOutput {
		return out, ptq.ErrCalibration{Text: fmt.Sprintf("%s has a scale in each block: leave the granularity away", form)}
	}
	if !typed {
		return out, nil
	}
	var err error
	if out.Groups, err = c.By.groups(m); err == nil && c.Weights != nil {
		out.Weights, err = ptq.NewWeights(c.Weights)
	}
	return out, err
}

// Tensor is the leaf tensor of a model with the versions that were made of it. Safe for
// concurrent use; one version is made at a time.
type Tensor struct {
	model *model.Model
	store *ptq.WeightStore
	trees *ptq.Groups // nil: there are none

	mu     sync.Mutex
	blocks map[ptq.Form]ptq.Values
	leaves map[key]*Leaves
}

// key tells leaves apart: exact types have no scales, so that one version serves every granularity.
type key struct {
	values ptq.Values
	by     Granularity
}

// Open returns the leaf tensor of a model.
func Open(m *model.Model) (*Tensor, error) {
	trees, err := Trees(m)
	if err != nil {
		return nil, err
	}
	store, err := ptq.NewWeightStore(m.Leaves(), trees)
	if err != nil {
		return nil, err
	}
	return &Tensor{model: m, store: store, trees: trees, blocks: map[ptq.Form]ptq.Values{}, leaves: map[key]*Leaves{}}, nil
}

// MorphModel keeps all leaves of a model in a form (S4.20): Open and Morph in one call.
func MorphModel(m *model.Model, form ptq.Form, c Calibration) (*Leaves, error) {
	t, err := Open(m)
	if err != nil {
		return nil, err
	}
	return t.Morph(form, c)
}

// Store returns the leaf values and their versions in data types. Its master must not be
// changed.
func (t *Tensor) Store() *ptq.WeightStore { return t.store }

// Morph returns the model's leaves in a form. What was made before by an equal calibration
// is returned as it is. Errors: those of ptq.Encode, which name tree and leaf of a value that
// the form cannot hold; ptq.ErrCalibration for blocks with a calibration.
func (t *Tensor) Morph(form ptq.Form, c Calibration) (*Leaves, error) {
	calibration, err := c.of(t.model, form)
	if err != nil {
		return nil, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	values, err := t.values(form, calibration)
	if err != nil {
		return nil, t.place(err)
	}
	at := key{values, c.By}
	if there := t.leaves[at]; there != nil {
		return there, nil
	}
	l, err := t.newLeaves(values, c.By)
	if err != nil {
		return nil, t.place(err)
	}
	t.leaves[at] = l
	return l, nil
}

// values returns the version or the blocks, which are made if they are not there.
func (t *Tensor) values(form ptq.Form, c ptq.Calibration) (ptq.Values, error) {
	if d, is := form.DType(); is {
		v, err := t.store.Morph(d, c)
		if err != nil {
			return nil, err
		}
		return v, nil
	}
	if there := t.blocks[form]; there != nil && c == (ptq.Calibration{}) {
		return there, nil
	}
	values, err := ptq.Encode(form, c, t.model.Leaves(), t.trees)
	if err != nil {
		return nil, err
	}
	t.blocks[form] = values
	return values, nil
}

// place puts the tree and the leaf of a refused value before the error.
func (t *Tensor) place(err error) error {
	at := -1
	var overflow ptq.ErrOverflow
	var notFinite ptq.ErrNotFinite
	switch {
	case errors.As(err, &overflow):
		at = overflow.Index
	case errors.As(err, &notFinite):
		at = notFinite.Index
	}
	if at < 0 || t.trees == nil {
		return err
	}
	i, leaf := placeOf(t.trees.Ends(), at)
	k := t.model.Outputs()
	return fmt.Errorf("tree %d (round %d, output %d), leaf %d: %w", i, i/k, i%k, leaf, err)
}

// placeOf returns the tree of a leaf of the tensor, and its number there.
func placeOf(ends []int, at int) (tree, leaf int) {
	tree = sort.SearchInts(ends, at+1)
	if tree > 0 {
		at -= ends[tree-1]
	}
	return tree, at
}
