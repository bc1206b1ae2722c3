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

// want is a form of boost's model.
type want struct {
	name     string
	pruned   bool
	settings compress.Settings
}

const fullForm = "full"

// wants are the forms after the full one.
func wants(data *dataset.Table) []want {
	none := math.NaN()
	all := []want{
		{name: "lossless", settings: compress.Settings{Formats: lossless, MaxLoss: none}},
		{name: "Q4_0, no data", settings: compress.Settings{Formats: []compress.Format{{Form: ptq.FormQ4_0}}, MaxLoss: none}},
	}
	for _, pruned := range []bool{false, true} {
		for _, bound := range []float64{Tight, Wide} {
			w := want{boundName(bound, pruned), pruned, compress.Settings{MaxLoss: bound, Data: data, Prune: compress.PruneOff}}
			if pruned {
				w.settings.Prune = compress.PruneAuto
			}
			all = append(all, w)
		}
	}
	return all
}

var lossless = []compress.Format{{Form: ptq.FormOf(ptq.F64), Calibration: compress.Calibration{By: compress.ByModel}}}

// boundName names the form of a model that keeps a bound.
func boundName(bound float64, pruned bool) string {
	name := fmt.Sprintf("≤ %g %%", 100*bound)
	if pruned {
		name += ", pruned"
	}
	return name
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

// MeasureOurs makes all forms of boost's model. No model was trained on the rows of data.
func (s *Set) MeasureOurs(ctx context.Context, p *Plan, full *model.Model, data *dataset.Table) error {
	s.Ours = nil
	f, err := formOf(ctx, p, fullForm, full)
	if err != nil {
		return err
	}
	if err := s.keep(p, f); err != nil {
		return err
	}
	for _, w := range wants(data) {
		f, err := w.form(ctx, p, full)
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

func (w want) form(ctx context.Context, p *Plan, m *model.Model) (*Form, error) {
	bound := max(w.settings.MaxLoss, 0)
	if math.IsNaN(bound) {
		bound = 0
	}
	began := time.Now()
	r, err := compress.Quantize(ctx, m, w.settings)
	seconds := time.Since(began).Seconds()
	if budget := (compress.ErrBudget{}); errors.As(err, &budget) {
		return &Form{Name: w.name, MaxLoss: bound, Pruned: w.pruned, Seconds: seconds, Short: budget.Text}, nil
	}
	if err != nil {
		return nil, err
	}
	f, err := formOf(ctx, p, w.name, r.Model)
	if err != nil {
		return nil, err
	}
	f.MaxLoss, f.Pruned, f.Seconds = bound, w.pruned, seconds
	if chosen := r.Chosen(); chosen != nil {
		f.Format, f.Merged = chosen.Name(), chosen.Merged
	}
	if c := &r.Certificate; c.Method == compress.ByBootstrap {
		f.Certified = &Certified{Rows: c.Rows, Metric: c.Metric, Before: c.Before, After: c.After, Bound: c.LossBound, Confidence: c.Confidence}
	}
	return f, nil
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
	c := m.Contents().Narrow(model.KnownNames)
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
