// Package parts measures boost beside itself: benchmarks of requirement rows, and the program beside
// another build.
//
// In: the events of go test -json -bench, two programs and a table. Out: figures of each, as JSON and
// tables.
//
// It must not know what a figure means: a benchmark judges itself.
package parts

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"boost/benchmarks/harness"
)

// Benchmarks is one run of them.
type Benchmarks struct {
	Machine harness.Machine `json:"machine"`
	Command string          `json:"command"`
	Results []Result        `json:"results"`
	Earlier []Benchmarks    `json:"earlier,omitempty"` // benchmarks that this run left out
}

// Result is one part of a benchmark.
type Result struct {
	Name    string             `json:"name"`              // without "Benchmark" and the number of processors
	Figures map[string]float64 `json:"figures,omitempty"` // by unit
	Failed  []string           `json:"failed,omitempty"`  // what it says of the bar that it misses
}

// line is a benchmark's result as go test prints it: name-2  1  123 ns/op  4.5 x_search.
var line = regexp.MustCompile(`^Benchmark(\S+?)(?:-\d+)?\s+\d+\s+(.*)$`)

// ErrEmpty marks events without any benchmark.
var ErrEmpty = errors.New("no benchmark in these events")

// Read collects the results out of the events, in the order they ran.
func Read(events io.Reader) ([]Result, error) {
	// A benchmark's name and figures come in events of their own: only the text of a
	// package as a whole has lines.
	texts := map[string]*strings.Builder{}
	var order []string
	in := bufio.NewScanner(events)
	in.Buffer(nil, 1<<24)
	for in.Scan() {
		var e struct{ Action, Package, Output string }
		if json.Unmarshal(in.Bytes(), &e) != nil || e.Action != "output" {
			continue
		}
		if texts[e.Package] == nil {
			texts[e.Package] = &strings.Builder{}
			order = append(order, e.Package)
		}
		texts[e.Package].WriteString(e.Output)
	}
	if err := in.Err(); err != nil {
		return nil, err
	}
	var results []Result
	for _, pkg := range order {
		results = append(results, parse(texts[pkg].String())...)
	}
	if len(results) == 0 {
		return nil, ErrEmpty
	}
	return results, nil
}

func parse(text string) []Result {
	var results []Result
	var said []string // by the part that runs; it fails or not after that
	for l := range strings.Lines(text) {
		l = strings.TrimRight(l, "\n")
		if strings.HasPrefix(l, "    ") {
			_, complaint, _ := strings.Cut(strings.TrimSpace(l), ": ")
			said = append(said, complaint)
			continue
		}
		// The whole is said to fail as well.
		if name, is := strings.CutPrefix(l, "--- FAIL: Benchmark"); is && strings.Contains(name, "/") {
			results = append(results, Result{Name: name, Failed: said})
		}
		said = nil
		m := line.FindStringSubmatch(l)
		if m == nil {
			continue
		}
		r := Result{Name: m[1], Figures: map[string]float64{}}
		fields := strings.Fields(m[2])
		for i := 0; i+1 < len(fields); i += 2 {
			if v, err := strconv.ParseFloat(fields[i], 64); err == nil && fields[i+1] != "ns/op" {
				r.Figures[fields[i+1]] = v
			}
		}
		results = append(results, r)
	}
	return results
}

// benchmark returns the name of the whole that a part belongs to.
func (r *Result) benchmark() string {
	name, _, _ := strings.Cut(r.Name, "/")
	return name
}

// Keep takes over from the record at path what it says of benchmarks that did not run
// this time. A record that is not there says nothing.
func (r *Benchmarks) Keep(path string) error {
	var old Benchmarks
	if err := harness.Read(path, &old); err != nil {
		return err
	}
	known := map[string]bool{}
	for i := range r.Results {
		known[r.Results[i].benchmark()] = true
	}
	earlier := append([]Benchmarks{old}, old.Earlier...)
	earlier[0].Earlier = nil
	for _, e := range earlier {
		e.Results = slices.DeleteFunc(e.Results, func(result Result) bool { return known[result.benchmark()] })
		for i := range e.Results {
			known[e.Results[i].benchmark()] = true
		}
		if len(e.Results) > 0 {
			r.Earlier = append(r.Earlier, e)
		}
	}
	return nil
}

// Table writes one line per part.
func (r *Benchmarks) Table(w io.Writer) {
	fmt.Fprintln(w, "| benchmark | figures | |")
	fmt.Fprintln(w, "|-----------|---------|-|")
	for _, result := range r.Results {
		var figures []string
		for unit, v := range result.Figures {
			figures = append(figures, fmt.Sprintf("%s %s", strings.ReplaceAll(unit, "_", " "), strconv.FormatFloat(v, 'g', 4, 64)))
		}
		slices.Sort(figures)
		missed := ""
		if len(result.Failed) > 0 {
			missed = "missed: " + strings.Join(result.Failed, "; ")
		}
		fmt.Fprintf(w, "| `%s` | %s | %s |\n", result.Name, strings.Join(figures, ", "), missed)
	}
}

// UpdateDocument puts the record's section into the Markdown file at path.
func (r *Benchmarks) UpdateDocument(path string) error {
	var b strings.Builder
	fmt.Fprintf(&b, "`%s`\n\n", r.Command)
	b.WriteString("Sides of a ratio take turns in one process, at least 5 times; the shortest time of each counts. `x …` is how many times longer the other side takes.\n")
	for _, run := range append([]Benchmarks{*r}, r.Earlier...) {
		fmt.Fprintf(&b, "\n%s; load average before the run %s.\n\n", run.Machine, run.Machine.LoadAverage)
		run.Table(&b)
	}
	return harness.ReplaceSection(path, "rows", b.String())
}
