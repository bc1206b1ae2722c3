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
	Contenders []Contender // boost in its ways first
	Folder     string      // of the table
	Most       int         // turns, where the budget lasts; at least Least are taken
	Budget     time.Duration
	Words      io.Writer    // progress
	Save       func() error // keeps the session, after each run
}

// near is how much longer than a chosen peer's a single run may take and still say nothing of
// which is faster: on machines that others share the same program takes half as long again
// from one minute to the next.
const near = 1.4

// Measure goes on with a session until it is done. First every peer runs once in each of its ways of
// waiting, the faster of which goes on; then
// boost in each of its ways and the two fastest peers, the fastest LightGBM where it is not among them, and those
// near these as far as time allows take turns, so that a slow minute of the machine hits all alike.
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
		s.Turns = s.choose(p)
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
	c := p.Contenders[i]
	c.Name = name
	return c
}

// first runs every peer once. One that takes three times as long as the second fastest is
// ended: it cannot be one of the two.
func (s *Session) first(ctx context.Context, p *Plan, labels []float64) error {
	rounds := s.Row.Rounds
	if s.Row.Trial > 0 {
		rounds = s.Row.Trial
	}
	for _, c := range p.Contenders {
		if isOurs(c.Name) || s.ran(c.Name, 0) || s.missing(c.Name) {
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
		fmt.Fprintf(p.Words, "turn %d  %-30s load %.2f  bin %.2f  train %.2f s\n", turn, c.Name, run.Load, run.Bin, run.Train)
	case ctx.Err() != nil, isOurs(c.Name):
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

// choose returns who takes turns, by what the first part found, within the plan's time.
func (s *Session) choose(p *Plan) []string {
	var list []string
	for _, c := range p.Contenders {
		if isOurs(c.Name) {
			list = append(list, c.Name)
		}
	}
	if s.Row.Scaling > 0 {
		list = append(list, OneThread)
	}
	ours := len(list)
	order := make([]*Measured, len(s.Runs))
	for i := range order {
		order[i] = &s.Runs[i]
	}
	seconds := func(m *Measured) float64 { return s.Row.Seconds(&m.Run) }
	slices.SortStableFunc(order, func(a, b *Measured) int { return cmp.Compare(seconds(a), seconds(b)) })
	order = betterWaits(order)
	wallOf := func(m *Measured) float64 { return m.Run.Wall * float64(s.Row.Rounds) / float64(m.Rounds) }
	var nearby []*Measured
	light, wall, peers := 0.0, 0.0, 0 // the fastest LightGBM's seconds; what a turn of the chosen takes, and how many they are
	for rank, m := range order {
		is := isLightGBM(&s.Row, m.Contender)
		switch {
		case rank < 2 || is && light == 0:
			list, wall, peers = append(list, m.Contender), wall+wallOf(m), peers+1
		case seconds(m) <= near*seconds(order[1]) || is && seconds(m) <= near*light:
			nearby = append(nearby, m)
		}
		if is && light == 0 {
			light = seconds(m)
		}
	}
	for _, m := range nearby {
		wall, peers = wall+wallOf(m), peers+1
		// boost takes no longer than a peer, in none of its ways.
		if turn := wall * (1 + float64(ours)/float64(peers)); s.spent()+Least*turn > p.Budget.Seconds() {
			break
		}
		list = append(list, m.Contender)
	}
	return list
}

// betterWaits leaves each peer in the faster of its ways of waiting; the order is by seconds.
func betterWaits(order []*Measured) []*Measured {
	seen := map[string]bool{}
	return slices.DeleteFunc(order, func(m *Measured) bool {
		base := Base(m.Contender)
		slower := seen[base]
		seen[base] = true
		return slower
	})
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
