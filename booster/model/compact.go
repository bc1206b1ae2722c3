package model

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"sync"
	"weak"

	"boost/booster/model/internal/format"
	"boost/booster/model/internal/infer"
	"boost/dataset"
	"boost/internal/cpu"
	"boost/internal/heapsize"
	"boost/internal/kernel/predict"
	"boost/objectives"
	"boost/objectives/metrics"
	"boost/tree"
)

// ErrNotCompressed means that a model cannot be a Compact: its trees are not packed.
var ErrNotCompressed = errors.New("the model is a full one, and only compressed models can be loaded as compact ones: load it as any other, or compress it first")

// Compact is a compressed model whose trees stay packed: a prediction reads them one at a time,
// and takes thousands of rows through each before it forgets it. What it predicts equals what
// the Model of the same file predicts, bit for bit.
//
// It keeps at most twice the bytes of the file and 1 MiB; Memory says how much. What it works
// with is shared by predictions and let go by the garbage collector when there are none: for
// each thread up to 4 MiB of rows, up to 1 MiB and 30 bytes for each level of the trees'
// reader, and up to 4,096 split nodes and one tree more, of some 100 bytes each. Where
// dictionaries are so long that they would break the bound, they stay packed too, and the
// first prediction after a garbage collection unpacks them: see Hold.
//
// It is immutable and safe for concurrent use.
type Compact struct {
	trees *infer.Packed // they are part of file where that is there
	used  []int         // features that trees split on
	folds int           // see Averaged
	whole Ensembles     // see Ensembles

	// One of both is there.
	kept *infer.Head
	file []byte

	opening sync.Mutex
	opened  weak.Pointer[infer.Head] // of file
}

// LoadCompact is Load for a compressed model that is to take little memory. A full one is an
// error that wraps ErrNotCompressed.
func LoadCompact(path string) (*Compact, error) { return loadAs(path, DecodeCompact) }

// What a Compact may keep, beside twice the bytes of its file; and what of that is left to the
// allocator, which rounds sizes up.
const (
	compactRoom  = 1 << 20
	compactSlack = 64 << 10
)

// DecodeCompact makes a Compact of the bytes of a file. It checks all that Decode does, for
// which it unpacks all trees once, and does not keep data. Every error wraps ErrModel, that
// about a full model ErrNotCompressed too.
func DecodeCompact(data []byte) (*Compact, error) { return decodeCompact(data, predict.Best()) }

func decodeCompact(data []byte, set cpu.Level) (*Compact, error) {
	if format.MayBeText(data) {
		return nil, format.Errorf("%w", ErrNotCompressed)
	}
	h, text, err := format.OpenContainer(data)
	if err != nil {
		return nil, err
	}
	if h.Version != format.CompressedVersion {
		return nil, format.Errorf("%w", ErrNotCompressed)
	}
	contents, err := format.DecodeContents(data, h, text)
	if err != nil {
		return nil, err
	}
	if slices.ContainsFunc(contents.Trees, func(t tree.Tree) bool { return t.Linear != nil }) {
		return nil, format.Errorf("linear leaves (tree.linear) are not read one tree at a time: load the model as any other: %w", ErrNotCompressed)
	}
	sections, err := format.PackedSections(data, h, text)
	if err != nil {
		return nil, err
	}
	c := &Compact{used: infer.UsedFeatures(contents), folds: contents.Averaged(), whole: contents.Ensembles()}
	count, features := len(contents.Trees), Features(contents.Cuts)
	structure := sections[format.StructureSection]
	contents.Trees = nil
	kept := compactHead(contents, c.used)
	if heapsize.Of(kept)*9/8+int64(len(structure))+compactSlack <= int64(2*len(data)+compactRoom) {
		c.kept, structure = kept, slices.Clone(structure)
	} else {
		c.file = slices.Clone(data)
		if sections, err = format.PackedSections(c.file, h, text); err != nil {
			return nil, err
		}
		structure = sections[format.StructureSection]
	}
	c.trees = infer.NewPacked(structure, count, features, contents.Outputs, set)
	return c, nil
}

// compactHead returns the head of contents without trees, and without what no prediction needs.
func compactHead(c *Contents, used []int) *infer.Head {
	cuts := *c.Cuts
	cuts.Values, cuts.Values64 = slices.Clone(cuts.Values), slices.Clone(cuts.Values64)
	h := infer.NewHead(&Contents{
		Objective: c.Objective, Link: c.Link, Outputs: c.Outputs, BaseScore: c.BaseScore,
		Classes: c.Classes, NumericClasses: c.NumericClasses,
		Schema: dataset.Schema{Columns: slices.Clone(c.Schema.Columns), Written: c.Schema.Written}, Cuts: &cuts,
		Params: c.LossParams(), BestRound: c.BestRound, Compression: c.Compression, Trust: c.Trust,
	}, used)
	return &h
}

// head returns all but the trees, and unpacks it where that is not kept.
func (c *Compact) head() *infer.Head {
	if c.kept != nil {
		return c.kept
	}
	c.opening.Lock()
	defer c.opening.Unlock()
	if h := c.opened.Value(); h != nil {
		return h
	}
	h, err := c.unpack()
	if err != nil {
		panic("model: a file that was checked: " + err.Error())
	}
	c.opened = weak.Make(h)
	return h
}

// unpack reads all but the trees from the file.
func (c *Compact) unpack() (*infer.Head, error) {
	h, text, err := format.OpenContainer(c.file)
	if err != nil {
		return nil, err
	}
	packed, err := format.OpenPacked(c.file, h, text)
	if err != nil {
		return nil, err
	}
	contents := &packed.Contents
	if contents.Compression, err = format.Restore(packed.Entry, packed.Sections, c.trees.LeafCounts(), c.trees.Outputs()); err != nil {
		return nil, err
	}
	return compactHead(contents, c.used), nil
}

// Hold keeps unpacked what a prediction needs beside the trees until release is called: of use
// between many predictions where dictionaries are long.
func (c *Compact) Hold() (release func()) {
	h := c.head()
	return func() { runtime.KeepAlive(h) }
}

// Predict is Model.Predict. EarlyStop is an error, here and below.
func (c *Compact) Predict(ctx context.Context, t *dataset.Table, opts ...Option) ([]float64, error) {
	return c.predictor().Predict(ctx, t, opts...)
}

// PredictRaw is Model.PredictRaw.
func (c *Compact) PredictRaw(ctx context.Context, t *dataset.Table, opts ...Option) ([]float64, error) {
	return c.predictor().PredictRaw(ctx, t, opts...)
}

// PredictClass is Model.PredictClass.
func (c *Compact) PredictClass(ctx context.Context, t *dataset.Table, opts ...Option) ([]int32, error) {
	return c.predictor().PredictClass(ctx, t, opts...)
}

// PredictLeaf is Model.PredictLeaf.
func (c *Compact) PredictLeaf(ctx context.Context, t *dataset.Table, opts ...Option) ([]int32, error) {
	return c.predictor().PredictLeaf(ctx, t, opts...)
}

func (c *Compact) predictor() infer.Predictor { return c.trees.Predictor(c.head()) }

// Unseen is Model.Unseen.
func (c *Compact) Unseen(t *dataset.Table) ([]Unseen, error) { return c.head().Unseen(t) }

// Unlisted is Model.Unlisted.
func (c *Compact) Unlisted() []string { return c.head().Unlisted() }

// LacksInitScores is Model.LacksInitScores.
func (c *Compact) LacksInitScores(t *dataset.Table) bool { return c.head().LacksInitScores(t) }

// Schema is Model.Schema.
func (c *Compact) Schema() dataset.Schema { return c.head().Contents().Schema }

// Objective is Model.Objective.
func (c *Compact) Objective() string { return c.head().Contents().Objective }

// DefaultMetrics is Model.DefaultMetrics.
func (c *Compact) DefaultMetrics() ([]string, error) { return c.head().Contents().DefaultMetrics() }

// MetricInput is Model.MetricInput.
func (c *Compact) MetricInput(t *dataset.Table, names []string) (metrics.Input, error) {
	return c.head().Contents().MetricInput(t, names)
}

// Link is Model.Link.
func (c *Compact) Link() objectives.Link { return c.head().Contents().Link }

// Outputs is Model.Outputs.
func (c *Compact) Outputs() int { return c.trees.Outputs() }

// Classes is Model.Classes.
func (c *Compact) Classes() []string { return c.head().Contents().Classes }

// Labels is Model.Labels.
func (c *Compact) Labels() []string { return c.head().Contents().Labels() }

// OutputNames is Model.OutputNames.
func (c *Compact) OutputNames() []string { return c.head().Contents().OutputNames() }

// NumericClasses is Model.NumericClasses.
func (c *Compact) NumericClasses() bool { return c.head().Contents().NumericClasses }

// Rounds is Model.Rounds.
func (c *Compact) Rounds() int { return c.trees.NumTrees() / c.trees.Outputs() }

// Averaged is Model.Averaged.
func (c *Compact) Averaged() int { return c.folds }

// Ensembles is Model.Ensembles.
func (c *Compact) Ensembles() Ensembles { return c.whole }

// NumTrees is Model.NumTrees.
func (c *Compact) NumTrees() int { return c.trees.NumTrees() }

// Memory returns how many bytes the model keeps between predictions, a sum over all that it
// consists of. What the allocator rounds up is not in it.
func (c *Compact) Memory() int64 { return heapsize.Of(c) }

// Memory returns how many bytes the model keeps once batches were predicted, a sum over all that
// it consists of. What the allocator rounds up is not in it, nor what PredictValues, PredictRow and
// LevelIndex make for themselves.
func (m *Model) Memory() int64 {
	m.engine.Prepare()
	return heapsize.Of(&struct {
		*Contents
		*infer.Engine
	}{m.contents, m.engine})
}
