package sizes

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"boost/benchmarks/harness"
)

// Names of the files that the tables compare with.
const (
	LightGBM = "lightgbm"
	TextFile = "text"
)

// Trainer is a command that trains another program; the flags of a run are added to it.
type Trainer struct {
	Name    string
	Command []string
}

// Plan is what measuring needs.
type Plan struct {
	Trainers []Trainer
	Folder   string // of the set
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
		if errors.Is(err, harness.ErrAbsent) {
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
	if _, err := (harness.Process{Command: slices.Concat(t.Command, args), Threads: p.Threads}).Run(ctx, &run); err != nil {
		return nil, err
	}
	peer := &Peer{Name: t.Name, Version: run.Version, Seconds: run.Seconds, Loss: run.Loss, Trees: run.Trees, Leaves: run.Leaves}
	for _, name := range slices.Sorted(maps.Keys(run.Files)) {
		b, err := os.ReadFile(filepath.Join(folder, run.Files[name]))
		if err != nil {
			return nil, err
		}
		f, err := p.Zstd.File(ctx, name, b)
		if err != nil {
			return nil, err
		}
		peer.Files = append(peer.Files, f)
	}
	return peer, nil
}
