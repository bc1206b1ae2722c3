package reach

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"slices"
	"strings"

	"boost/benchmarks/peers"
)

// Write writes the tables that are done, as Markdown.
func (r *Record) Write(w io.Writer) {
	ways := r.ways()
	fmt.Fprint(w, "| table | rows × columns | loss | LightGBM's | rounds | mode | train s | with bins | peak MB |")
	rule := "|-------|---------------:|------|-----------:|-------:|------|--------:|----------:|--------:|"
	for _, name := range ways {
		fmt.Fprintf(w, " %s: rounds | train s | with bins | peak MB | LightGBM takes | with bins |", name)
		rule += strings.Repeat("--------:|", 6)
	}
	fmt.Fprintf(w, "\n%s\n", rule)
	means := make([]mean, 2*len(ways))
	for _, t := range r.Tables {
		if !t.Done {
			continue
		}
		peer := t.shortest(t.Best)
		fmt.Fprintf(w, "| %s | %d × %d | %s | %.6g | %d | %s | %.3f | %.3f | %.0f |", t.Name, t.Rows, t.Columns, t.Metric, t.Target, t.Rounds,
			strings.TrimPrefix(t.Best, "lightgbm-"), peer.Train, peer.Train+peer.Bin, float64(peer.Peak)/1e6)
		for i, name := range ways {
			at := slices.IndexFunc(t.Ways, func(way Way) bool { return way.Name == name })
			if at < 0 || t.Ways[at].Rounds == 0 {
				reason := "not measured"
				if at >= 0 {
					reason = fmt.Sprintf("not in %d", t.Ways[at].Most)
				}
				fmt.Fprintf(w, " %s | – | – | – | – | – |", reason)
				continue
			}
			run := t.shortest(name)
			alone, both := peer.Train/run.Train, (peer.Train+peer.Bin)/(run.Train+run.Bin)
			fmt.Fprintf(w, " %d | %.3f | %.3f | %.0f | %.2f × | %.2f × |", run.Rounds, run.Train, run.Train+run.Bin, float64(run.Peak)/1e6, alone, both)
			means[2*i].add(alone)
			means[2*i+1].add(both)
		}
		fmt.Fprintln(w)
	}
	fmt.Fprint(w, "| geometric mean | | | | | | | | |")
	for i := range ways {
		fmt.Fprintf(w, " %d tables | | | | %s | %s |", means[2*i].n, means[2*i], means[2*i+1])
	}
	fmt.Fprintln(w)
}

// ways lists the names of boost's ways in the order they were measured.
func (r *Record) ways() []string {
	var names []string
	for _, t := range r.Tables {
		for _, way := range t.Ways {
			if !slices.Contains(names, way.Name) {
				names = append(names, way.Name)
			}
		}
	}
	return names
}

// mean is a geometric one.
type mean struct {
	logs float64
	n    int
}

func (m *mean) add(ratio float64) {
	m.logs += math.Log(ratio)
	m.n++
}

func (m mean) String() string {
	if m.n == 0 {
		return "–"
	}
	return fmt.Sprintf("%.2f ×", math.Exp(m.logs/float64(m.n)))
}

// UpdateDocument puts the table into the Markdown file at path, in place of that of before.
func (r *Record) UpdateDocument(path string) error {
	old, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "`%s`: %s; load average before the first run %s; %d threads.", r.Command, r.Machine, r.Machine.LoadAverage, r.Threads)
	var versions []string
	for _, t := range r.Tables {
		for _, run := range t.Runs {
			if v := run.Run.Version; v != "" && !slices.Contains(versions, v) {
				versions = append(versions, v)
			}
		}
	}
	fmt.Fprintf(&b, " Versions: %s.\n\n", strings.Join(versions, ", "))
	r.Write(&b)
	return os.WriteFile(path, []byte(peers.ReplaceSection(string(old), "time to metric", b.String())), 0o666)
}
