package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"boost/internal/lint"
)

const document = `# Words

| id | requirement | package | needs | proofs | result |
| --- | --- | --- | --- | --- | --- |
| S0.7 | Cuts | binning | test, e2e TestBins |  | open |
| S0.18 | Widths | histogram | test, bench HistByWidth | histogram BenchmarkHistByWidth | open |
| S2.13 | Random | gradients | test | gradients TestS2_13 | pass |
| S2.30 | Ratio | benchmarks | bench Quant/100k |  | open |
| S3.42 | Hostile | tensorq | fuzz |  | open |
| S4.29 | File | booster | fuzz Decode |  | open |
| S3.61 | Four bits | — | not built |  | open |
`

// run turns lines of "action package test" into a stream of events.
func stream(lines ...string) string {
	var out strings.Builder
	for _, line := range lines {
		f := strings.Fields(line)
		out.WriteString(`{"Action":"` + f[0] + `","Package":"boost/` + f[1] + `"`)
		if len(f) > 2 {
			out.WriteString(`,"Test":"` + f[2] + `"`)
		}
		out.WriteString("}\n")
	}
	return out.String()
}

func judged(t *testing.T, lines ...string) *matrix {
	t.Helper()
	return judgedWith(t, nil, nil, lines...)
}

// judgedWith judges with records too, of which those with code "now" are of the tree's.
func judgedWith(t *testing.T, decided map[string][]string, records []record, lines ...string) *matrix {
	t.Helper()
	m, err := parseMatrix([]byte(document))
	if err != nil {
		t.Fatal(err)
	}
	e, err := readEvents(strings.NewReader(stream(lines...)), "boost")
	if err != nil {
		t.Fatal(err)
	}
	m.judge(e, records, func(r record) bool { return r.Code == "now" }, decided)
	return m
}

func TestJudge(t *testing.T) {
	widths := func(result, code string, parts ...string) []record {
		return []record{{Row: "S0.18", Benchmark: "HistByWidth", Package: "histogram", Result: result, Code: code, Parts: parts}}
	}
	for _, tc := range []struct {
		name, id, proofs, result string
		records                  []record
		events                   []string
	}{
		{"one need is not the other", "S0.7", "binning TestCuts/S0.7; lacks e2e TestBins", open, nil,
			[]string{"pass binning TestCuts/S0.7/golden", "pass binning TestCuts/S0.7"}},
		{"both needs", "S0.7", "binning TestCuts/S0.7; booster TestBins/S0.7", pass, nil,
			[]string{"pass binning TestCuts/S0.7", "pass booster TestBins/S0.7"}},
		{"another test of booster is not end to end", "S0.7", "binning TestCuts/S0.7; booster TestBinsOfOne/S0.7; lacks e2e TestBins", open, nil,
			[]string{"pass binning TestCuts/S0.7", "pass booster TestBinsOfOne/S0.7"}},
		{"nor is one of that name elsewhere", "S0.7", "binning TestBins/S0.7; lacks e2e TestBins", open, nil,
			[]string{"pass binning TestBins/S0.7"}},
		{"a longer id is another row", "S0.7", "", open, nil,
			[]string{"pass binning TestCuts/S0.71", "pass booster TestBins/S0.70"}},
		{"one failing subtest fails the row", "S0.7", "binning TestCuts/S0.7 (failed); booster TestBins/S0.7", fail, nil,
			[]string{"pass binning TestCuts/S0.7/a", "fail binning TestCuts/S0.7/b", "pass booster TestBins/S0.7"}},
		{"a skipped test proves nothing", "S2.13", "", open, nil,
			[]string{"skip gradients TestS2_13_Draws"}},
		{"id in a function's name", "S2.13", "gradients TestS2_13_Draws", pass, nil,
			[]string{"pass gradients TestS2_13_Draws"}},
		{"several ids in one name", "S2.13", "gradients TestQ/S2.8,S2.13", pass, nil,
			[]string{"pass gradients TestQ/S2.8,S2.13/x"}},
		{"fuzz target", "S3.42", "tensorq FuzzSegmentS3_42", pass, nil,
			[]string{"pass tensorq FuzzSegmentS3_42"}},
		{"a test is not a fuzz target", "S3.42", "tensorq TestSegment/S3.42; lacks fuzz", open, nil,
			[]string{"pass tensorq TestSegment/S3.42"}},
		{"named fuzz target", "S4.29", "booster/model FuzzDecode", pass, nil,
			[]string{"pass booster/model FuzzDecode/seed#0", "pass booster/model FuzzDecode"}},
		{"another fuzz target", "S4.29", "", open, nil,
			[]string{"pass booster/model FuzzDecoder"}},
		{"not built, without a reason", "S3.61", "", open, nil, []string{"pass tree TestX"}},
		{"benchmark on record", "S0.18", "histogram BenchmarkHistByWidth; histogram TestW/S0.18", pass, widths(pass, "now"),
			[]string{"pass histogram TestW/S0.18"}},
		{"benchmark that missed its bar", "S0.18", "histogram BenchmarkHistByWidth (failed: U4: 0.86, want 0.9; U8: 1, want 2); histogram TestW/S0.18", fail,
			widths(fail, "now", "HistByWidth/S0.18/U16: 0.8603 ns/op", "HistByWidth/S0.18/U4 failed: 0.86, want 0.9", "HistByWidth/S0.18/U8 failed: 1, want 2"),
			[]string{"pass histogram TestW/S0.18"}},
		{"benchmark that said nothing", "S0.18", "histogram BenchmarkHistByWidth (failed); histogram TestW/S0.18", fail, widths(fail, "now"),
			[]string{"pass histogram TestW/S0.18"}},
		{"record of other code", "S0.18", "histogram BenchmarkHistByWidth (of other code); histogram TestW/S0.18; lacks bench HistByWidth", open, widths(pass, "then"),
			[]string{"pass histogram TestW/S0.18"}},
		{"no record", "S0.18", "histogram TestW/S0.18; lacks bench HistByWidth", open, nil,
			[]string{"run histogram BenchmarkHistByWidth/S0.18/U4", "pass histogram TestW/S0.18"}},
		{"record of another part", "S2.30", "benchmarks BenchmarkQuant/1M; lacks bench Quant/100k", open,
			[]record{{Row: "S2.30", Benchmark: "Quant/1M", Package: "benchmarks", Result: pass, Code: "now"}}, []string{"pass tree TestX"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := judgedWith(t, nil, tc.records, tc.events...).rows[tc.id]
			if r.proofs != tc.proofs || r.result != tc.result {
				t.Errorf("got %q, %q\nwant %q, %q", r.proofs, r.result, tc.proofs, tc.result)
			}
		})
	}
}

// TestOutcome runs benchmarks that end in every way: what did not come to its end with figures is
// no proof, whatever had begun.
func TestOutcome(t *testing.T) {
	root := t.TempDir()
	write := func(file, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(root, file), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("go.mod", "module boost\n")
	write("a_test.go", `package a

import (
	"os"
	"syscall"
	"testing"
	"time"
)

func BenchmarkWays(b *testing.B) {
	b.Run("S0.1/good", func(b *testing.B) {
		for b.Loop() {
		}
		b.ReportMetric(3, "x_faster")
	})
	b.Run("10M/S0.3/only_300k_rows", func(b *testing.B) {
		for b.Loop() {
		}
	})
	b.Run("10M/S0.4", func(b *testing.B) {
		for b.Loop() {
		}
	})
	b.Run("S0.2/good", func(b *testing.B) {
		for b.Loop() {
		}
	})
	b.Run("S0.2/last", func(b *testing.B) {
		switch os.Getenv("WAY") {
		case "error":
			b.Error("half as fast")
		case "panic":
			panic("at the disco")
		case "kill":
			p, _ := os.FindProcess(os.Getpid())
			p.Kill()
			select {}
		case "hang":
			time.Sleep(time.Hour)
		case "skip":
			b.Skip()
		case "exit":
			syscall.Exit(0)
		}
		for b.Loop() {
		}
	})
}
`)
	run := func(way string) *events {
		t.Helper()
		command := exec.Command("go", "test", "-json", "-vet=off", "-run=^$", "-bench=.", "-benchtime=1x", ".")
		if way == "hang" {
			command.Args = slices.Insert(command.Args, 2, limited("1s")...)
		}
		command.Dir = root
		command.Env = append(os.Environ(), "WAY="+way, "GOFLAGS=-mod=mod")
		out, err := command.Output()
		if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
			t.Fatal(err)
		}
		e, err := readEvents(bytes.NewReader(out), "boost")
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	for _, c := range []struct{ way, one, two string }{
		{"", pass, pass}, {"error", pass, fail}, {"skip", pass, pass},
		{"panic", fail, fail}, {"kill", fail, fail}, {"hang", fail, fail}, {"exit", fail, fail},
	} {
		e := run(c.way)
		for row, want := range map[string]string{"S0.1": c.one, "S0.2": c.two} {
			got, parts := outcomeOf(e, wanted{row, need{"bench", "Ways"}, ""})
			if got != want {
				t.Errorf("%q: %s is %s, want %s; parts %q", c.way, row, got, want, parts)
			}
			if row == "S0.1" && c.way == "" && (len(parts) != 1 || !strings.HasPrefix(parts[0], "Ways/S0.1/good: ") || !strings.HasSuffix(parts[0], "3.000 x_faster")) {
				t.Errorf("parts %q", parts)
			}
			if c.way == "error" && row == "S0.2" && !slices.Contains(parts, "Ways/S0.2/last failed: half as fast") {
				t.Errorf("parts %q do not say why", parts)
			}
		}
		if c.way == "" {
			if got, _ := outcomeOf(e, wanted{"S0.3", need{"bench", "Ways/10M"}, ""}); got != fail {
				t.Error("300k rows stand for 10M")
			}
			if got, _ := outcomeOf(e, wanted{"S0.4", need{"bench", "Ways/10M"}, ""}); got != pass {
				t.Error("10M rows do not stand for 10M")
			}
			if got, _ := outcomeOf(e, wanted{"S0.4", need{"bench", "Ways/1M"}, ""}); got != fail {
				t.Error("another part stands for 1M")
			}
			if got, _ := outcomeOf(e, wanted{"S0.9", need{"bench", "Ways"}, ""}); got != fail {
				t.Error("a benchmark without the row's id proves the row")
			}
		}
	}
}

// A benchmark that panics may leave PASS behind, and exit code 0: seen once in 25 runs with more processes
// than processors.
func TestPanicThatPasses(t *testing.T) {
	var log strings.Builder
	say := func(action, test, output string) {
		fmt.Fprintf(&log, `{"Action":%q,"Package":"boost","Test":%q,"Output":%q}`+"\n", action, test, output)
	}
	say("run", "BenchmarkWays/S0.1/good", "")
	say("output", "BenchmarkWays/S0.1/good", "BenchmarkWays/S0.1/good-2         \t")
	say("output", "BenchmarkWays/S0.1/good", "       1\t       280.0 ns/op\n")
	say("run", "BenchmarkWays/S0.2/last", "")
	say("output", "BenchmarkWays/S0.2/last", "BenchmarkWays/S0.2/last-2         \t       1\n")
	say("output", "", "PASS\n")
	say("pass", "", "")
	e, err := readEvents(strings.NewReader(log.String()), "boost")
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []string{"S0.1", "S0.2"} {
		if got, parts := outcomeOf(e, wanted{row, need{"bench", "Ways"}, ""}); got != fail {
			t.Errorf("%s is %s; parts %q", row, got, parts)
		}
	}
}

// TestCode changes code under a benchmark and beside it.
func TestCode(t *testing.T) {
	root := t.TempDir()
	write := func(file, text string) {
		t.Helper()
		file = filepath.Join(root, filepath.FromSlash(file))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("go.mod", "module boost\n")
	write("top/top.go", "package top\n\nimport _ \"boost/deep\"\n")
	write("top/top_test.go", "package top\n\nimport _ \"boost/side\"\n\nfunc BenchmarkTop(b *testing.B) {}\n")
	write("top/more_test.go", "package top\n")
	write("deep/deep.go", "package deep\n\nvar x = 1\n")
	write("deep/deep_amd64.s", "RET\n")
	write("side/side.go", "package side\n\nvar x = 1\n")
	write("other/other.go", "package other\n")
	digest := func() string {
		t.Helper()
		tree, err := lint.Find(root)
		if err != nil {
			t.Fatal(err)
		}
		code, err := newCodes(tree)
		if err != nil {
			t.Fatal(err)
		}
		sum, err := code.under("top", "Top/part")
		if err != nil {
			t.Fatal(err)
		}
		return sum
	}
	for _, c := range []struct {
		name, file, text string
		changes          bool
	}{
		{"a comment", "deep/deep.go", "// Package deep is.\npackage deep\n\nvar x = 1 // one\n", false},
		{"other code", "other/other.go", "package other\n\nvar x = 2\n", false},
		{"another test", "top/more_test.go", "package top\n\nvar y = 2\n", false},
		{"a value", "deep/deep.go", "package deep\n\nvar x = 2\n", true},
		{"what the test imports", "side/side.go", "package side\n\nvar x = 2\n", true},
		{"assembly", "deep/deep_amd64.s", "NOP\nRET\n", true},
		{"a new file", "deep/more_arm64.go", "package deep\n", true},
		{"the benchmark", "top/top_test.go", "package top\n\nimport _ \"boost/side\"\n\nfunc BenchmarkTop(b *testing.B) { b.Loop() }\n", true},
	} {
		before := digest()
		write(c.file, c.text)
		if changed := digest() != before; changed != c.changes {
			t.Errorf("%s: digest changed %v, want %v", c.name, changed, c.changes)
		}
	}
	before := digest()
	write("go.mod", "module example.org/boost\n")
	write("top/top.go", "package top\n\nimport _ \"example.org/boost/deep\"\n")
	write("top/top_test.go", "package top\n\nimport _ \"example.org/boost/side\"\n\nfunc BenchmarkTop(b *testing.B) { b.Loop() }\n")
	if digest() != before {
		t.Error("a renamed tree has other code")
	}
}

// A heading of a decision that carries the id gives the reason.
func TestDecisions(t *testing.T) {
	ids := idsOfHeadings("# Left out\n## S3.61 Four bits, and S0.7\nS2.13 is not meant\n### S0.7 again\n")
	if want := []string{"S0.7", "S3.61"}; !slices.Equal(ids, want) {
		t.Errorf("ids %q, want %q", ids, want)
	}
	const file = "docs/design/100-left-out.md"
	r := judgedWith(t, map[string][]string{"S3.61": {file}}, nil, "pass tree TestX").rows["S3.61"]
	if r.proofs != file+" S3.61" || r.result != notBuilt {
		t.Errorf("got %q, %q", r.proofs, r.result)
	}
}

// What is kept by hand stays as it is, and a second run changes nothing.
func TestFormat(t *testing.T) {
	m := judged(t, "pass gradients TestS2_13")
	first := m.format()
	want := strings.Replace(document, "| histogram BenchmarkHistByWidth |", "|  |", 1)
	if string(first) != want {
		t.Errorf("got\n%s\nwant\n%s", first, want)
	}
	again, err := parseMatrix(first)
	if err != nil {
		t.Fatal(err)
	}
	if second := again.format(); !bytes.Equal(first, second) {
		t.Errorf("a second run gives\n%s", second)
	}
}

func TestLost(t *testing.T) {
	if lost := judged(t, "pass gradients TestS2_13").lost(); len(lost) > 0 {
		t.Errorf("nothing is lost: %q", lost)
	}
	lost := judged(t, "pass gradients TestOther").lost()
	if len(lost) != 1 || !strings.HasPrefix(lost[0], "S2.13: pass there, open now") {
		t.Errorf("got %q, want S2.13", lost)
	}
	// More than the file claims is no loss.
	if lost := judged(t, "pass gradients TestS2_13", "pass tensorq FuzzS3_42").lost(); len(lost) > 0 {
		t.Errorf("a new proof is not a loss: %q", lost)
	}
}

func TestUnknownRows(t *testing.T) {
	m, err := parseMatrix([]byte(document))
	if err != nil {
		t.Fatal(err)
	}
	e, err := readEvents(strings.NewReader(stream("pass binning TestCuts/S0.99")), "boost")
	if err != nil {
		t.Fatal(err)
	}
	got := m.unknown(e)
	if len(got) != 1 || got[0] != "binning TestCuts/S0.99 names S0.99, which is no row" {
		t.Errorf("got %q", got)
	}
}

func TestParseMatrixErrors(t *testing.T) {
	for name, text := range map[string]string{
		"no rows":      "# Words\n",
		"cells":        "| S0.1 | a | b | test | open |\n",
		"unknown need": "| S0.1 | a | b | look | | open |\n",
		"no benchmark": "| S0.1 | a | b | bench | | open |\n",
		"no test":      "| S0.1 | a | b | e2e | | open |\n",
		"twice":        "| S0.1 | a | b | test | | open |\n| S0.1 | a | b | test | | open |\n",
	} {
		if _, err := parseMatrix([]byte(text)); err == nil {
			t.Errorf("%s: want an error", name)
		}
	}
}

// What fails is printed with its output: tests, and packages that do not
// build.
func TestFailures(t *testing.T) {
	const text = `# boost/tree
{"ImportPath":"boost/tree [boost/tree.test]","Action":"build-output","Output":"tree/a.go:1: undefined: x\n"}
{"ImportPath":"boost/tree [boost/tree.test]","Action":"build-fail"}
{"Action":"output","Package":"boost/binning","Test":"TestA/b","Output":"got 1, want 2\n"}
{"Action":"fail","Package":"boost/binning","Test":"TestA/b"}
{"Action":"fail","Package":"boost/binning","Test":"TestA"}
{"Action":"fail","Package":"boost/binning"}
{"Action":"pass","Package":"boost/parallel","Test":"TestC"}
`
	e, err := readEvents(strings.NewReader(text), "boost")
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	n := e.printFailures(&out)
	want := "--- FAIL: binning TestA\n--- FAIL: binning TestA/b\ngot 1, want 2\n--- FAIL: tree \ntree/a.go:1: undefined: x\n"
	if n != 3 || out.String() != want {
		t.Errorf("got %d:\n%s\nwant 3:\n%s", n, out.String(), want)
	}
	if _, err := readEvents(strings.NewReader("go: no such module\n"), "boost"); err == nil {
		t.Error("no events: want an error")
	}
}

func TestDeclaring(t *testing.T) {
	root := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":                 "module boost\n",
		"histogram/hist_test.go": "package histogram\n\nfunc BenchmarkHistByWidth(b *testing.B) {}\n",
		"histogram/more_test.go": "package histogram\n\nfunc BenchmarkHistByWidths(b *testing.B) {}\n",
	} {
		file := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	tree, err := lint.Find(root)
	if err != nil {
		t.Fatal(err)
	}
	where, err := declaring(tree, "HistByWidth")
	if err != nil {
		t.Fatal(err)
	}
	if len(where) != 1 || where[0] != "histogram" {
		t.Errorf("got %v, want HistByWidth in histogram", where)
	}
}

// The document in the tree holds every row of the five seeds, once, in order.
func TestMatrixHoldsEveryRow(t *testing.T) {
	tree, err := lint.Find(".")
	if err != nil {
		t.Fatal(err)
	}
	text, err := tree.Read(matrixFile)
	if err != nil {
		t.Fatal(err)
	}
	m, err := parseMatrix(text)
	if err != nil {
		t.Fatal(err)
	}
	var got, want []string
	for _, line := range m.lines {
		if r, ok := line.(*row); ok {
			got = append(got, r.id)
		}
	}
	for seed, last := range []int{31, 26, 42, 65, 41} {
		for i := range last {
			want = append(want, fmt.Sprintf("S%d.%d", seed, i+1))
		}
	}
	if strings.Join(got, " ") != strings.Join(want, " ") {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}
