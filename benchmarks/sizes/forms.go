package sizes

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"time"

	"boost/booster/model"
	"boost/dataset"
	"boost/ptq"
	"boost/ptq/compress"
	"boost/tree/pack"
)

// The losses that models are compressed to.
const (
	Tight = 0.001
	Wide  = 0.005
)

// Small is a model that was trained for size.
type Small struct {
	Reuse float64 // tree.reuse_cut
	Model *model.Model
}

// Models are boost's models of a set.
type Models struct {
	Full *model.Model
	// Small trains those that are trained for size. It is called where they are needed.
	Small func(context.Context) ([]Small, error)
	// Data are rows that no model was trained on.
	Data *dataset.Table
}

// want is a form of boost's model.
type want struct {
	name            string
	pruned, forSize bool
	settings        compress.Settings
}

const fullForm = "full"

// ways are those to a small model, in the order of the tables.
var ways = []struct{ pruned, forSize bool }{{false, false}, {true, false}, {false, true}, {true, true}} // the first quantizes alone

// wants are the forms after the full one.
func (p *Plan) wants(data *dataset.Table) []want {
	none := math.NaN()
	all := []want{
		{name: "lossless with statistics", settings: compress.Settings{Formats: lossless, MaxLoss: none, Statistics: true}},
		{name: "lossless", settings: compress.Settings{Formats: lossless, MaxLoss: none}},
		{name: "Q4_0, no data", settings: compress.Settings{Formats: []compress.Format{{Form: ptq.FormQ4_0}}, MaxLoss: none}},
	}
	for _, way := range ways {
		if way.pruned && !p.Pruned || way.forSize && !p.ForSize {
			continue
		}
		for _, bound := range []float64{Tight, Wide} {
			w := want{boundName(bound, way.pruned, way.forSize), way.pruned, way.forSize, compress.Settings{MaxLoss: bound, Data: data}}
			w.settings.Prune = compress.PruneOff
			if way.pruned {
				w.settings.Prune = compress.PruneAuto
			}
			all = append(all, w)
		}
	}
	return all
}

var lossless = []compress.Format{{Form: ptq.FormOf(ptq.F64), Calibration: compress.Calibration{By: compress.ByModel}}}

// boundName names the form of a model that keeps a bound.
func boundName(bound float64, pruned, forSize bool) string {
	name := fmt.Sprintf("≤ %g %%", 100*bound)
	if forSize {
		name += ", for size"
	}
	if pruned {
		name += ", pruned"
	}
	return name
}

// Complete reports whether everything that a plan asks for is in the record.
func (s *Set) Complete(p *Plan) bool {
	for _, w := range p.wants(nil) {
		if s.form(w.name) == nil {
			return false
		}
	}
	return s.form(fullForm) != nil
}

// form returns the form of that name, nil if it is not in the record.
func (s *Set) form(name string) *Form {
	for i := range s.Ours {
		if s.Ours[i].Name == name {
			return &s.Ours[i]
		}
	}
	return nil
}

// MeasureOurs makes the forms that are not in the record yet.
func (s *Set) MeasureOurs(ctx context.Context, p *Plan, m Models) error {
	if s.form(fullForm) == nil {
		full, err := formOf(ctx, p, fullForm, m.Full)
		if err != nil {
			return err
		}
		if err := s.keep(p, full); err != nil {
			return err
		}
	}
	var smalls []Small
	for _, w := range p.wants(m.Data) {
		if s.form(w.name) != nil {
			continue
		}
		var f *Form
		var err error
		if w.forSize {
			if smalls == nil {
				if smalls, err = m.Small(ctx); err != nil {
					return fmt.Errorf("%s: training for size: %w", s.Name, err)
				}
			}
			w.settings.Reference = m.Full
			f, err = s.smallForm(ctx, p, w, smalls)
		} else {
			f, err = w.form(ctx, p, m.Full)
		}
		if err != nil {
			return fmt.Errorf("%s: %s: %w", s.Name, w.name, err)
		}
		if err := s.keep(p, f); err != nil {
			return err
		}
	}
	return nil
}

func (s *Set) keep(p *Plan, f *Form) error {
	f.Commit = s.Commit
	s.Ours = append(s.Ours, *f)
	fmt.Fprintf(p.Words, "%-20s %-24s %9d, compressed %9d, %d of %d leaves, %.1f s %s %s\n", s.Name, f.Name, f.File.Bytes, f.File.Zstd, f.Leaves, f.Whole(), f.Seconds, f.Format, f.Short)
	return p.Save()
}

// smallForm compresses the model that was trained for size whose file is the smallest on the
// rows of the search: those that certify have no part in the choice. A pruned one is that of
// the model which was chosen without.
func (s *Set) smallForm(ctx context.Context, p *Plan, w want, smalls []Small) (*Form, error) {
	if w.pruned {
		chosen := s.form(boundName(w.settings.MaxLoss, false, true))
		if chosen != nil && chosen.Short != "" {
			return &Form{Name: w.name, MaxLoss: chosen.MaxLoss, Pruned: true, ForSize: true, Short: chosen.Short}, nil
		}
		for _, small := range smalls {
			if chosen != nil && small.Reuse == chosen.Reuse {
				return w.ofSmall(ctx, p, small)
			}
		}
		return nil, errors.New("the model that was chosen without pruning is none of those that were trained")
	}
	began := time.Now()
	var best *Form
	least, nearest := int64(math.MaxInt64), math.Inf(1)
	for _, small := range smalls {
		// A model that loses too much with exact leaves is not tried with others.
		bound, err := w.boundOf(ctx, small.Model)
		if err != nil {
			return nil, err
		}
		nearest = min(nearest, bound)
		if bound > w.settings.MaxLoss {
			continue
		}
		f, err := w.ofSmall(ctx, p, small)
		if err != nil {
			return nil, err
		}
		if f.search > 0 && f.search < least {
			best, least = f, f.search
		}
	}
	if best == nil {
		best = &Form{
			Name: w.name, MaxLoss: w.settings.MaxLoss, ForSize: true, Nearest: nearest,
			Short: fmt.Sprintf("that which loses least with exact leaves loses up to %.3g %%", 100*nearest),
		}
	}
	best.Seconds = time.Since(began).Seconds()
	return best, nil
}

// boundOf returns the bound of a model's loss with exact leaves, on the rows of the search.
func (w want) boundOf(ctx context.Context, m *model.Model) (float64, error) {
	s := w.settings
	s.Formats, s.MaxLoss, s.Prune = lossless, math.NaN(), compress.PruneOff
	r, err := compress.Quantize(ctx, m, s)
	if err != nil {
		return 0, err
	}
	return r.Candidates[0].Bound, nil
}

func (w want) ofSmall(ctx context.Context, p *Plan, small Small) (*Form, error) {
	f, err := w.form(ctx, p, small.Model)
	if err != nil {
		return nil, err
	}
	f.ForSize, f.Reuse = true, small.Reuse
	return f, nil
}

func (w want) form(ctx context.Context, p *Plan, m *model.Model) (*Form, error) {
	bound := max(w.settings.MaxLoss, 0)
	if math.IsNaN(bound) {
		bound = 0
	}
	began := time.Now()
	r, err := compress.Quantize(ctx, m, w.settings)
	seconds := time.Since(began).Seconds()
	if budget := (compress.ErrBudget{}); errors.As(err, &budget) {
		return &Form{Name: w.name, MaxLoss: bound, Pruned: w.pruned, Seconds: seconds, Short: budget.Text, search: least(budget.Candidates, bound)}, nil
	}
	if err != nil {
		return nil, err
	}
	f, err := formOf(ctx, p, w.name, r.Model)
	if err != nil {
		return nil, err
	}
	f.MaxLoss, f.Pruned, f.Seconds, f.search = bound, w.pruned, seconds, least(r.Candidates, bound)
	if chosen := r.Chosen(); chosen != nil {
		f.Format, f.Merged = chosen.Name(), chosen.Merged
	}
	if c := &r.Certificate; c.Method == compress.ByBootstrap {
		f.Certified = &Certified{Rows: c.Rows, Metric: c.Metric, Before: c.Before, After: c.After, Bound: c.LossBound, Confidence: c.Confidence}
	}
	return f, nil
}

// least returns the bytes of the smallest candidate that keeps a bound on the rows of the
// search, 0 if none does.
func least(candidates []compress.Candidate, bound float64) int64 {
	for i := range candidates { // by size
		if candidates[i].Bound <= bound {
			return candidates[i].Bytes
		}
	}
	return 0
}

// formOf measures the file of a model.
func formOf(ctx context.Context, p *Plan, name string, m *model.Model) (*Form, error) {
	file, err := m.Encode()
	if err != nil {
		return nil, err
	}
	f := &Form{Name: name}
	if f.File, err = p.Zstd.File(ctx, "boost", file); err != nil {
		return nil, err
	}
	d, err := m.Describe()
	if err != nil {
		return nil, err
	}
	f.Parts = partsOf(d, int64(binary.LittleEndian.Uint64(file[16:]))) // length of the manifest: docs/format.md
	f.Leaves, f.Nodes = d.Leaves, d.Splits
	c := m.Contents().Narrow(model.NameKnown)
	sizes := pack.Measure(c.Trees, model.Features(c.Cuts), c.Outputs)
	if f.Nodes > 0 {
		f.NodeBytes, f.SetBytes = (float64(sizes.Total)-sizes.Sets)/float64(f.Nodes), sizes.Sets/float64(f.Nodes)
	}
	return f, nil
}

// partsOf sorts the sections of a file. The manifest of a full model says what it is, that of a
// compressed one has the section table only.
func partsOf(d *model.Description, manifest int64) Parts {
	var p Parts
	known := int64(0)
	for _, s := range d.Sections {
		n := int64(s.Bytes)
		known += n
		switch s.Name {
		case "structure":
			p.Structure += n
		case "leaves", "packed_leaves", "scales":
			p.Leaves += n
		case "cuts":
			p.Cuts += n
		case "dictionaries":
			p.Dictionaries += n
		case "statistics":
			p.Statistics += n
		default:
			p.About += n
		}
	}
	if d.Format == model.FormatVersion {
		p.About += manifest
		known += manifest
	}
	p.Container = int64(d.Bytes) - known
	return p
}
