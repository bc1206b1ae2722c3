package network

import (
	"fmt"
	"strings"
	"time"

	"boost/benchmarks/harness"
)

// Study is what was recorded, measured and modelled.
type Study struct {
	Machine  harness.Machine `json:"machine"`
	Command  string          `json:"command"`
	Rows     int             `json:"rows"`
	Columns  int             `json:"columns"`
	Leaves   int             `json:"leaves"`
	Overhead Overhead        `json:"overhead"`
	Growth   Growth          `json:"growth"`
	Traces   []Summary       `json:"traces"`
	Model    Model           `json:"model"`
	Cells    []Cell          `json:"cells"`
	Uneven   float64         `json:"most_straggle_s"` // of the traces
	Larger   []Row           `json:"larger"`
}

// Summary is what a rank does in a tree of a trace.
type Summary struct {
	Ranks    int     `json:"ranks"`
	Calls    float64 `json:"calls"`
	Bytes    float64 `json:"bytes"`
	Messages float64 `json:"messages"`
	Compute  float64 `json:"compute_s"`  // without that of calls
	Straggle float64 `json:"straggle_s"` // likewise
}

// Summary sums up a trace.
func (t *Trace) Summary() Summary {
	c := t.Cost(Link{Gbit: 1}, Overhead{}, 1)
	s := Summary{Ranks: t.Ranks(), Compute: c.Compute, Straggle: c.Straggle}
	s.Bytes, s.Messages = t.Sent()
	for _, step := range t.Steps[0] {
		if step.Call != None {
			s.Calls += 1 / float64(t.Trees)
		}
	}
	return s
}

// Cell is a network and what a tree took there.
type Cell struct {
	Ranks    int     `json:"ranks"`
	Link     Link    `json:"link"`
	Slow     float64 `json:"slow"` // how many times as long the last rank computes
	Fitted   bool    `json:"fitted"`
	Stretch  float64 `json:"stretch"`
	Seconds  float64 `json:"seconds"`  // a tree, by the clock of the simulated network; the least of some turns
	Waited   float64 `json:"waited_s"` // of that in calls, at the first rank
	Sent     float64 `json:"sent"`     // bytes by the first rank
	Modelled float64 `json:"modelled_s"`
	Error    float64 `json:"error"` // of the model, relative
	Cost
}

// Row is what the model says of larger trainings.
type Row struct {
	Rows     float64   `json:"rows"`
	Columns  int       `json:"columns"`
	Threads  int       `json:"threads"` // of a rank
	Link     Link      `json:"link"`
	Ranks    []int     `json:"ranks"`
	Seconds  []float64 `json:"seconds"` // a tree, by Ranks
	Best     int       `json:"fastest"` // number of ranks with the least time
	PaysUnto int       `json:"pays_until"`
}

// Errors returns the model's errors on the cells that it was fitted to, or on the others.
func (s *Study) Errors(fitted bool) (errors []float64) {
	for _, c := range s.Cells {
		if c.Fitted == fitted {
			errors = append(errors, c.Error)
		}
	}
	return errors
}

// UpdateDocument puts the tables into a document.
func (s *Study) UpdateDocument(path string) error {
	return harness.ReplaceSection(path, "simulated", s.document())
}

func (s *Study) document() string {
	var b strings.Builder
	fmt.Fprintf(&b, "`%s`: %s. %s rows × %d columns, binary label, %d leaves; ranks of one thread.\n\n", s.Command, s.Machine, grouped(s.Rows), s.Columns, s.Leaves)
	b.WriteString("| ranks | a tree computes | waits for the last rank | calls | messages of a rank | MB that a rank sends |\n|--:|--:|--:|--:|--:|--:|\n")
	for _, t := range s.Traces {
		fmt.Fprintf(&b, "| %d | %s | %s | %.0f | %.0f | %.2f |\n", t.Ranks, milli(t.Compute), milli(t.Straggle), t.Calls, t.Messages, t.Bytes/1e6)
	}
	fitted, most := Median(s.Errors(true))
	checked, worst := Median(s.Errors(false))
	fmt.Fprintf(&b, "\nA call takes a rank %.2f ns a byte that it sends and %.1f µs a message. A tree takes %.2f × its computing + %.2f × what the last rank takes longer + "+
		"%.2f × its ways × delay + %.2f × its bytes ÷ rate. On %d networks that the model was fitted to it is %.0f %% off (median; most %.0f %%), on %d others %.0f %% (most %.0f %%):\n\n",
		s.Overhead.PerByte, s.Overhead.PerMessage/1e3, s.Model.Compute, s.Model.Straggle, s.Model.Latency, s.Model.Transfer,
		len(s.Errors(true)), 100*fitted, 100*most, len(s.Errors(false)), 100*checked, 100*worst)
	b.WriteString("| ranks | Gbit/s | delay | slowest rank | a tree took | of it waiting | model | error |\n|--:|--:|--:|--:|--:|--:|--:|--:|\n")
	for _, c := range s.Cells {
		if !c.Fitted {
			fmt.Fprintf(&b, "| %d | %g | %s | %g × | %s | %.0f %% | %s | %+.0f %% |\n", c.Ranks, c.Link.Gbit, c.Link.Delay, c.Slow, milli(c.Seconds), 100*c.Waited/c.Seconds, milli(c.Modelled), 100*c.Error)
		}
	}
	if len(s.Larger) > 0 {
		l := s.Larger[0]
		fmt.Fprintf(&b, "\nSeconds a tree on %s rows × %d columns by the model:\n\n| threads of a rank | Gbit/s | delay |", grouped(int(l.Rows)), l.Columns)
		for _, n := range l.Ranks {
			fmt.Fprintf(&b, " %d ranks |", n)
		}
		b.WriteString(" fastest with | doubling pays up to |\n|--:|--:|--:|" + strings.Repeat("--:|", len(l.Ranks)+2) + "\n")
		for _, l := range s.Larger {
			fmt.Fprintf(&b, "| %d | %g | %s |", l.Threads, l.Link.Gbit, l.Link.Delay)
			for _, t := range l.Seconds {
				fmt.Fprintf(&b, " %.3g |", t)
			}
			fmt.Fprintf(&b, " %d | %d |\n", l.Best, l.PaysUnto)
		}
	}
	return b.String()
}

func milli(seconds float64) string { return fmt.Sprintf("%.3g ms", 1000*seconds) }

// grouped writes a number with commas.
func grouped(n int) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// Stretch is how many times as long all takes, so that the machine can carry the bytes and the messages of all ranks and is on time.
func Stretch(ranks int, link Link) float64 {
	const (
		least   = 20.0
		each    = 2.0  // for each rank
		carried = 1.25 // Gbit/s of all ranks together, which each packs and unpacks on this machine
	)
	return max(least, each*float64(ranks), float64(ranks)*link.Gbit/carried)
}

// Networks returns those to fit the model to, and others to check it on.
func Networks() (cells []Cell) {
	for i, c := range []struct {
		ranks  int
		gbit   float64
		micros time.Duration
		slow   float64
	}{
		{2, 1, 50, 1}, {2, 10, 500, 1}, {2, 25, 200, 1.5}, {4, 1, 200, 1.5}, {4, 10, 50, 1}, {4, 25, 500, 1},
		{16, 1, 500, 1}, {16, 10, 200, 1}, {16, 25, 50, 1.5}, {16, 1, 50, 1},
		// To check it on:
		{3, 1, 500, 1.5}, {3, 10, 100, 1}, {3, 25, 50, 1}, {8, 1, 100, 1}, {8, 10, 500, 1.5}, {8, 25, 200, 1},
		{12, 1, 50, 1}, {12, 10, 100, 1.5}, {12, 25, 500, 1}, {16, 10, 50, 1},
	} {
		cells = append(cells, Cell{Fitted: i < 10, Ranks: c.ranks, Link: Link{c.gbit, c.micros * time.Microsecond}, Slow: c.slow})
	}
	return cells
}
