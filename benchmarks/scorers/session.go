package scorers

import (
	"context"
	"fmt"
	"io"
	"time"

	"boost/benchmarks/harness"
)

// Session is one measurement of all shapes.
type Session struct {
	Machine harness.Machine `json:"machine"`
	Command string          `json:"command"`
	Turns   int             `json:"turns"`
	Runs    []Measured      `json:"runs"` // in the order they ran
	Missing []Missing       `json:"missing,omitempty"`
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

// Plan is what a measurement needs beside its session.
type Plan struct {
	Contenders []Contender
	Shapes     []Shape
	Places     map[Shape]Place
	Limit      time.Duration // for preparing a model, and for a run
	Words      io.Writer     // progress
}

// Measure fills the session. All contenders of a shape take turns, so
// that a slow minute of the machine hits all alike. Peers wait passively and actively in turn. One that fails is named and left out.
func (s *Session) Measure(ctx context.Context, p *Plan) error {
	for _, shape := range p.Shapes {
		prepared := map[string]bool{}
		for turn := 1; turn <= s.Turns; turn++ {
			for _, c := range p.Contenders {
				if !c.takes(shape) || s.missing(shape, c.Name) != "" {
					continue
				}
				if err := s.run(ctx, p, c, shape, turn, prepared); err != nil {
					return err
				}
			}
		}
	}
	return nil
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
	return nil
}

// perRow returns the nanoseconds of a row in a batch, 0 where there was none.
func (r *Run) perRow() float64 { return r.Seconds * 1e9 / float64(r.Rows) }

// missing returns why a library gave no figure for a shape, "" where it may.
func (s *Session) missing(shape Shape, name string) string {
	for _, m := range s.Missing {
		if m.Shape == shape && m.Contender == name {
			return m.Why
		}
	}
	return ""
}
