package reach

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"

	"boost/benchmarks/machine"
	"boost/benchmarks/peers"
)

// Turns is how often each trainer runs for the figures of the table.
const Turns = 3

// mostTimes is by how many times LightGBM's rounds boost may take until it counts as never
// there.
const mostTimes = 4

// Contender is a command that trains; the flags of a run are added to it.
type Contender struct {
	Name    string // of LightGBM's modes, the way of waiting at the end
	Command []string
	Wait    string // one of peers.Waits; "" = no OpenMP
}

// Plan is what measuring a table needs.
type Plan struct {
	Default  Contender   // LightGBM as it is by default, whose loss is the target
	Modes    []Contender // LightGBM's and its ways of waiting, which may be faster
	Ways     []Contender // boost's
	Threads  int
	Words    io.Writer    // progress
	Save     func() error // keeps the record, after each run
	PeerArgs []string     // that name the table to LightGBM
	OurArgs  []string     // and to boost
}

// Measure goes on with a table until it is done. LightGBM's default sets the target and
// each of its modes runs once. Then the rounds are found after which boost is there, by
// training beside the test rows. Last, LightGBM's fastest mode and boost take turns,
// training for just those rounds with no test rows beside: boost's trees do not depend on
// what is looked at, so that no time of looking is in any figure.
func (t *Table) Measure(ctx context.Context, p *Plan) error {
	if t.Done {
		return nil
	}
	peer := append(slices.Clone(p.PeerArgs), "--rounds", strconv.Itoa(t.Rounds))
	for i, c := range append([]Contender{p.Default}, p.Modes...) {
		if err := t.run(ctx, p, c, 0, peer); err != nil {
			return err
		}
		if run := t.shortest(c.Name); i == 0 {
			t.Target, t.Rows, t.Columns, t.Best = run.Loss, run.Rows, run.Columns, c.Name
		} else if run.Train < t.shortest(t.Best).Train {
			t.Best = c.Name
		}
	}
	for _, c := range p.Ways {
		if err := t.find(ctx, p, c); err != nil {
			return err
		}
	}
	for turn := 1; turn <= Turns; turn++ {
		for _, c := range append([]Contender{p.Default}, p.Modes...) {
			if c.Name == t.Best {
				if err := t.run(ctx, p, c, turn, peer); err != nil {
					return err
				}
			}
		}
		for i, c := range p.Ways {
			if t.Ways[i].Rounds == 0 {
				continue
			}
			if err := t.run(ctx, p, c, turn, append(slices.Clone(p.OurArgs), "--rounds", strconv.Itoa(t.Ways[i].Rounds))); err != nil {
				return err
			}
		}
	}
	t.Done = true
	return p.Save()
}

// run runs a contender once, unless it has had this turn.
func (t *Table) run(ctx context.Context, p *Plan, c Contender, turn int, args []string) error {
	if slices.ContainsFunc(t.Runs, func(r Timed) bool { return r.Contender == c.Name && r.Turn == turn }) {
		return nil
	}
	load := machine.LoadAverage()
	run, err := c.start(ctx, p.Threads, args)
	if err != nil {
		return err
	}
	t.Runs = append(t.Runs, Timed{Contender: c.Name, Turn: turn, Load: load, Run: run})
	fmt.Fprintf(p.Words, "%-20s turn %d  %-24s bin %.2f  train %.3f s  %d rounds\n", t.Name, turn, c.Name, run.Bin, run.Train, run.Rounds)
	return p.Save()
}

// find notes after how many rounds a way is at the target.
func (t *Table) find(ctx context.Context, p *Plan, c Contender) error {
	if slices.ContainsFunc(t.Ways, func(w Way) bool { return w.Name == c.Name }) {
		return nil
	}
	most := mostTimes * t.Rounds
	run, err := c.start(ctx, p.Threads, append(slices.Clone(p.OurArgs), "--rounds", strconv.Itoa(most),
		"--until", strconv.FormatFloat(t.Target, 'g', -1, 64)))
	if err != nil {
		return err
	}
	way := Way{Name: c.Name, Rounds: run.Rounds, Most: most, Loss: run.Loss}
	if run.Loss > t.Target {
		way.Rounds = 0
	}
	t.Ways = append(t.Ways, way)
	fmt.Fprintf(p.Words, "%-20s %s: %d rounds to %.6g (%.6g)\n", t.Name, c.Name, run.Rounds, run.Loss, t.Target)
	return p.Save()
}

func (c Contender) start(ctx context.Context, threads int, args []string) (Run, error) {
	var run Run
	command := append(slices.Clone(c.Command), append(args, "--threads", strconv.Itoa(threads))...)
	out, state, err := peers.Execute(ctx, command, threads, c.Wait)
	if err != nil {
		return run, fmt.Errorf("%s: %w", c.Name, err)
	}
	if err := json.Unmarshal(out, &run); err != nil || run.Train <= 0 || run.Rounds <= 0 {
		return run, fmt.Errorf("%s printed %q: no seconds and rounds of training in it (%v)", c.Name, out, err)
	}
	run.Peak = peers.PeakOf(state)
	return run, nil
}

// shortest returns the run of a contender that trained in the least time: of the turns, or
// of the first part where there was none.
func (t *Table) shortest(name string) Run {
	var best Run
	found, inTurns := false, false
	for _, r := range t.Runs {
		if r.Contender != name || inTurns && r.Turn == 0 {
			continue
		}
		if !found || r.Turn > 0 && !inTurns || r.Run.Train < best.Train {
			best = r.Run
		}
		found, inTurns = true, inTurns || r.Turn > 0
	}
	return best
}
