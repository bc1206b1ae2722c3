package real

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"boost/benchmarks/peers"
)

// busy is how much slower than the session's best calibration the machine may be in a turn that
// counts.
const busy = 1.1

// moreTurns is how many turns are added at most for such as were busy.
const moreTurns = 2

// near is how much slower than a trainer's best way one may be to go on after the first turn.
const near = 1.4

// Plan is what measuring a table needs.
type Plan struct {
	Commands  Commands
	Threads   []int // numbers of threads, all processors first
	Folder    string
	Patience  time.Duration // for one process
	Calibrate func() Calibration
	Pause     func() // waits for a quieter moment
	Words     io.Writer
	Save      func() error // keeps the record, after each turn
}

// Measure takes turns on a table until as many as wanted were quiet, or moreTurns more were taken.
func (r *Record) Measure(ctx context.Context, result *Result, p *Plan) error {
	if result.Done {
		return nil
	}
	best := r.best().best(result.Best)
	for result.quiet() < result.Wanted && len(result.Turns) < result.Wanted+moreTurns {
		turn := Turn{Before: p.quietMoment(&best)}
		if err := result.turn(ctx, p, &turn); err != nil {
			return err
		}
		turn.After = p.Calibrate()
		best = best.best(turn.After)
		result.Best = best
		result.Turns = append(result.Turns, turn)
		fmt.Fprintf(p.Words, "%-20s turn %d  machine × %.2f of its best time\n", result.Name, len(result.Turns), turn.slower(best))
		r.put(result)
		if err := p.Save(); err != nil {
			return err
		}
	}
	result.Done = true
	return p.Save()
}

// quietMoment calibrates until the machine is quiet, a few times at most, and returns the last.
func (p *Plan) quietMoment(best *Calibration) Calibration {
	const tries = 5
	for try := 1; ; try++ {
		c := p.Calibrate()
		*best = best.best(c)
		if c.slower(*best) <= busy || try == tries {
			return c
		}
		p.Pause()
	}
}

// slower returns by what factor the machine was slower than the best in a turn.
func (t *Turn) slower(best Calibration) float64 {
	return max(t.Before.slower(best), t.After.slower(best))
}

// quiet returns how many turns were.
func (s *Result) quiet() int {
	n := 0
	for i := range s.Turns {
		if s.Turns[i].slower(s.Best) <= busy {
			n++
		}
	}
	return n
}

// turn runs all trainers: boost before each peer, so that a drift of the machine hits all alike.
func (s *Result) turn(ctx context.Context, p *Plan, turn *Turn) error {
	for _, threads := range p.Threads {
		for _, trainer := range []string{Boost, LightGBM, Boost, XGBoost} {
			for _, wait := range waitsOf(trainer) {
				if err := s.run(ctx, p, turn, trainer, threads, wait); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// run runs a trainer in those of its ways that go on. A peer that fails is named and left out.
func (s *Result) run(ctx context.Context, p *Plan, turn *Turn, trainer string, threads int, wait string) error {
	ways := s.goOn(trainer, threads, wait)
	if len(ways) == 0 || s.missing(trainer, threads, wait) {
		return nil
	}
	known := s.least(trainer, threads)
	for _, before := range turn.Runs {
		if before.Trainer == trainer && before.Threads == threads {
			if way, seconds := before.Process.fastest(); way != "" && (known == 0 || seconds < known) {
				known = seconds
			}
		}
	}
	run, err := p.Commands.start(ctx, s.Settings, p.Folder, trainer, threads, wait, ways, known, p.Patience)
	switch {
	case err == nil:
		turn.Runs = append(turn.Runs, run)
		way, seconds := run.Process.fastest()
		fmt.Fprintf(p.Words, "%-20s turn %d  %-8s %d threads %-7s %8.3f s %s\n", s.Name, len(s.Turns)+1, trainer, threads, wait, seconds, way)
		if trainer == Boost {
			s.Rows, s.Columns = run.Process.Rows, run.Process.Columns
		}
		return nil
	case ctx.Err() != nil, trainer == Boost:
		return err
	}
	why := reason(err)
	s.Missing = append(s.Missing, Missing{trainer, threads, wait, why})
	fmt.Fprintf(p.Words, "%-20s %s, %d threads, %s: %s\n", s.Name, trainer, threads, wait, why)
	return nil
}

// reason is a short one for a table: of what Python says, the line of the error.
func reason(err error) string {
	if errors.Is(err, peers.ErrAbsent) {
		return peers.ErrAbsent.Error()
	}
	lines := strings.Split(strings.TrimSpace(err.Error()), "\n")
	for _, line := range slices.Backward(lines) {
		if strings.Contains(line, "Error: ") {
			return line
		}
	}
	return lines[len(lines)-1]
}

func (s *Result) missing(trainer string, threads int, wait string) bool {
	return slices.ContainsFunc(s.Missing, func(m Missing) bool { return m.Trainer == trainer && m.Threads == threads && m.Wait == wait })
}

// fastest returns the way of the least seconds, "" where all were left out.
func (p *Process) fastest() (way string, seconds float64) {
	for _, w := range p.Ways {
		if !w.LeftOut && (way == "" || w.Seconds < seconds) {
			way, seconds = w.Way, w.Seconds
		}
	}
	return way, seconds
}

// goOn returns the ways that a trainer still has to run in: all at first, then those near its
// best way.
func (s *Result) goOn(trainer string, threads int, wait string) []string {
	ways := waysOf(trainer)
	best := s.least(trainer, threads)
	if best == 0 {
		return ways
	}
	return slices.DeleteFunc(ways, func(way string) bool {
		seconds := s.secondsOf(trainer, threads, wait, way)
		return seconds == 0 || seconds > near*best
	})
}

// least returns the least seconds of a trainer in any way and turn so far, 0 = none.
func (s *Result) least(trainer string, threads int) float64 {
	least := 0.0
	for _, wait := range waitsOf(trainer) {
		for _, way := range waysOf(trainer) {
			if seconds := s.secondsOf(trainer, threads, wait, way); seconds > 0 && (least == 0 || seconds < least) {
				least = seconds
			}
		}
	}
	return least
}

// secondsOf returns the least seconds of a way in all turns so far, 0 = none.
func (s *Result) secondsOf(trainer string, threads int, wait, way string) float64 {
	least := 0.0
	for i := range s.Turns {
		for _, run := range s.Turns[i].Runs {
			if run.Trainer != trainer || run.Threads != threads || run.Wait != wait {
				continue
			}
			for _, w := range run.Process.Ways {
				if w.Way == way && !w.LeftOut && (least == 0 || w.Seconds < least) {
					least = w.Seconds
				}
			}
		}
	}
	return least
}
