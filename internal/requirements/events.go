package main

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"runtime"
	"slices"
	"strings"
)

// events are the outcomes of a run of go test -json, by package and test.
type events struct {
	outcomes map[key]string // run, pass, fail or skip; run stays for a benchmark that did not fail
	outputs  map[key]*strings.Builder
}

type key struct{ pkg, test string } // pkg is below the module path; test is empty for the package itself

// readEvents reads the stream of events. Lines that are none (what the go
// command prints of a package that does not build) are kept as output of the
// run itself.
func readEvents(r io.Reader, module string) (*events, error) {
	e := &events{outcomes: map[key]string{}, outputs: map[key]*strings.Builder{}}
	lines := bufio.NewReader(r)
	for {
		line, err := lines.ReadBytes('\n')
		if len(bytes.TrimSpace(line)) > 0 {
			e.line(line, module)
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
	}
	if len(e.outcomes) == 0 {
		return nil, fmt.Errorf("no test events in the output of go test")
	}
	return e, nil
}

func (e *events) line(line []byte, module string) {
	var event struct {
		Action, Package, ImportPath, Test, Output string
	}
	if line[0] != '{' || json.Unmarshal(line, &event) != nil {
		e.print(key{}, string(line))
		return
	}
	// A package that does not build says so under ImportPath, which carries
	// the test binary's name in brackets.
	pkg := event.Package
	if pkg == "" {
		pkg, _, _ = strings.Cut(event.ImportPath, " ")
	}
	k := key{strings.TrimPrefix(strings.TrimPrefix(pkg, module), "/"), event.Test}
	switch event.Action {
	case "output", "build-output":
		e.print(k, event.Output)
	case "run", "pass", "fail", "skip":
		e.outcomes[k] = event.Action
	case "build-fail":
		e.outcomes[k] = "fail"
	}
}

func (e *events) print(k key, text string) {
	if e.outputs[k] == nil {
		e.outputs[k] = &strings.Builder{}
	}
	e.outputs[k].WriteString(text)
}

// text is what a test printed, or a package where test is empty.
func (e *events) text(k key) string {
	if e.outputs[k] == nil {
		return ""
	}
	return e.outputs[k].String()
}

// ended reports whether the test binary of a package came to its own end: it then prints PASS or FAIL
// alone on a line, which one that is killed or runs out of time does not. One whose benchmark panics may
// print PASS all the same, and even exit with 0: package testing goes on while the goroutine of the
// benchmark dies. The line of that benchmark then has a number of runs and no figures.
func (e *events) ended(pkg string) bool {
	ended := false
	for k, output := range e.outputs {
		if k.pkg != pkg {
			continue
		}
		if brokenLine.MatchString(output.String()) {
			return false
		}
		for line := range strings.Lines(output.String()) {
			ended = ended || k.test == "" && (line == "PASS\n" || line == "FAIL\n")
		}
	}
	return ended
}

// brokenLine is the line of a benchmark that panicked while package testing went on.
var brokenLine = regexp.MustCompile(`(?m)^Benchmark\S+[ \t]+[0-9]+[ \t]*$`)

// machine names the machine on which the benchmarks of a package ran, as go test prints it.
func (e *events) machine(pkg string) string {
	name := "unknown"
	for line := range strings.Lines(e.text(key{pkg: pkg})) {
		if cpu, ok := strings.CutPrefix(line, "cpu: "); ok {
			name = strings.TrimSpace(cpu)
		}
	}
	return fmt.Sprintf("%s, %d logical cores", name, runtime.NumCPU())
}

// failure is one thing that failed, with what it printed.
type failure struct {
	key
	output string
}

// failures returns the tests that failed, sorted, and the packages that
// failed without any of their tests having done so.
func (e *events) failures() []failure {
	byTest := map[string]bool{}
	for k, outcome := range e.outcomes {
		if outcome == "fail" && k.test != "" {
			byTest[k.pkg] = true
		}
	}
	var failed []failure
	for k, outcome := range e.outcomes {
		if outcome != "fail" || k.test == "" && byTest[k.pkg] {
			continue
		}
		failed = append(failed, failure{k, e.text(k)})
	}
	slices.SortFunc(failed, func(a, b failure) int {
		return cmp.Or(strings.Compare(a.pkg, b.pkg), strings.Compare(a.test, b.test))
	})
	return failed
}
