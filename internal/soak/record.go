package main

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"boost/benchmarks/harness"
	"boost/internal/format"
)

// result is what a campaign did, in one run or in all.
type result struct {
	Name     string  `json:"name"`
	Cases    int     `json:"cases"`
	Kills    int     `json:"kills,omitempty"` // processes that were killed or interrupted, in all cases
	Failures int     `json:"failures"`
	Seconds  float64 `json:"seconds"`
}

// runRecord is one run of the program.
type runRecord struct {
	Date    string          `json:"date"`
	Seed    uint64          `json:"seed"`
	Seconds float64         `json:"seconds"`
	Machine harness.Machine `json:"machine"` // with the commit
}

// record is all runs together.
type record struct {
	Campaigns []result         `json:"campaigns"`
	Fuzz      map[string]int64 `json:"fuzz_executions"` // by folder and target
	Runs      []runRecord      `json:"runs"`
}

// addRun adds a run to the record in a file, and writes the section of a document, if one is named.
func addRun(path, document string, run runRecord, results []result, fuzz map[string]int64) error {
	var r record
	if err := harness.Read(path, &r); err != nil {
		return err
	}
	run.Machine = harness.ThisMachine()
	r.add(run, results, fuzz)
	if err := harness.Write(path, r); err != nil || document == "" {
		return err
	}
	return r.updateDocument(document)
}

func (r *record) add(run runRecord, results []result, fuzz map[string]int64) {
	r.Runs = append(r.Runs, run)
	for _, c := range results {
		i := slices.IndexFunc(r.Campaigns, func(old result) bool { return old.Name == c.Name })
		if i < 0 {
			i = len(r.Campaigns)
			r.Campaigns = append(r.Campaigns, result{Name: c.Name})
		}
		sum := &r.Campaigns[i]
		sum.Cases += c.Cases
		sum.Kills += c.Kills
		sum.Failures += c.Failures
		sum.Seconds = math.Round(10*(sum.Seconds+c.Seconds)) / 10
	}
	if r.Fuzz == nil {
		r.Fuzz = map[string]int64{}
	}
	for target, n := range fuzz {
		r.Fuzz[target] += n
	}
}

// updateDocument writes the section soak of a Markdown file.
func (r *record) updateDocument(path string) error {
	var b strings.Builder
	b.WriteString("| campaign | cases | kills | failures | seconds |\n|---|---:|---:|---:|---:|\n")
	for _, c := range r.Campaigns {
		fmt.Fprintf(&b, "| %s | %d | %d | %d | %.0f |\n", c.Name, c.Cases, c.Kills, c.Failures, c.Seconds)
	}
	if len(r.Fuzz) > 0 {
		b.WriteString(r.fuzzTable())
	}
	if len(r.Runs) > 0 {
		last := r.Runs[len(r.Runs)-1]
		fmt.Fprintf(&b, "\nRuns: %d; the last on %s, %s.\n", len(r.Runs), last.Date, last.Machine)
	}
	return harness.ReplaceSection(path, "soak", b.String())
}

// fuzzTable lists how often each target was executed.
func (r *record) fuzzTable() string {
	rows, often, sum := map[string]string{}, 0, int64(0)
	for _, target := range slices.Sorted(maps.Keys(r.Fuzz)) {
		folder, name, _ := strings.Cut(target, " ")
		n := r.Fuzz[target]
		sum += n
		if n >= enough {
			often++
		}
		if rows[folder] != "" {
			rows[folder] += ", "
		}
		rows[folder] += fmt.Sprintf("`%s` %s", name, format.Count(int(n)))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\nFuzzing executed %d targets %s times in all, %d of them %s times and more:\n\n| package | executions of its targets |\n|---|---|\n",
		len(r.Fuzz), format.Count(int(sum)), often, format.Count(enough))
	for _, folder := range slices.Sorted(maps.Keys(rows)) {
		fmt.Fprintf(&b, "| `%s` | %s |\n", folder, rows[folder])
	}
	return b.String()
}

// table is what a run prints at its end.
func table(results []result) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\n%-16s %8s %8s %8s %8s\n", "campaign", "cases", "kills", "failures", "seconds")
	for _, r := range results {
		fmt.Fprintf(&b, "%-16s %8d %8d %8d %8.1f\n", r.Name, r.Cases, r.Kills, r.Failures, r.Seconds)
	}
	return b.String()
}

func round(d time.Duration) float64 { return math.Round(d.Seconds()*10) / 10 }
