package parts

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"boost/benchmarks/harness"
)

// Size is that of a table.
type Size struct {
	Rows    int `json:"rows"`
	Columns int `json:"columns"`
}

// Training is what one training takes.
type Training struct {
	Seconds float64
	Peak    int64 // the largest resident set of the process, in bytes
}

// Point is what training at a size takes.
type Point struct {
	Size
	Seconds float64 `json:"seconds"`    // the shortest
	Spread  float64 `json:"spread"`     // (longest - shortest) / shortest
	Peak    int64   `json:"peak_bytes"` // the largest
}

// Scaling is everything one measurement found.
type Scaling struct {
	Machine harness.Machine `json:"machine"`
	Command string          `json:"command"`
	Rounds  int             `json:"rounds"`
	Threads int             `json:"threads"`
	Turns   int             `json:"turns"`
	ByRows  []Point         `json:"by_rows"`    // of equally many columns
	ByCols  []Point         `json:"by_columns"` // of equally many rows
}

// steps is how many sizes each line has; each is twice the one before.
const steps = 5

// Sizes lists those of both lines, up to most.Rows and most.Columns: rows double at a
// quarter of the columns, columns double at a quarter of the rows.
func Sizes(most Size) (byRows, byColumns []Size) {
	for i := range steps {
		part := 1 << (steps - 1 - i)
		byRows = append(byRows, Size{most.Rows / part, most.Columns / 4})
		byColumns = append(byColumns, Size{most.Rows / 4, most.Columns / part})
	}
	return byRows, byColumns
}

// Measure fills the record: all sizes take turns, so that a slow minute of the machine
// hits all alike. train trains once.
func (r *Scaling) Measure(ctx context.Context, most Size, train func(context.Context, Size) (Training, error)) error {
	byRows, byColumns := Sizes(most)
	all := slices.Concat(byRows, byColumns)
	points := make([]Point, len(all))
	longest := make([]float64, len(all))
	for turn := range r.Turns {
		for i, size := range all {
			run, err := train(ctx, size)
			if err != nil {
				return fmt.Errorf("%d × %d: %w", size.Rows, size.Columns, err)
			}
			if points[i].Size = size; turn == 0 || run.Seconds < points[i].Seconds {
				points[i].Seconds = run.Seconds
			}
			points[i].Peak = max(points[i].Peak, run.Peak)
			longest[i] = max(longest[i], run.Seconds)
			points[i].Spread = longest[i]/points[i].Seconds - 1
		}
	}
	r.ByRows, r.ByCols = points[:steps], points[steps:]
	return nil
}

// Table writes the points. Where cost is linear, the cost of a cell is the same for all but
// the smallest, which show what does not grow.
func (r *Scaling) Table(w io.Writer) {
	fmt.Fprintln(w, "| rows     | columns | train s | spread | ns per row, column and round | peak MB |")
	fmt.Fprintln(w, "|---------:|--------:|--------:|-------:|-----------------------------:|--------:|")
	for _, p := range slices.Concat(r.ByRows, r.ByCols) {
		cells := float64(p.Rows) * float64(p.Columns) * float64(r.Rounds)
		fmt.Fprintf(w, "| %8d | %7d | %7.3f | %4.0f %% | %28.3f | %7.0f |\n",
			p.Rows, p.Columns, p.Seconds, 100*p.Spread, 1e9*p.Seconds/cells, float64(p.Peak)/1e6)
	}
}

// UpdateDocument puts the table into the Markdown file at path, which lies beside the plot.
func (r *Scaling) UpdateDocument(path, plot string) error {
	var b strings.Builder
	fmt.Fprintf(&b, "`%s`\n\n%s; load average before the run %s. Training alone, %d rounds of 31 leaves, %d threads, shortest of %d turns.\n\n",
		r.Command, r.Machine, r.Machine.LoadAverage, r.Rounds, r.Threads, r.Turns)
	fmt.Fprintf(&b, "![seconds of training by rows and by columns](%s)\n\n", plot)
	r.Table(&b)
	return harness.ReplaceSection(path, "scaling", b.String())
}
