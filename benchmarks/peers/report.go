package peers

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// best holds the smallest figure of each stage over the repeats, and the largest peak.
type best struct {
	name   string
	run    Run
	total  float64 // smallest bin + train of one run
	spread float64 // (largest - smallest) / smallest train time
}

func (r *Record) best(name string) (best, bool) {
	runs := r.Runs[name]
	if len(runs) == 0 {
		return best{}, false
	}
	b := best{name: name, run: runs[0], total: runs[0].Bin + runs[0].Train}
	slowest := 0.0
	for _, run := range runs {
		b.run.Load = min(b.run.Load, run.Load)
		b.run.Bin = min(b.run.Bin, run.Bin)
		b.run.Train = min(b.run.Train, run.Train)
		b.run.TrainCPU = min(b.run.TrainCPU, run.TrainCPU)
		if run.PeakBytes > b.run.PeakBytes {
			b.run.PeakBytes, b.run.BaseBytes = run.PeakBytes, run.BaseBytes
		}
		b.total = min(b.total, run.Bin+run.Train)
		slowest = max(slowest, stage(run))
	}
	b.spread = slowest/stage(b.run) - 1
	return b, true
}

// stage returns the seconds of what a contender is there for.
func stage(r Run) float64 {
	if r.Train > 0 {
		return r.Train
	}
	return r.Load
}

// Table writes the figures as a Markdown table that reads well as plain text too.
func (r *Record) Table(w io.Writer) {
	if r.Settings.Kind != "" {
		r.sparseTable(w)
		return
	}
	fmt.Fprintf(w, "| %-24s | bin s | train s | train CPU s | bin + train s | spread | peak MB | of it data | test AUC | test logloss |\n", "trainer")
	fmt.Fprintln(w, "|--------------------------|------:|--------:|------------:|--------------:|-------:|--------:|-----------:|---------:|-------------:|")
	for _, name := range r.order {
		b, _ := r.best(name)
		if b.run.Train == 0 {
			continue
		}
		fmt.Fprintf(w, "| %-24s | %5.2f | %7.2f | %11.2f | %13.2f | %4.0f %% | %7.0f | %10.0f | %8.5f | %12.5f |\n", name,
			b.run.Bin, b.run.Train, b.run.TrainCPU, b.total, 100*b.spread,
			float64(b.run.PeakBytes)/1e6, float64(b.run.PeakBytes-b.run.BaseBytes)/1e6, b.run.AUC, b.run.LogLoss)
	}
	r.readers(w, "CSV")
}

func (r *Record) readers(w io.Writer, format string) {
	heading := format + " load s"
	fmt.Fprintf(w, "\n| %-24s | %s | spread | peak MB |\n", "reader", heading)
	fmt.Fprintf(w, "|--------------------------|%s:|-------:|--------:|\n", strings.Repeat("-", len(heading)+1))
	for _, name := range r.order {
		b, _ := r.best(name)
		if b.run.Train > 0 {
			continue
		}
		fmt.Fprintf(w, "| %-24s | %*.2f | %4.0f %% | %7.0f |\n", name, len(heading), b.run.Load, 100*b.spread, float64(b.run.PeakBytes)/1e6)
	}
}

// Target compares boost with LightGBM's quantized mode, the better of row- and
// column-wise: the first target is a ratio of at most 1 in time and in memory.
func (r *Record) Target() (verdict string, ok bool) {
	if r.Settings.Kind != "" {
		return r.sparseTarget()
	}
	ours, have := r.best(BoostName)
	theirs, found := r.best(quantizedRow)
	if col, is := r.best(quantizedCol); is && (!found || col.run.Train < theirs.run.Train) {
		theirs, found = col, true
	}
	if !have || !found {
		return "No comparison with LightGBM's quantized mode: one of the two did not run.", false
	}
	time := ours.run.Train / theirs.run.Train
	memory := float64(ours.run.PeakBytes) / float64(theirs.run.PeakBytes)
	data := float64(ours.run.PeakBytes-ours.run.BaseBytes) / float64(theirs.run.PeakBytes-theirs.run.BaseBytes)
	return fmt.Sprintf("Against %s: training time × %.3f, bin + train × %.3f, peak memory × %.3f (above the empty program × %.3f).",
		theirs.name, time, ours.total/theirs.total, memory, data), time <= 1 && memory <= 1
}

// Name tells measurements of different tables apart: 1000000x28-t2, onehot-1000000x1000-t2.
func (r *Record) Name() string {
	name := ""
	if r.Settings.Kind != "" {
		name = r.Settings.Kind + "-"
	}
	return name + fmt.Sprintf("%dx%d-t%d", r.Settings.Rows, r.Settings.Columns, r.Settings.Threads)
}

// Save writes the record to peers-NAME.json in folder.
func (r *Record) Save(folder string) (path string, err error) {
	b, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return "", err
	}
	path = filepath.Join(folder, "peers-"+r.Name()+".json")
	return path, os.WriteFile(path, append(b, '\n'), 0o666)
}

// section is the record's part of docs/performance.md.
func (r *Record) section() string {
	var b strings.Builder
	s, m := r.Settings, r.Machine
	kind := ""
	if s.Kind != "" {
		kind = s.Kind + ", "
	}
	fmt.Fprintf(&b, "### %s%d × %d, %d threads\n\n", kind, s.Rows, s.Columns, s.Threads)
	fmt.Fprintf(&b, "`%s`\n\n", r.Command)
	fmt.Fprintf(&b, "%s; load average before the run %s. ", m, m.LoadAverage)
	fmt.Fprintf(&b, "%d rounds, %d repeats in turn; AUC and logloss on %d further rows.", s.Rounds, s.Repeats, s.Test)
	if versions := r.versions(); versions != "" {
		fmt.Fprintf(&b, " Versions: %s.", versions)
	}
	if len(r.Absent) > 0 {
		fmt.Fprintf(&b, " Not installed: %s.", strings.Join(r.Absent, ", "))
	}
	b.WriteString("\n\n")
	r.Table(&b)
	verdict, _ := r.Target()
	fmt.Fprintf(&b, "\n%s\n", verdict)
	return b.String()
}

func (r *Record) versions() string {
	var list []string
	seen := map[string]bool{}
	for _, name := range r.order {
		if v := r.Runs[name][0].Version; v != "" && !seen[v] {
			seen[v] = true
			list = append(list, v)
		}
	}
	return strings.Join(list, ", ")
}
