package scorers

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"boost/benchmarks/harness"
)

// figure is what all turns of a contender on a shape show: the least of each time.
type figure struct {
	Run
	turns  int
	spread float64 // how far the slowest batch lay above the fastest
}

// figure returns that of a contender, ok where it ran.
func (s *Session) figure(shape Shape, name string) (f figure, ok bool) {
	slowest := 0.0
	for i := range s.Runs {
		m := &s.Runs[i]
		if m.Shape != shape || m.Contender != name {
			continue
		}
		slowest = max(slowest, m.Run.Seconds)
		if f.turns++; f.turns == 1 {
			f.Run = m.Run
			continue
		}
		f.Seconds, f.Cores = min(f.Seconds, m.Run.Seconds), max(f.Cores, m.Run.Cores)
		for _, q := range []struct{ least, one *float64 }{
			{&f.Warm.P50, &m.Run.Warm.P50}, {&f.Warm.P99, &m.Run.Warm.P99}, {&f.Cold.P50, &m.Run.Cold.P50}, {&f.Cold.P99, &m.Run.Cold.P99},
			{&f.Clock, &m.Run.Clock}, {&f.Call, &m.Run.Call},
		} {
			*q.least = min(*q.least, *q.one)
		}
	}
	if f.Seconds > 0 {
		f.spread = slowest/f.Seconds - 1
	}
	return f, f.turns > 0
}

// names lists the contenders that ran on any shape, in the order that they first did.
func (s *Session) names() []string {
	var list harness.Names
	for i := range s.Runs {
		list.Add(s.Runs[i].Contender)
	}
	return list
}

// word is the last cell of a line: what is missed.
func word(short []string) string {
	if len(short) == 0 {
		return "pass"
	}
	return "short: " + strings.Join(short, "; ")
}

// Verdict compares the rows of a matrix, which all have, with the targets of a shape.
func (s *Session) Verdict(shape Shape) string {
	ours, ok := s.figure(shape, BoostMatrix)
	if !ok {
		return word([]string{"not measured"})
	}
	var short []string
	best, bestName := math.Inf(1), ""
	for _, name := range s.names() {
		f, ok := s.figure(shape, name)
		if !ok || f.Seconds == 0 || name == Boost || name == BoostMatrix {
			continue
		}
		times := f.perRow() / ours.perRow()
		if target, named := targets[name]; !named && times < best {
			best, bestName = times, name
		} else if named && times < target {
			short = append(short, fmt.Sprintf("%.2f × of %.1f × %s", times, target, name))
		}
	}
	if best < byRest {
		short = append(short, fmt.Sprintf("%.2f × of %.1f × %s", best, byRest, bestName))
	}
	return word(short)
}

// rowVerdict compares boost's single rows with their targets.
func rowVerdict(f *figure) string {
	var short []string
	if f.Warm.P50 > rowP50 {
		short = append(short, fmt.Sprintf("p50 %.0f ns of %.0f", f.Warm.P50, rowP50))
	}
	if f.Warm.P99 > rowP99 {
		short = append(short, fmt.Sprintf("p99 %.0f ns of %.0f", f.Warm.P99, rowP99))
	}
	return word(short)
}

// Table writes what was found as Markdown that reads well as plain text too: a line a
// shape, the nanoseconds of a row in a batch and, of the libraries, by how much boost is faster.
func (s *Session) Table(w io.Writer) {
	names := slices.DeleteFunc(s.names(), func(name string) bool { return name == lightGBMRow })
	fmt.Fprintf(w, "| %-11s |", "ns a row of")
	for _, name := range names {
		fmt.Fprintf(w, " %-16s |", name)
	}
	fmt.Fprintf(w, " result |\n|-------------|%s--------|\n", strings.Repeat("-----------------:|", len(names)))
	for _, shape := range Shapes() {
		ours, ok := s.figure(shape, BoostMatrix)
		if !ok {
			continue
		}
		fmt.Fprintf(w, "| %-11s |", shape)
		for _, name := range names {
			f, ok := s.figure(shape, name)
			cell := "–"
			switch {
			case ok && (name == Boost || name == BoostMatrix):
				cell = fmt.Sprintf("%.0f", f.perRow())
			case ok:
				cell = fmt.Sprintf("%.0f (%.2f ×)", f.perRow(), f.perRow()/ours.perRow())
			}
			fmt.Fprintf(w, " %16s |", cell)
		}
		fmt.Fprintf(w, " %s |\n", s.Verdict(shape))
	}
	fmt.Fprintf(w, "\n| %-10s | %-13s | warm p50 ns | warm p99 ns | cold p50 ns | cold p99 ns | of it clock | of it call | result |\n", "single row", "scorer")
	fmt.Fprintln(w, "|------------|---------------|------------:|------------:|------------:|------------:|------------:|-----------:|--------|")
	for _, shape := range Shapes() {
		for _, name := range s.names() {
			f, ok := s.figure(shape, name)
			if !ok || f.Warm.P50 == 0 {
				continue
			}
			call, result := "–", ""
			if f.Call > 0 {
				call = fmt.Sprintf("%.0f", max(0, f.Call-f.Clock))
			}
			if name == Boost {
				call, result = "0", rowVerdict(&f)
			}
			fmt.Fprintf(w, "| %-10s | %-13s | %11.0f | %11.0f | %11.0f | %11.0f | %11.0f | %10s | %s |\n", shape, name,
				f.Warm.P50, f.Warm.P99, f.Cold.P50, f.Cold.P99, f.Clock, call, result)
		}
	}
}

// UpdateDocument puts the session's section into the Markdown file at path, in place of that
// of before.
func (s *Session) UpdateDocument(path string) error {
	var b strings.Builder
	fmt.Fprintf(&b, "`%s`\n\n%s; load average before the run %s. Least of %d turns.", s.Command, s.Machine, s.Machine.LoadAverage, s.Turns)
	var versions harness.Names
	widest, least, most := 0.0, math.Inf(1), 0.0
	for i := range s.Runs {
		m := &s.Runs[i]
		versions.Add(m.Run.Version)
		f, _ := s.figure(m.Shape, m.Contender)
		widest = max(widest, f.spread)
		if f.Seconds > 0 {
			least, most = min(least, m.Run.Cores), max(most, m.Run.Cores)
		}
	}
	fmt.Fprintf(&b, " Versions: %s. The slowest turn of a batch lay up to %.0f %% above the fastest; batches used %.2f to %.2f processors: less than one where other work ran meanwhile.",
		strings.Join(versions, ", "), 100*widest, least, most)
	for _, why := range s.reasons() {
		fmt.Fprintf(&b, " %s.", why)
	}
	b.WriteString("\n\n")
	s.Table(&b)
	return harness.ReplaceSection(path, "scorers", b.String())
}

// reasons names what is missing and why, once for all shapes with the same reason.
func (s *Session) reasons() []string {
	var list harness.Names
	shapes := map[string][]string{}
	for _, m := range s.Missing {
		reason := m.Contender + ": " + m.Why
		list.Add(reason)
		shapes[reason] = append(shapes[reason], m.Shape.String())
	}
	for i, reason := range list {
		if n := len(shapes[reason]); n < len(Shapes()) {
			list[i] = fmt.Sprintf("%s (%s)", reason, strings.Join(shapes[reason], ", "))
		}
	}
	return list
}
