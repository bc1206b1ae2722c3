package sizes

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"boost/benchmarks/peers"
	"boost/booster/model"
	"boost/dataset"
	"boost/ptq"
	"boost/ptq/compress"
	"boost/tree/pack"
)

// Names of the files that the tables compare with.
const (
	LightGBM   = "lightgbm"
	TextFile   = "text"
	BareFile   = "text without statistics"
	bareOnDisk = "lightgbm-bare.txt"
)

// Trainer is a command that trains another program; the flags of a run are added to it.
type Trainer struct {
	Name    string
	Command []string
}

// Plan is what measuring needs.
type Plan struct {
	Trainers []Trainer
	Same     []string // says whether two files of LightGBM's score alike
	Folder   string   // of the set
	Threads  int
	Zstd     Compressor
	Words    io.Writer    // progress
	Save     func() error // keeps the record, after each model
}

// trained is what a trainer prints.
type trained struct {
	Version string            `json:"version"`
	Seconds float64           `json:"seconds"`
	Loss    float64           `json:"loss"`
	Trees   int               `json:"trees"`
	Leaves  int               `json:"leaves"`
	Files   map[string]string `json:"files"`
}

// MeasurePeers trains the other programs that are not in the record yet.
func (s *Set) MeasurePeers(ctx context.Context, p *Plan) error {
	for _, t := range p.Trainers {
		if slices.ContainsFunc(s.Peers, func(peer Peer) bool { return peer.Name == t.Name }) {
			continue
		}
		peer, err := s.peer(ctx, p, t)
		if errors.Is(err, peers.ErrAbsent) {
			fmt.Fprintf(p.Words, "%-20s %s is not installed\n", s.Name, t.Name)
			continue
		}
		if err != nil {
			return fmt.Errorf("%s: %s: %w", s.Name, t.Name, err)
		}
		s.Peers = append(s.Peers, *peer)
		for _, f := range peer.Files {
			fmt.Fprintf(p.Words, "%-20s %-20s %-24s %9d, compressed %9d, %d leaves, loss %.6g\n", s.Name, t.Name, f.Name, f.Bytes, f.Zstd, peer.Leaves, peer.Loss)
		}
		if err := p.Save(); err != nil {
			return err
		}
	}
	return nil
}

func (s *Set) peer(ctx context.Context, p *Plan, t Trainer) (*Peer, error) {
	folder, err := os.MkdirTemp("", "sizes")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(folder) }() // nothing to be done about it
	var run trained
	args := []string{t.Name, "--set", p.Folder, "--out", folder, "--rounds", strconv.Itoa(s.Rounds), "--leaves", strconv.Itoa(s.Leaves), "--threads", strconv.Itoa(p.Threads)}
	if err := execute(ctx, p.Threads, slices.Concat(t.Command, args), &run); err != nil {
		return nil, err
	}
	peer := &Peer{Name: t.Name, Version: run.Version, Seconds: run.Seconds, Loss: run.Loss, Trees: run.Trees, Leaves: run.Leaves}
	for _, name := range sortedKeys(run.Files) {
		b, err := os.ReadFile(filepath.Join(folder, run.Files[name]))
		if err != nil {
			return nil, err
		}
		f, err := p.Zstd.File(ctx, name, b)
		if err != nil {
			return nil, err
		}
		peer.Files = append(peer.Files, f)
		if t.Name == LightGBM && name == TextFile {
			if f, err = p.bare(ctx, folder, run.Files[name], b); err != nil {
				return nil, err
			}
			peer.Files = append(peer.Files, f)
		}
	}
	return peer, nil
}

// bare takes the statistics out of LightGBM's text, and has LightGBM say that what is left
// scores like the whole.
func (p *Plan) bare(ctx context.Context, folder, whole string, text []byte) (File, error) {
	left, err := StripStatistics(text)
	if err != nil {
		return File{}, err
	}
	if err := os.WriteFile(filepath.Join(folder, bareOnDisk), left, 0o666); err != nil {
		return File{}, err
	}
	var verdict struct {
		Rows int
		Same bool
	}
	if err := execute(ctx, p.Threads, slices.Concat(p.Same, []string{whole, bareOnDisk, "--out", folder}), &verdict); err != nil {
		return File{}, err
	}
	if !verdict.Same || verdict.Rows == 0 {
		return File{}, fmt.Errorf("without statistics its text scores %d rows in another way", verdict.Rows)
	}
	return p.Zstd.File(ctx, BareFile, left)
}

func execute(ctx context.Context, threads int, command []string, into any) error {
	out, _, err := peers.Execute(ctx, command, threads)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(out, into); err != nil {
		return fmt.Errorf("it printed %q: %w", out, err)
	}
	return nil
}

func sortedKeys(m map[string]string) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// The losses that models are compressed to.
const (
	Tight = 0.001
	Wide  = 0.005
)

// want is a form of boost's model.
type want struct {
	name     string
	settings compress.Settings
}

// wants are the forms after the full one.
func wants(data *dataset.Table) []want {
	lossless := []compress.Format{{Form: ptq.FormOf(ptq.F64), Calibration: compress.Calibration{By: compress.ByModel}}}
	none := math.NaN()
	return []want{
		{"lossless with statistics", compress.Settings{Formats: lossless, MaxLoss: none, Statistics: true}},
		{"lossless", compress.Settings{Formats: lossless, MaxLoss: none}},
		{"Q4_0, no data", compress.Settings{Formats: []compress.Format{{Form: ptq.FormQ4_0}}, MaxLoss: none}},
		{"≤ 0.1 %", compress.Settings{MaxLoss: Tight, Data: data, Prune: compress.PruneOff}},
		{"≤ 0.5 %", compress.Settings{MaxLoss: Wide, Data: data, Prune: compress.PruneOff}},
		{"≤ 0.1 %, pruning tried", compress.Settings{MaxLoss: Tight, Data: data}},
		{"≤ 0.5 %, pruning tried", compress.Settings{MaxLoss: Wide, Data: data}},
	}
}

// MeasureOurs makes the forms of a model that are not in the record yet; data are rows that it
// was not trained on.
func (s *Set) MeasureOurs(ctx context.Context, p *Plan, m *model.Model, data *dataset.Table) error {
	if len(s.Ours) == 0 {
		full, err := formOf(ctx, p, "full", m)
		if err != nil {
			return err
		}
		if err := s.keep(p, full); err != nil {
			return err
		}
	}
	all := wants(data)
	for _, w := range all[len(s.Ours)-1:] {
		f, err := w.form(ctx, p, m)
		if err != nil {
			return fmt.Errorf("%s: %s: %w", s.Name, w.name, err)
		}
		if err := s.keep(p, f); err != nil {
			return err
		}
	}
	s.Done = true
	return p.Save()
}

func (s *Set) keep(p *Plan, f *Form) error {
	s.Ours = append(s.Ours, *f)
	fmt.Fprintf(p.Words, "%-20s %-24s %9d, compressed %9d, %d leaves, %.1f s %s %s\n", s.Name, f.Name, f.File.Bytes, f.File.Zstd, f.Leaves, f.Seconds, f.Format, f.Short)
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
		return &Form{Name: w.name, MaxLoss: bound, Seconds: seconds, Short: budget.Text}, nil
	}
	if err != nil {
		return nil, err
	}
	f, err := formOf(ctx, p, w.name, r.Model)
	if err != nil {
		return nil, err
	}
	f.MaxLoss, f.Seconds = bound, seconds
	for i := range r.Candidates {
		if r.Candidates[i].Chosen {
			f.Format, f.Pruned = r.Candidates[i].Name(), r.Candidates[i].Kept < 1
		}
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
	c := m.Contents().Narrow()
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
