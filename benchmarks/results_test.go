package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"boost/benchmarks/compression"
	"boost/benchmarks/coverage"
	"boost/benchmarks/loading"
	"boost/benchmarks/modes"
	"boost/benchmarks/network"
	"boost/benchmarks/parts"
	"boost/benchmarks/peers"
	"boost/benchmarks/scorers"
	"boost/benchmarks/sizes"
)

// committed makes a copy of a page, has it written anew, and reports where it then differs from what is
// committed: the page itself, and what lies beside it.
type committed struct{ folder string }

func (c committed) page(t *testing.T, path string, write func(page string) error, beside ...string) {
	t.Helper()
	for _, name := range append([]string{filepath.Base(path)}, beside...) {
		text, err := os.ReadFile(filepath.Join(filepath.Dir(path), name))
		if err != nil {
			t.Fatal(err)
		}
		if filepath.Ext(name) != ".md" {
			continue
		}
		if err := os.WriteFile(filepath.Join(c.folder, name), text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := write(filepath.Join(c.folder, filepath.Base(path))); err != nil {
		t.Fatal(err)
	}
	for _, name := range append([]string{filepath.Base(path)}, beside...) {
		want, err := os.ReadFile(filepath.Join(filepath.Dir(path), name))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(filepath.Join(c.folder, name)); err != nil || string(got) != string(want) {
			t.Errorf("%s is not what the record gives, error %v", name, err)
		}
	}
}

// read reads a record from the results.
func read[R any](t *testing.T, name string) R {
	t.Helper()
	var r R
	text, err := os.ReadFile(filepath.Join("results", name))
	if err == nil {
		err = json.Unmarshal(text, &r)
	}
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// The tables of the documents are what the committed records give.
func TestResultsGiveDocuments(t *testing.T) {
	c := committed{t.TempDir()}
	const readme = "results/README.md"
	c.page(t, readme, func(page string) error {
		s := read[scorers.Session](t, "scorers.json")
		return s.UpdateDocument(page)
	})
	c.page(t, readme, func(page string) error {
		r := read[loading.Record](t, "loading.json")
		return r.UpdateDocument(page, filepath.Join(c.folder, "loading.json"))
	}, "loading.md")
	c.page(t, "../docs/performance.md", func(page string) error {
		r, err := peers.Open("results/real.json")
		if err != nil {
			return err
		}
		return r.UpdateDocument(page)
	})
	c.page(t, "results/sizes.md", func(page string) error {
		r := read[sizes.Record](t, "sizes.json")
		return r.UpdateDocument(page)
	})
	c.page(t, "results/leaves.md", func(page string) error {
		r := read[compression.Record](t, "compression.json")
		return r.UpdateDocument(page)
	})
	c.page(t, "results/rows.md", func(page string) error {
		r := read[parts.Benchmarks](t, "rows.json")
		return r.UpdateDocument(page)
	})
}

// The table of modes stands in the document where its record is kept, and is what that gives.
func TestResultsGiveModes(t *testing.T) {
	const page = "../docs/performance.md"
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	_, err = os.Stat("results/modes.json")
	kept, told := err == nil, strings.Contains(string(text), "<!-- begin modes -->")
	if kept != told {
		t.Fatalf("the record of modes is kept: %t, its table stands in %s: %t (make modes writes both)", kept, page, told)
	}
	if kept {
		c := committed{t.TempDir()}
		c.page(t, page, func(page string) error { return read[modes.Session](t, "modes.json").UpdateDocument(page) })
	}
}

// What is said of ranks on networks is what was measured, and the model is within 20 % where it was not fitted.
func TestResultsGiveRanks(t *testing.T) {
	c := committed{t.TempDir()}
	r := read[network.Study](t, "ranks.json")
	c.page(t, "../docs/distributed.md", r.UpdateDocument)
	peers := read[network.Beside](t, "ranks_peers.json")
	c.page(t, "../docs/distributed.md", peers.UpdateDocument)
	if errors := r.Errors(false); len(errors) == 0 || slices.Max(errors) > 0.2 || slices.Min(errors) < -0.2 {
		t.Errorf("the model is off by %.2f", errors)
	}
}

// Intervals cover what they are to cover, but for a point, and the page says so.
func TestResultsGiveCoverage(t *testing.T) {
	c := committed{t.TempDir()}
	r := read[coverage.Record](t, "intervals.json")
	c.page(t, "../docs/trust.md", r.UpdateDocument)
	if off := r.Off(); len(off) > 0 || len(r.Sets) == 0 {
		t.Errorf("of %d sets are off: %s", len(r.Sets), strings.Join(off, "; "))
	}
}

// The page of accuracy is what its records give.
func TestResultsGiveAccuracy(t *testing.T) {
	c := committed{t.TempDir()}
	c.page(t, "../docs/accuracy.md", func(page string) error {
		f := files{places: places{results: "results", document: page}, peers: "accuracy_small.json", others: "accuracy_objectives.json"}
		return f.write()
	})
}
