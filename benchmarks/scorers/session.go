package scorers

import (
	"context"
	"fmt"
	"io"
	"time"

	"boost/benchmarks/harness"
)

// Session is one measurement of all shapes. It is saved after each run, so that an
// interrupted one can be taken up again.
type Session struct {
	Machine harness.Machine `json:"machine"`
	Build   string          `json:"build"` // tells boost's program apart: only the same one goes on with a session
	Command string          `json:"command"`
	Turns   int             `json:"turns"`
	Runs    []Measured      `json:"runs"` // in the order they ran
	Missing []Missing       `json:"missing,omitempty"`
	Done    bool            `json:"done"`
}

// Measured is one run within a session.
type Measured struct {
	Shape     Shape  `json:"shape"`
	Contender string `json:"contender"`
	Turn      int    `json:"turn"` // from 1
	Run       Run    `json:"figures"`
}

// Missing is a library that gave no figure for a shape.
type Missing struct {
	Shape     Shape  `json:"shape"`
	Contender string `json:"contender"`
	Why       string `json:"why"`
}

// History is the sessions, oldest first, as kept in a file.
type History struct {
	path     string
	Sessions []*Session `json:"sessions"`
}

// Open reads the sessions in the file at path; one that is not there holds none.
func Open(path string) (*History, error) {
	h := &History{path: path}
	err := harness.Read(path, h)
	return h, err
}

// Begin returns the session to go on with: the last one, if it was interrupted, and the
// program and the machine are still the same; else fresh, which is added in its place.
func (h *History) Begin(fresh *Session, anew bool) (s *Session, resumed bool) {
	if n := len(h.Sessions); n > 0 && !h.Sessions[n-1].Done {
		last := h.Sessions[n-1]
		if !anew && last.Build == fresh.Build && last.Turns == fresh.Turns && fresh.Machine.Same(last.Machine) {
			return last, true
		}
		h.Sessions = h.Sessions[:n-1]
	}
	h.Sessions = append(h.Sessions, fresh)
	return fresh, false
}

// Save writes the sessions; a program that is ended meanwhile leaves the file of before.
func (h *History) Save() error { return harness.Write(h.path, h) }

// Plan is what a measurement needs beside its session.
type Plan struct {
	Contenders []Contender
	Shapes     []Shape
	Places     map[Shape]Place
	Limit      time.Duration // for preparing a model, and for a run
	Words      io.Writer     // progress
	Save       func() error  // keeps the session, after each run
}

// Measure goes on with a session until it is done. All contenders of a shape take turns, so
// that a slow minute of the machine hits all alike. Peers wait passively and actively in turn. One that fails is named and left out.
func (s *Session) Measure(ctx context.Context, p *Plan) error {
	for _, shape := range p.Shapes {
		prepared := map[string]bool{}
		for turn := 1; turn <= s.Turns; turn++ {
			for _, c := range p.Contenders {
				if !c.takes(shape) || s.ran(shape, c.Name, turn) || s.missing(shape, c.Name) != "" {
					continue
				}
				if err := s.run(ctx, p, c, shape, turn, prepared); err != nil {
					return err
				}
			}
		}
	}
	s.Done = true
	return p.Save()
}

func (s *Session) run(ctx context.Context, p *Plan, c Contender, shape Shape, turn int, prepared map[string]bool) error {
	var run Run
	var err error
	if !prepared[c.Name] {
		_, err = c.start(ctx, Prepare, "", shape, p.Places[shape], p.Limit)
		prepared[c.Name] = true
	}
	if err == nil {
		load := harness.LoadAverage()
		run, err = c.start(ctx, Score, harness.WaitOf(turn-1), shape, p.Places[shape], p.Limit)
		run.LoadMean = load
	}
	switch {
	case err == nil:
		s.Runs = append(s.Runs, Measured{shape, c.Name, turn, run})
		fmt.Fprintf(p.Words, "%-12s turn %d  %-14s %9.1f ns a row, single rows %.0f and %.0f ns\n", shape, turn, c.Name, run.perRow(), run.Warm.P50, run.Warm.P99)
	case ctx.Err() != nil, c.Name == Boost, c.Name == BoostMatrix:
		return fmt.Errorf("%s, %s: %w", shape, c.Name, err)
	default:
		why := harness.Reason(err)
		s.Missing = append(s.Missing, Missing{shape, c.Name, why})
		fmt.Fprintf(p.Words, "%-12s turn %d  %-14s %s\n", shape, turn, c.Name, why)
	}
	return p.Save()
}

// perRow returns the nanoseconds of a row in a batch, 0 where there was none.
func (r *Run) perRow() float64 { return r.Seconds * 1e9 / float64(r.Rows) }

func (s *Session) ran(shape Shape, name string, turn int) bool {
	for i := range s.Runs {
		if m := &s.Runs[i]; m.Shape == shape && m.Contender == name && m.Turn == turn {
			return true
		}
	}
	return false
}

// missing returns why a library gave no figure for a shape, "" where it may.
func (s *Session) missing(shape Shape, name string) string {
	for _, m := range s.Missing {
		if m.Shape == shape && m.Contender == name {
			return m.Why
		}
	}
	return ""
}
