package main

import (
	"bytes"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"boost/internal/lint"
)

// wanted is a benchmark that a row needs, in a folder that declares it.
type wanted struct {
	row  string
	need need
	pkg  string
}

// wanted returns the benchmarks that rows need and that exist, in the order of their packages.
func (m *matrix) wanted(tree *lint.Tree) ([]wanted, error) {
	var all []wanted
	for _, r := range m.rows {
		for _, n := range r.needs {
			if n.kind != "bench" {
				continue
			}
			folders, err := declaring(tree, n.base())
			if err != nil {
				return nil, err
			}
			for _, pkg := range folders {
				all = append(all, wanted{r.id, n, pkg})
			}
		}
	}
	slices.SortFunc(all, func(a, b wanted) int {
		return strings.Compare(a.pkg+" "+a.need.name+" "+a.row, b.pkg+" "+b.need.name+" "+b.row)
	})
	return all, nil
}

// declaring returns the folders whose tests declare a benchmark.
func declaring(tree *lint.Tree, name string) ([]string, error) {
	files, err := tree.Files()
	if err != nil {
		return nil, err
	}
	var folders []string
	for _, file := range files {
		if !strings.HasSuffix(file, "_test.go") {
			continue
		}
		text, err := tree.Read(file)
		if err != nil {
			return nil, err
		}
		if dir := filepath.ToSlash(filepath.Dir(file)); declares(text, name) && !slices.Contains(folders, dir) {
			folders = append(folders, dir)
		}
	}
	return folders, nil
}

func declares(text []byte, benchmark string) bool {
	return bytes.Contains(text, []byte("\nfunc Benchmark"+benchmark+"("))
}

// measure runs the chosen benchmarks, each once in its own package whatever number of rows need it,
// and returns the records of all that are wanted, with theirs in place. Without chosen, those run whose
// record is of other code or is not there. After each, save is called with what there is.
func measure(tree *lint.Tree, all []wanted, old []record, chosen func(benchmark string) bool, save func([]record) error) ([]record, error) {
	code, err := newCodes(tree)
	if err != nil {
		return nil, err
	}
	records := slices.DeleteFunc(slices.Clone(old), func(r record) bool {
		return !slices.ContainsFunc(all, func(w wanted) bool { return w.matches(r) })
	})
	ran := map[[2]string]*events{}
	for _, w := range all {
		digest, err := code.under(w.pkg, w.need.name)
		if err != nil {
			return nil, err
		}
		at := slices.IndexFunc(records, w.matches)
		if chosen != nil && !chosen(w.need.base()) || chosen == nil && at >= 0 && records[at].Code == digest {
			continue
		}
		commit, err := cleanCommit(tree)
		if err != nil {
			return nil, err
		}
		key := [2]string{w.pkg, w.need.base()}
		if ran[key] == nil {
			fmt.Printf("benchmark %s in %s\n", key[1], key[0])
			if ran[key], err = goTest(tree, append(limited("1h"), "-run=^$", "-bench=^Benchmark"+key[1]+"$", "./"+w.pkg)...); err != nil {
				return nil, err
			}
		}
		if at < 0 {
			at, records = len(records), append(records, record{})
		}
		result, parts := outcomeOf(ran[key], w)
		records[at] = record{
			Row: w.row, Benchmark: w.need.name, Package: w.pkg, Result: result, Parts: parts, Commit: commit,
			Date: time.Now().UTC().Format(time.DateOnly), Machine: ran[key].machine(w.pkg), Code: digest,
		}
		fmt.Printf("%s %s: %s\n", w.row, w.need.name, result)
		if err := save(records); err != nil {
			return nil, err
		}
	}
	return records, save(records)
}

// limited returns arguments for go test that end a test binary after a time, where the system has a
// program for it. The flag -timeout does not hold for benchmarks.
func limited(limit string) []string {
	if _, err := exec.LookPath("timeout"); err != nil {
		return nil
	}
	return []string{"-exec=timeout " + limit}
}

// matches reports whether a record is of this benchmark and row.
func (w wanted) matches(r record) bool {
	return r.Row == w.row && r.Benchmark == w.need.name && r.Package == w.pkg
}

// outcomeOf returns what a run of a benchmark says of a row, and of each of its parts what it printed:
// its figures, or why it failed. The row passes where the run of the package came to its end, at
// least one part has figures and none failed. go test reports no pass for a benchmark, and one that
// panicked, was killed or ran out of time has only begun.
func outcomeOf(e *events, w wanted) (result string, parts []string) {
	result = fail
	for k, action := range e.outcomes {
		if k.pkg != w.pkg || !w.need.isPart(k.test, w.row) {
			continue
		}
		name, said := strings.TrimPrefix(k.test, "Benchmark"), e.text(k)
		if action == "fail" {
			parts = append(parts, name+" failed: "+strings.Join(messages(said), " "))
		} else if figures := figuresOf(said); figures != "" {
			parts = append(parts, name+": "+figures)
		}
	}
	slices.Sort(parts)
	failed := slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(part, " failed: ") })
	if len(parts) > 0 && !failed && e.ended(w.pkg) {
		result = pass
	}
	return result, parts
}

// resultLine is what go test prints of a benchmark: name, number of runs, figures.
var resultLine = regexp.MustCompile(`(?m)^Benchmark\S+\s+[0-9]+\t(.*)$`)

// figuresOf returns the figures in the output of a benchmark, "" if it printed none.
func figuresOf(output string) string {
	found := resultLine.FindStringSubmatch(output)
	if found == nil {
		return ""
	}
	return strings.Join(strings.Fields(found[1]), " ")
}

// messages returns what a benchmark logged: the lines that name a file and a line, without these.
func messages(output string) []string {
	var said []string
	for line := range strings.Lines(output) {
		if found := logLine.FindStringSubmatch(line); found != nil {
			said = append(said, found[1])
		}
	}
	return said
}

var logLine = regexp.MustCompile(`^ +\S+\.go:[0-9]+: (.*)`)
