package loading

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"boost/benchmarks/harness"
)

func (r *Record) find(file, reader string, threads int) *Outcome {
	for i := range r.Read {
		o := &r.Read[i]
		if o.Reading == (Reading{File: file, Reader: reader, Threads: threads}) {
			return o
		}
	}
	return nil
}

// Table writes times, bars and memory as Markdown that reads well as plain text too.
func (r *Record) Table(w io.Writer) {
	r.times(w)
	fmt.Fprintln(w)
	r.bars(w)
	fmt.Fprintln(w)
	r.memory(w)
}

func (r *Record) times(w io.Writer) {
	fmt.Fprintf(w, "| %-15s | %-18s | threads | seconds | processor s | spread | MB/s | peak MB |\n", "file", "reader")
	fmt.Fprintln(w, "|-----------------|--------------------|--------:|--------:|------------:|-------:|-----:|--------:|")
	for _, o := range r.Read {
		b, slowest := o.best(), 0.0
		for _, run := range o.Runs {
			slowest = max(slowest, run.Seconds)
		}
		fmt.Fprintf(w, "| %-15s | %-18s | %7d | %7.3f | %11.3f | %4.0f %% | %4.0f | %7.0f |\n", o.File, o.shown(), o.Threads,
			b.Seconds, b.CPU, 100*(slowest/b.Seconds-1), float64(r.Sizes[o.File])/1e6/b.Seconds, float64(b.PeakBytes)/1e6)
	}
}

func (r *Record) bars(w io.Writer) {
	fmt.Fprintf(w, "| %-15s | %-12s | threads | bar    | ratio |       |\n", "file", "against")
	fmt.Fprintln(w, "|-----------------|--------------|--------:|-------:|------:|-------|")
	for _, v := range r.Verdicts() {
		fmt.Fprintf(w, "| %-15s | %-12s | %7d | ≥ %4.2f | %5.2f | %-5s |\n", v.File, v.Reader, v.Threads, v.AtLeast, v.Ratio, v.word())
	}
}

func (r *Record) memory(w io.Writer) {
	fmt.Fprintf(w, "| %-15s | threads | columns MB | allowed MB | measured MB | measured by allowed |\n", "memory of")
	fmt.Fprintln(w, "|-----------------|--------:|-----------:|-----------:|------------:|--------------------:|")
	for _, o := range r.Read {
		if o.Reader == Boost && strings.Contains(o.File, ".csv") {
			b := o.best()
			allowed, used := Allowed(b.Columns, b.Widest, o.Threads), b.PeakBytes-b.BaseBytes
			fmt.Fprintf(w, "| %-15s | %7d | %10.0f | %10.0f | %11.0f | %19.2f |\n", o.File, o.Threads,
				float64(b.Columns)/1e6, float64(allowed)/1e6, float64(used)/1e6, float64(used)/float64(allowed))
		}
	}
}

// shown is the reader's name for a table; of LightGBM, which alone has OpenMP, with the way of
// waiting of its best run where it has more than one thread.
func (o *Outcome) shown() string {
	if o.Reader != LGBM || o.Threads == 1 {
		return o.Reader
	}
	return o.Reader + ", " + o.best().Wait
}

// Allowed is the peak that a load may take: the columns, one of them twice, and
// one chunk per worker. A chunk is its text, the cells read from it, which may be as
// large, and the text being read meanwhile.
func Allowed(columns, widest int64, threads int) int64 {
	const chunk = 1 << 20
	return columns + widest + int64(threads+1)*2*chunk
}

// Verdict is a bar and what was measured.
type Verdict struct {
	Bar
	Ratio float64 // the other's seconds by boost's
}

// Passes reports whether the bar is reached.
func (v Verdict) Passes() bool { return v.Ratio >= v.AtLeast }

func (v Verdict) word() string {
	if v.Passes() {
		return "pass"
	}
	return "short"
}

// Verdicts compares the best times of each bar whose readers ran. With one thread
// processor seconds decide, which is the speed per core: some readers that are told to
// use one thread use two all the same. With more the clock decides.
func (r *Record) Verdicts() []Verdict {
	var list []Verdict
	for _, bar := range Bars() {
		ours, theirs := r.find(bar.File, Boost, bar.Threads), r.find(bar.File, bar.Reader, bar.Threads)
		if ours == nil || theirs == nil {
			continue
		}
		a, b := ours.best(), theirs.best()
		ratio := b.Seconds / a.Seconds
		if bar.Threads == 1 {
			ratio = b.CPU / a.CPU
		}
		list = append(list, Verdict{Bar: bar, Ratio: ratio})
	}
	return list
}

// DetailsPath is the Markdown file of all figures of the records kept at path: it lies beside it.
func DetailsPath(path string) string { return strings.TrimSuffix(path, filepath.Ext(path)) + ".md" }

// UpdateDocument puts the record's bars into the Markdown file at path, and all of it into that
// at DetailsPath of the results.
func (r *Record) UpdateDocument(path, results string) error {
	var head, bars, all strings.Builder
	r.head(&head)
	r.bars(&bars)
	r.Table(&all)
	const name = "loading"
	return errors.Join(harness.ReplaceSection(path, name, head.String()+bars.String()),
		harness.ReplaceSection(DetailsPath(results), name, head.String()+all.String()))
}

// head says what was measured where.
func (r *Record) head(w io.Writer) {
	fmt.Fprintf(w, "`%s`\n\n%s; load average before the run %s. Smallest of %d runs in turn.", r.Command, r.Machine, r.Machine.LoadAverage, r.Repeats)
	var seen harness.Names
	for _, o := range r.Read {
		seen.Add(o.Runs[0].Version)
	}
	fmt.Fprintf(w, " Versions: %s.", strings.Join(seen, ", "))
	if len(r.Left) > 0 {
		fmt.Fprintf(w, " Left out: %s.", strings.Join(r.Left, "; "))
	}
	fmt.Fprint(w, "\n\n")
}
