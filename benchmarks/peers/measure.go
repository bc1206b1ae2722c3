package peers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"boost/benchmarks/machine"
)

// Least is the least number of turns that a ratio is taken from.
const Least = 3

// Plan is what a measurement needs beside its session.
type Plan struct {
	Contenders []Contender // boost first
	Folder     string      // of the table
	Most       int         // turns, where the budget lasts; at least Least are taken
	Budget     time.Duration
	Words      io.Writer    // progress
	Save       func() error // keeps the session, after each run
}

// Measure goes on with a session until it is done. First every peer runs once; then
// boost and the two fastest peers, and the fastest LightGBM where it is not among them,
// take turns, so that a slow minute of the machine hits all alike.
func (s *Session) Measure(ctx context.Context, p *Plan) error {
	if s.Done {
		return nil
	}
	var labels []float64
	if s.Row.Scored() {
		var err error
		if labels, err = readLabels(p.Folder); err != nil {
			return err
		}
	}
	if s.Turns == nil {
		if err := s.first(ctx, p, labels); err != nil {
			return err
		}
		s.Turns = s.choose()
	}
	for turn := 1; turn <= max(Least, p.Most); turn++ {
		if turn > Least && s.spent()+s.turnSeconds(turn-1) > p.Budget.Seconds() {
			break
		}
		for _, name := range s.Turns {
			if s.ran(name, turn) || s.missing(name) {
				continue
			}
			if err := s.run(ctx, p, p.contender(name), turn, s.Row.Rounds, p.Budget, labels); err != nil {
				return err
			}
		}
	}
	s.Done = true
	return p.Save()
}

func (p *Plan) contender(name string) Contender {
	look := name
	if name == OneThread {
		look = BoostName
	}
	i := slices.IndexFunc(p.Contenders, func(c Contender) bool { return c.Name == look })
	return Contender{name, p.Contenders[i].Command}
}

// first runs every peer once. One that takes three times as long as the second fastest is
// ended: it cannot be one of the two.
func (s *Session) first(ctx context.Context, p *Plan, labels []float64) error {
	rounds := s.Row.Rounds
	if s.Row.Trial > 0 {
		rounds = s.Row.Trial
	}
	for _, c := range p.Contenders {
		if c.Name == BoostName || s.ran(c.Name, 0) || s.missing(c.Name) {
			continue
		}
		if err := s.run(ctx, p, c, 0, rounds, s.patience(p.Budget), labels); err != nil {
			return err
		}
	}
	return nil
}

// patience is how long a peer may take in the first part.
func (s *Session) patience(budget time.Duration) time.Duration {
	var walls []float64
	for i := range s.Runs {
		walls = append(walls, s.Runs[i].Run.Wall)
	}
	if len(walls) < 2 {
		return budget / 2
	}
	slices.Sort(walls)
	return min(budget/2, time.Duration(math.Ceil(20+3*walls[1]))*time.Second)
}

// run runs a contender once, and keeps what it printed or why it did not.
func (s *Session) run(ctx context.Context, p *Plan, c Contender, turn, rounds int, limit time.Duration, labels []float64) error {
	load := machine.LoadAverage()
	run, err := c.start(ctx, &s.Row, rounds, limit, p.Folder, labels)
	switch {
	case err == nil:
		s.Runs = append(s.Runs, Measured{Contender: c.Name, Turn: turn, Rounds: rounds, Load: load, Run: run})
		fmt.Fprintf(p.Words, "turn %d  %-24s load %.2f  bin %.2f  train %.2f s\n", turn, c.Name, run.Load, run.Bin, run.Train)
	case ctx.Err() != nil, c.Name == BoostName, c.Name == OneThread:
		return err
	default: // a peer that fails is named in the table
		s.Missing = append(s.Missing, Missing{Contender: c.Name, Why: why(err), Wall: run.Wall})
		fmt.Fprintln(p.Words, err)
	}
	return p.Save()
}

// why is a short reason for a table.
func why(err error) string {
	text := strings.TrimSpace(err.Error())
	_, reason, _ := strings.Cut(text, ": ") // without the name
	switch {
	case errors.Is(err, ErrKilled):
		return "ended by the system, out of memory"
	case errors.Is(err, ErrAbsent), errors.Is(err, ErrTooSlow), errors.Is(err, ErrUseless):
		return reason
	}
	return "failed: " + text[strings.LastIndexByte(text, '\n')+1:]
}

// choose returns who takes turns, by what the first part found.
func (s *Session) choose() []string {
	list := []string{BoostName}
	if s.Row.Scaling > 0 {
		list = append(list, OneThread)
	}
	order := make([]int, len(s.Runs))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Compare(s.Row.Seconds(&s.Runs[a].Run), s.Row.Seconds(&s.Runs[b].Run))
	})
	lightGBM := false
	for rank, i := range order {
		name := s.Runs[i].Contender
		is := isLightGBM(&s.Row, name)
		if rank < 2 || is && !lightGBM {
			list = append(list, name)
			lightGBM = lightGBM || is
		}
	}
	return list
}

// turnSeconds returns what a turn took.
func (s *Session) turnSeconds(turn int) float64 {
	sum := 0.0
	for i := range s.Runs {
		if s.Runs[i].Turn == turn {
			sum += s.Runs[i].Run.Wall
		}
	}
	return sum
}
