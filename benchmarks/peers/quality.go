package peers

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"boost/benchmarks/machine"
	"boost/benchmarks/record"
	"boost/benchmarks/score"
)

// Quality is what a row's contenders reach on several tables of the row's shape, which differ in
// their seeds. On one table the luck of a trainer's first choices, and of random rounding, moves
// its metric by more than a verdict's slack.
type Quality struct {
	path    string
	Machine machine.Info    `json:"machine"`
	Build   string          `json:"build"` // tells boost's program apart: only the same one goes on with a record
	Row     Row             `json:"row"`
	Command string          `json:"command"`
	Names   []string        `json:"contenders"` // boost in its ways first
	Tables  []*QualityTable `json:"tables"`
}

// QualityTable holds the metrics of one table.
type QualityTable struct {
	Seed    uint64             `json:"seed"`
	Metrics map[string]float64 `json:"metrics"` // by contender
}

// QualityFolder is where the records of quality are in the folder of the sessions.
func QualityFolder(results string) string { return filepath.Join(results, "quality") }

// OpenQuality reads what is known of a row from folder: nil where there is nothing.
func OpenQuality(folder, row string) (*Quality, error) {
	path := filepath.Join(folder, row+".json")
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	q := &Quality{path: path}
	if err := json.Unmarshal(b, q); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return q, nil
}

// BeginQuality returns the record in folder to go on with, if the program, the row, the contenders
// and the machine are still the same; else fresh.
func BeginQuality(folder string, fresh *Quality) (*Quality, error) {
	old, err := OpenQuality(folder, fresh.Row.Name)
	if err != nil {
		return nil, err
	}
	if old != nil {
		if old.Build == fresh.Build && old.Row == fresh.Row && fresh.Machine.Same(old.Machine) && slices.Equal(old.Names, fresh.Names) {
			return old, nil
		}
	}
	fresh.path = filepath.Join(folder, fresh.Row.Name+".json")
	return fresh, nil
}

// Save writes the record; a program that is ended meanwhile leaves the file of before.
func (q *Quality) Save() error { return record.Write(q.path, q) }

// Measure trains each contender once on the table in folder, which has the given seed, and saves
// its metric; what is known is not asked again.
func (q *Quality) Measure(ctx context.Context, contenders []Contender, seed uint64, folder string, limit time.Duration, words io.Writer) error {
	labels, err := readLabels(folder)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(q.Tables, func(t *QualityTable) bool { return t.Seed == seed })
	if i < 0 {
		i = len(q.Tables)
		q.Tables = append(q.Tables, &QualityTable{Seed: seed, Metrics: map[string]float64{}})
	}
	t := q.Tables[i]
	for _, c := range contenders {
		if _, known := t.Metrics[c.Name]; known {
			continue
		}
		run, err := c.start(ctx, &q.Row, q.Row.Rounds, limit, folder, labels)
		if err != nil {
			return err
		}
		t.Metrics[c.Name] = q.Row.metricOf(&run)
		fmt.Fprintf(words, "table %d  %-30s %s %.5f\n", seed, c.Name, q.Row.metric(), t.Metrics[c.Name])
		if err := q.Save(); err != nil {
			return err
		}
	}
	return nil
}

// Complete says that the metrics of all contenders on a table are known.
func (q *Quality) Complete(seed uint64) bool {
	for _, t := range q.Tables {
		if t.Seed == seed {
			return len(t.Metrics) == len(q.Names)
		}
	}
	return false
}

// values returns a contender's metrics, table by table.
func (q *Quality) values(name string) []float64 {
	name = Base(name)
	if !slices.Contains(q.Names, name) {
		return nil
	}
	var list []float64
	for _, t := range q.Tables {
		if q.Complete(t.Seed) {
			list = append(list, t.Metrics[name])
		}
	}
	return list
}

// Ahead returns by how much one of boost's ways is better than a peer in the mean over the tables,
// as a difference of AUC or as a share of the peer's loss, and how many tables there are.
func (q *Quality) Ahead(ours, peer string) (score.Paired, int) {
	a, b := q.values(ours), q.values(peer)
	if len(a) == 0 || len(b) == 0 {
		return score.Paired{}, 0
	}
	if q.Row.byLoss() {
		p := score.RelativePair(a, b)
		p.Mean = -p.Mean
		return p, len(a)
	}
	return score.Pair(a, b), len(a)
}

// within says that a mean lies behind by no more than the slack of verdicts.
func (q *Quality) within(p score.Paired) bool {
	if q.Row.byLoss() {
		return p.Mean >= -lossSlack
	}
	return p.Mean >= -aucSlack
}

// text is a difference in the metric's unit.
func (q *Quality) text(p score.Paired) string {
	f, scale := "%+.5f", 1.0
	if q.Row.byLoss() {
		f, scale = "%+.2f %%", 100
	}
	s := fmt.Sprintf(f, scale*p.Mean)
	if !math.IsNaN(p.Error) { // of more than one table
		s += " ± " + strings.TrimPrefix(fmt.Sprintf(f, scale*p.Error), "+")
	}
	if !q.within(p) {
		s += " (behind)"
	}
	return s
}

// QualityReport writes one line for each row and peer as a Markdown table.
func QualityReport(w io.Writer, list []*Quality) {
	fmt.Fprintf(w, "| row | tables | metric | %s | %s | peer | the peer's | %s is ahead by | %s by | commit |\n", BoostName, EightBits, BoostName, EightBits)
	fmt.Fprintln(w, "|-----|-------:|--------|------:|------:|------|------:|------:|------:|--------|")
	for _, q := range list {
		for _, peer := range q.Names {
			p, tables := q.Ahead(BoostName, peer)
			if tables == 0 || isOurs(peer) {
				continue
			}
			mean, ahead := "–", "–"
			if eight, ran := q.Ahead(EightBits, peer); ran > 0 {
				mean, ahead = fmt.Sprintf("%.5f", score.Mean(q.values(EightBits))), q.text(eight)
			}
			fmt.Fprintf(w, "| `%s` | %d | %s | %.5f | %s | %s | %.5f | %s | %s | %s |\n", q.Row.Name, tables, q.Row.metric(),
				score.Mean(q.values(BoostName)), mean, peer, score.Mean(q.values(peer)), q.text(p), ahead, q.Machine.Commit)
		}
	}
}

// note tells what the mean over tables says where a verdict finds our metric behind, or where the
// mean does: nothing else.
func (q *Quality) note(s *Session, v *Verdict) string {
	if q == nil || q.Row != s.Row {
		return ""
	}
	var notes strings.Builder
	for _, peer := range v.compared() {
		p, tables := q.Ahead(v.ours.name, peer.name)
		if tables < 2 || q.within(p) && !s.Row.worse(&v.ours.run, &peer.run) {
			continue
		}
		fmt.Fprintf(&notes, "; in the mean of %d tables %s against %s", tables, q.text(p), peer.name)
	}
	return notes.String()
}
