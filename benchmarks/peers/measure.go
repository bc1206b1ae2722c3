package peers

import (
	"context"
	"fmt"
	"io"
	"slices"
	"time"

	"boost/benchmarks/harness"
)

// busy is how much slower than the session's best calibration the machine may be before and after
// a run that counts.
const busy = 1.1

// attempts is how often a process is run at most in a turn, until the machine is quiet.
const attempts = 3

// near is how much slower than a trainer's best way one may be to go on after its first quiet run.
const near = 1.4

// Plan is what measuring a table needs.
type Plan struct {
	Commands  Commands
	Threads   []int // numbers of threads, all processors first
	Folder    string
	Limit     time.Duration // for one process
	Calibrate func() Calibration
	Pause     func() // waits for a quieter moment
	Words     io.Writer
}

// Measure takes turns on a table, as many as are wanted, and keeps the result in the place of that of
// before.
func (r *Record) Measure(ctx context.Context, result *Result, p *Plan) error {
	result.Best = r.best.best(result.Best)
	for range result.Wanted {
		turn := Turn{}
		if err := result.turn(ctx, p, &turn); err != nil {
			return err
		}
		result.Turns = append(result.Turns, turn)
	}
	r.best = r.best.best(result.Best)
	r.put(result)
	return nil
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

// run runs a trainer in those of its ways that go on, again where the machine was busy. A peer that
// fails is named and left out.
func (s *Result) run(ctx context.Context, p *Plan, turn *Turn, trainer string, threads int, wait string) error {
	ways := s.goOn(trainer, threads, wait)
	if len(ways) == 0 || s.missing(trainer, threads, wait) {
		return nil
	}
	for range attempts {
		before := p.quietMoment(&s.Best)
		run, err := p.Commands.start(ctx, s.Settings, p.Folder, trainer, threads, wait, ways, turn.known(trainer, threads), p.Limit)
		switch {
		case err == nil:
		case ctx.Err() != nil, trainer == Boost:
			return err
		default:
			s.Missing = append(s.Missing, Missing{trainer, threads, wait, harness.Reason(err)})
			fmt.Fprintf(p.Words, "%-20s %s, %d threads, %s: %s\n", s.Name, trainer, threads, wait, harness.Reason(err))
			return nil
		}
		run.Before, run.After = before, p.Calibrate()
		s.Best = s.Best.best(run.After)
		turn.Runs = append(turn.Runs, run)
		if trainer == Boost {
			s.Rows, s.Columns = run.Process.Rows, run.Process.Columns
		}
		way, seconds := run.Process.fastest()
		fmt.Fprintf(p.Words, "%-20s turn %d  %-8s %d threads %-7s %8.3f s %-14s machine × %.2f of its best time\n",
			s.Name, len(s.Turns)+1, trainer, threads, wait, seconds, way, run.slower(s.Best))
		if run.slower(s.Best) <= busy {
			return nil
		}
	}
	return nil
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

// known returns the least seconds of a trainer in this turn, 0 = none: other turns had another machine.
func (t *Turn) known(trainer string, threads int) float64 {
	known := 0.0
	for i := range t.Runs {
		if t.Runs[i].Trainer != trainer || t.Runs[i].Threads != threads {
			continue
		}
		if way, seconds := t.Runs[i].Process.fastest(); way != "" && (known == 0 || seconds < known) {
			known = seconds
		}
	}
	return known
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

// goOn returns the ways that a trainer still has to run in: those that had no quiet run so far, and
// those near its best way in such.
func (s *Result) goOn(trainer string, threads int, wait string) []string {
	type key struct{ wait, way string }
	least, best := map[key]float64{}, 0.0 // 0 = left out
	for _, run := range s.runs(trainer, threads) {
		if run.slower(s.Best) > busy {
			continue
		}
		for _, w := range run.Process.Ways {
			k := key{run.Wait, w.Way}
			if seconds, tried := least[k]; !tried || seconds == 0 || !w.LeftOut && w.Seconds < seconds {
				least[k] = w.Seconds
			}
			if !w.LeftOut && (best == 0 || w.Seconds < best) {
				best = w.Seconds
			}
		}
	}
	return slices.DeleteFunc(waysOf(trainer), func(way string) bool {
		seconds, tried := least[key{wait, way}]
		return tried && (seconds == 0 || seconds > near*best)
	})
}

// runs returns those of a trainer in all turns.
func (s *Result) runs(trainer string, threads int) []*Run {
	var list []*Run
	for i := range s.Turns {
		for j := range s.Turns[i].Runs {
			if run := &s.Turns[i].Runs[j]; run.Trainer == trainer && run.Threads == threads {
				list = append(list, run)
			}
		}
	}
	return list
}

// slower returns by what factor the machine was slower than the best before or after a run.
func (r *Run) slower(best Calibration) float64 {
	return max(r.Before.slower(best), r.After.slower(best))
}
