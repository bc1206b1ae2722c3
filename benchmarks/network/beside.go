package network

import (
	"fmt"
	"slices"
	"strings"

	"boost/benchmarks/harness"
)

// Beside is what training over ranks takes with boost and its peers.
type Beside struct {
	Machine harness.Machine `json:"machine"`
	Command string          `json:"command"`
	Rows    int             `json:"rows"`
	Columns int             `json:"columns"`
	Ranks   int             `json:"ranks"` // of one thread
	Rounds  int             `json:"rounds"`
	Links   []OnLink        `json:"links"`
}

// OnLink is what the trainers take on a network.
type OnLink struct {
	Link     Link      `json:"link"`
	Trainers []Trainer `json:"trainers"`
}

// Trainer is the least time of a trainer.
type Trainer struct {
	Name string `json:"name"`
	Timed
}

// Timed is what a rank says of a training.
type Timed struct {
	Version string  `json:"version"`
	Seconds float64 `json:"seconds"` // of a round
	Leaves  float64 `json:"leaves"`  // of a tree
	Model   string  `json:"model"`   // hash of its predictions; "" where ranks have compared models themselves
	Apart   bool    `json:"apart"`   // ranks have different models: each has learned from its own rows
}

// Add adds a turn of a trainer.
func (l *OnLink) Add(name string, t Timed) {
	i := slices.IndexFunc(l.Trainers, func(o Trainer) bool { return o.Name == name })
	if i < 0 {
		l.Trainers = append(l.Trainers, Trainer{name, t})
	} else if t.Seconds < l.Trainers[i].Seconds {
		l.Trainers[i].Timed = t
	}
}

// best returns the fastest of the trainers whose names begin so and whose trees have as many leaves as were asked for, or nearly, and are the same at all ranks.
func (l *OnLink) best(name string, leaves float64) (least Trainer, ok bool) {
	for _, t := range l.Trainers {
		if strings.HasPrefix(t.Name, name) && t.Leaves >= 0.95*leaves && !t.Apart && (!ok || t.Seconds < least.Seconds) {
			least, ok = t, true
		}
	}
	return least, ok
}

// UpdateDocument puts the table into a document.
func (s *Beside) UpdateDocument(path string) error {
	return harness.ReplaceSection(path, "beside", s.document())
}

func (s *Beside) document() string {
	var b strings.Builder
	fmt.Fprintf(&b, "`%s`: %s. %s rows × %d columns, %d ranks of one thread, %d rounds; milliseconds of a round, and how many times as long as boost's.\n\n",
		s.Command, s.Machine, grouped(s.Rows), s.Columns, s.Ranks, s.Rounds)
	b.WriteString("| Gbit/s | delay | boost | LightGBM's best | × | XGBoost | × |\n|--:|--:|--:|--:|--:|--:|--:|\n")
	for _, l := range s.Links {
		own, _ := l.best("boost", 0)
		fmt.Fprintf(&b, "| %g | %s | %.1f |", l.Link.Gbit, l.Link.Delay, 1000*own.Seconds)
		for _, name := range []string{"lightgbm", "xgboost"} {
			if t, ok := l.best(name, own.Leaves); ok {
				fmt.Fprintf(&b, " %.1f (%s) | %.2f |", 1000*t.Seconds, strings.TrimPrefix(t.Name, "lightgbm-"), t.Seconds/own.Seconds)
			} else {
				b.WriteString(" – | – |")
			}
		}
		b.WriteString("\n")
	}
	return b.String()
}
