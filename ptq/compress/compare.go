package compress

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"boost/binning"
	"boost/booster/model"
	"boost/dataset"
	"boost/internal/detmath"
)

// ErrShape refuses to compare models that are not alike enough.
type ErrShape struct{ Text string }

func (e ErrShape) Error() string { return "the models cannot be compared: " + e.Text }

// Comparison says how far the leaves of one model are from those of another, and with a table
// how far its predictions are (S4.33).
//
// A cosine says nothing of a common factor and little of a few leaves that many rows reach: what
// predictions and metrics change by decides.
type Comparison struct {
	// Unlike says why leaves are not compared, as of a pruned model: then there is nothing but Data. "" else.
	Unlike        string
	Trees, Leaves int
	// SameSplits reports whether both models send every row to the same leaves.
	SameSplits bool
	// Cosine is that of the two vectors of all leaves, 1 for equal ones and −1 … 1; NaN,
	// undefined, where all leaves of either are 0.
	Cosine float64
	// CosineByTree is the same for each tree.
	CosineByTree []float64
	// MSE is the mean of the squares of the differences, over leaves, each counted once.
	MSE float64
	// MaxLeaf is the largest |difference| of two leaves.
	MaxLeaf float64
	// Data is what a table shows; nil without one.
	Data *DataComparison
}

// DataComparison says how far the predictions of two models for a table are apart.
type DataComparison struct {
	Rows int
	// MaxRaw is the largest |difference| of raw scores, MaxPrediction of predictions; +Inf
	// where one of them is not finite and the other not the same.
	MaxRaw, MaxPrediction float64
	// Metrics are empty for a table without labels.
	Metrics []MetricChange
}

// MetricChange is a metric of both models, NaN where it is undefined.
type MetricChange struct {
	Name           string
	HigherIsBetter bool
	A, B           float64
}

// Change is B − A.
func (m MetricChange) Change() float64 { return m.B - m.A }

// Relative is (B − A)/|A|: by which share of itself the metric changed.
func (m MetricChange) Relative() float64 { return (m.B - m.A) / math.Abs(m.A) }

// Compare compares two models leaf by leaf, in the order in which a walk meets the leaves, and where
// a table is given by their predictions and metrics for it; names nil are all that fit. What a
// model's trees do not use, and how nodes are numbered, is no difference. Rows count by the weight
// column where the table has it. Models with other numbers of trees, or of leaves in a tree, are ErrShape without a
// table, and with one are compared by predictions alone; other outputs, links or classes are ErrShape. Further errors
// are those of model.Model.Predict and metrics.New.
func Compare(ctx context.Context, a, b *model.Model, t *dataset.Table, names []string, opts ...Option) (*Comparison, error) {
	c, err := compareLeaves(a, b)
	if shape := (ErrShape{}); t != nil && errors.As(err, &shape) {
		c, err = &Comparison{Unlike: shape.Text, Cosine: math.NaN(), MSE: math.NaN(), MaxLeaf: math.NaN()}, nil
	}
	if err != nil || t == nil {
		return c, err
	}
	c.Data, err = compareData(ctx, a, b, t, names, opts)
	return c, err
}

func compareLeaves(a, b *model.Model) (*Comparison, error) {
	if err := sameShape(a, b); err != nil {
		return nil, err
	}
	// Nodes in canonical order, as compressed models have them, and codes of the cuts that
	// are used.
	keep := model.KnownNames
	if len(marked(a))+len(marked(b)) > 0 {
		keep = model.HashedNames
	}
	a, err := a.Narrowed(keep)
	if err != nil {
		return nil, err
	}
	if b, err = b.Narrowed(keep); err != nil {
		return nil, err
	}
	c := &Comparison{Trees: a.NumTrees(), SameSplits: sameCuts(a, b)}
	for i := range a.Contents().Trees {
		if !a.Contents().Trees[i].Linear.Equal(b.Contents().Trees[i].Linear) {
			return nil, ErrShape{fmt.Sprintf("the linear leaves of tree %d have other coefficients", i)}
		}
	}
	all, squares := products{same: true}, detmath.Sum{}
	for i := range a.Contents().Trees {
		s, t := &a.Contents().Trees[i], &b.Contents().Trees[i]
		c.Leaves += s.NumLeaves()
		c.SameSplits = c.SameSplits && slices.Equal(s.Feature, t.Feature) && slices.Equal(s.Code, t.Code) &&
			slices.Equal(s.Categorical, t.Categorical) && slices.Equal(s.MissingLeft, t.MissingLeft) &&
			slices.Equal(s.Left, t.Left) && slices.Equal(s.Right, t.Right) &&
			slices.Equal(s.SetPtrs, t.SetPtrs) && slices.Equal(s.Sets, t.Sets)
		for l, x := range s.Leaf {
			d := x - t.Leaf[l]
			c.MaxLeaf = max(c.MaxLeaf, math.Abs(d))
			squares.AddWeighted(d, d)
		}
		one := products{same: true}
		one.scale(s.Leaf, t.Leaf)
		one.add(s.Leaf, t.Leaf)
		c.CosineByTree = append(c.CosineByTree, one.cosine())
		all.scale(s.Leaf, t.Leaf)
	}
	for i := range a.Contents().Trees {
		all.add(a.Contents().Trees[i].Leaf, b.Contents().Trees[i].Leaf)
	}
	c.Cosine = all.cosine()
	if c.Leaves > 0 {
		c.MSE = squares.Round() / float64(c.Leaves)
	}
	return c, nil
}

// sameShape refuses a model whose trees have other numbers of leaves.
func sameShape(a, b *model.Model) error {
	if a.Outputs() != b.Outputs() {
		return ErrShape{fmt.Sprintf("one has %d outputs, the other %d", a.Outputs(), b.Outputs())}
	}
	if a.NumTrees() != b.NumTrees() {
		return ErrShape{fmt.Sprintf("one has %d trees, the other %d", a.NumTrees(), b.NumTrees())}
	}
	for i := range a.Contents().Trees {
		if n, k := a.Contents().Trees[i].NumLeaves(), b.Contents().Trees[i].NumLeaves(); n != k {
			return ErrShape{fmt.Sprintf("tree %d has %d leaves in one and %d in the other", i, n, k)}
		}
	}
	return nil
}

// sameCuts reports whether the codes of the two models mean the same.
func sameCuts(a, b *model.Model) bool {
	p, q := a.Contents().Cuts, b.Contents().Cuts
	return p == q || slices.Equal(p.Values, q.Values) && slices.Equal(p.Values64, q.Values64) &&
		slices.Equal(p.Ptrs, q.Ptrs) && slices.Equal(p.Ptrs64, q.Ptrs64) &&
		slices.EqualFunc(p.Features, q.Features, func(f, g binning.Feature) bool {
			return f.Name == g.Name && f.Kind == g.Kind && f.Regular == g.Regular && f.Unnamed == g.Unnamed && slices.Equal(f.NameHashes, g.NameHashes) && slices.Equal(f.Codes, g.Codes)
		})
}

// products are the sums that a cosine is made of, exact until they are rounded. Values are taken
// as multiples of powers of two, one for each side, that bring the largest below 1, so that no
// product is too large; those too small for one do not count beside it.
type products struct {
	aa, bb, ab detmath.Sum
	topA, topB float64
	same       bool // all values so far
}

// scale makes room for values that are still to be added.
func (p *products) scale(a, b []float64) {
	p.topA, p.topB = max(p.topA, largest(a)), max(p.topB, largest(b))
	p.same = p.same && slices.Equal(a, b)
}

func (p *products) add(a, b []float64) {
	_, ea := math.Frexp(p.topA)
	_, eb := math.Frexp(p.topB)
	for i := range a {
		x, y := math.Ldexp(a[i], -ea), math.Ldexp(b[i], -eb)
		p.aa.AddWeighted(x, x)
		p.bb.AddWeighted(y, y)
		p.ab.AddWeighted(x, y)
	}
}

func (p *products) cosine() float64 {
	if p.topA == 0 || p.topB == 0 {
		return math.NaN()
	}
	if p.same {
		return 1
	}
	// Both sums of squares lie between ¼ and the number of leaves.
	return min(max(p.ab.Round()/math.Sqrt(p.aa.Round()*p.bb.Round()), -1), 1)
}

func compareData(ctx context.Context, a, b *model.Model, t *dataset.Table, names []string, opts []Option) (*DataComparison, error) {
	if err := sameAnswers(a, b); err != nil {
		return nil, err
	}
	j, err := newJudge(a, t, names, opts)
	if err != nil {
		return nil, err
	}
	defer j.close()
	first, err := j.judge(ctx, a)
	if err != nil {
		return nil, err
	}
	second, err := j.judge(ctx, b)
	if err != nil {
		return nil, err
	}
	d := &DataComparison{Rows: t.NumRows(), MaxRaw: apart(first.raw, second.raw), MaxPrediction: apart(first.values, second.values)}
	for i, m := range j.metrics {
		d.Metrics = append(d.Metrics, MetricChange{m.Name(), m.HigherIsBetter(), first.metrics[i], second.metrics[i]})
	}
	return d, nil
}

// sameAnswers refuses a model whose predictions mean something else.
func sameAnswers(a, b *model.Model) error {
	p, q := a.Contents(), b.Contents()
	if p.Outputs != q.Outputs {
		return ErrShape{fmt.Sprintf("one has %d outputs, the other %d", p.Outputs, q.Outputs)}
	}
	if p.Link != q.Link {
		return ErrShape{fmt.Sprintf("one has link %s, the other %s", p.Link, q.Link)}
	}
	if !slices.Equal(p.Classes, q.Classes) {
		return ErrShape{fmt.Sprintf("the classes of one are %q, those of the other %q", p.Classes, q.Classes)}
	}
	return nil
}

// apart returns the largest |difference|.
func apart(a, b []float64) float64 {
	most := 0.0
	for i, x := range a {
		d := math.Abs(x - b[i])
		switch {
		case x == b[i]:
			d = 0
		case !(d <= math.MaxFloat64):
			d = math.Inf(1)
		}
		most = max(most, d)
	}
	return most
}
