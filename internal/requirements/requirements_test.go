package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"boost/internal/lint"
)

const document = `# Words

| id | requirement | package | needs | proofs | result |
| --- | --- | --- | --- | --- | --- |
| S0.7 | Cuts | binning | test, e2e |  | open |
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

func judged(t *testing.T, benchRan bool, lines ...string) *matrix {
	t.Helper()
	return judgedWith(t, nil, benchRan, lines...)
}

func judgedWith(t *testing.T, decided map[string][]string, benchRan bool, lines ...string) *matrix {
	t.Helper()
	m, err := parseMatrix([]byte(document))
	if err != nil {
		t.Fatal(err)
	}
	e, err := readEvents(strings.NewReader(stream(lines...)), "boost")
	if err != nil {
		t.Fatal(err)
	}
	m.judge(e, decided, func(string) bool { return benchRan })
	return m
}

func TestJudge(t *testing.T) {
	for _, tc := range []struct {
		name, id, proofs, result string
		bench                    bool
		events                   []string
	}{
		{"one need is not the other", "S0.7", "binning TestCuts/S0.7; lacks e2e", open, true,
			[]string{"pass binning TestCuts/S0.7/golden", "pass binning TestCuts/S0.7"}},
		{"both needs", "S0.7", "binning TestCuts/S0.7; booster TestBins/S0.7", pass, true,
			[]string{"pass binning TestCuts/S0.7", "pass booster TestBins/S0.7"}},
		{"a longer id is another row", "S0.7", "", open, true,
			[]string{"pass binning TestCuts/S0.71", "pass booster TestBins/S0.70"}},
		{"one failing subtest fails the row", "S0.7", "binning TestCuts/S0.7 (failed); booster TestBins/S0.7", fail, true,
			[]string{"pass binning TestCuts/S0.7/a", "fail binning TestCuts/S0.7/b", "pass booster TestBins/S0.7"}},
		{"a skipped test proves nothing", "S2.13", "", open, true,
			[]string{"skip gradients TestS2_13_Draws"}},
		{"id in a function's name", "S2.13", "gradients TestS2_13_Draws", pass, true,
			[]string{"pass gradients TestS2_13_Draws"}},
		{"several ids in one name", "S2.13", "gradients TestQ/S2.8,S2.13", pass, true,
			[]string{"pass gradients TestQ/S2.8,S2.13/x"}},
		{"fuzz target", "S3.42", "tensorq FuzzSegmentS3_42", pass, true,
			[]string{"pass tensorq FuzzSegmentS3_42"}},
		{"a test is not a fuzz target", "S3.42", "tensorq TestSegment/S3.42; lacks fuzz", open, true,
			[]string{"pass tensorq TestSegment/S3.42"}},
		{"named fuzz target", "S4.29", "booster/model FuzzDecode", pass, true,
			[]string{"pass booster/model FuzzDecode/seed#0", "pass booster/model FuzzDecode"}},
		{"another fuzz target", "S4.29", "", open, true,
			[]string{"pass booster/model FuzzDecoder"}},
		{"not built, without a reason", "S3.61", "", open, true, []string{"pass tree TestX"}},
		{"benchmark that ran", "S0.18", "histogram BenchmarkHistByWidth; histogram TestW/S0.18", pass, true,
			[]string{"run histogram BenchmarkHistByWidth", "run histogram BenchmarkHistByWidth/S0.18/U4", "pass histogram TestW/S0.18"}},
		{"benchmark that only measures", "S0.18", "histogram TestW/S0.18; lacks bench HistByWidth", open, true,
			[]string{"run histogram BenchmarkHistByWidth", "run histogram BenchmarkHistByWidth/U4", "pass histogram TestW/S0.18"}},
		{"benchmark that missed its bar", "S0.18", "histogram BenchmarkHistByWidth (failed); histogram TestW/S0.18", fail, true,
			[]string{"run histogram BenchmarkHistByWidth", "fail histogram BenchmarkHistByWidth/S0.18/U4", "pass histogram TestW/S0.18"}},
		{"recorded benchmark stays", "S0.18", "histogram BenchmarkHistByWidth; histogram TestW/S0.18", pass, false,
			[]string{"pass histogram TestW/S0.18"}},
		{"benchmark that is gone", "S0.18", "histogram TestW/S0.18; lacks bench HistByWidth", open, true,
			[]string{"pass histogram TestW/S0.18"}},
		{"part of a benchmark", "S2.30", "benchmarks BenchmarkQuant/100k", pass, true,
			[]string{"run benchmarks BenchmarkQuant", "run benchmarks BenchmarkQuant/S2.30/100k", "fail benchmarks BenchmarkQuant/S2.31/1M", "fail benchmarks BenchmarkQuant"}},
		{"other part of a benchmark", "S2.30", "", open, true,
			[]string{"run benchmarks BenchmarkQuant", "run benchmarks BenchmarkQuant/S2.30/1M"}},
		{"benchmark of a longer name", "S2.30", "", open, true,
			[]string{"run benchmarks BenchmarkQuantile/S2.30/100k"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := judged(t, tc.bench, tc.events...).rows[tc.id]
			if r.proofs != tc.proofs || r.result != tc.result {
				t.Errorf("got %q, %q\nwant %q, %q", r.proofs, r.result, tc.proofs, tc.result)
			}
		})
	}
}

// A heading of a decision that carries the id gives the reason.
func TestDecisions(t *testing.T) {
	ids := idsOfHeadings("# Left out\n## S3.61 Four bits, and S0.7\nS2.13 is not meant\n### S0.7 again\n")
	if want := []string{"S0.7", "S3.61"}; !slices.Equal(ids, want) {
		t.Errorf("ids %q, want %q", ids, want)
	}
	const file = "docs/design/100-left-out.md"
	r := judgedWith(t, map[string][]string{"S3.61": {file}}, true, "pass tree TestX").rows["S3.61"]
	if r.proofs != file+" S3.61" || r.result != notBuilt {
		t.Errorf("got %q, %q", r.proofs, r.result)
	}
}

// What is kept by hand stays as it is, and a second run changes nothing.
func TestFormat(t *testing.T) {
	m := judged(t, true, "pass gradients TestS2_13")
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
	if lost := judged(t, true, "pass gradients TestS2_13").lost(); len(lost) > 0 {
		t.Errorf("nothing is lost: %q", lost)
	}
	lost := judged(t, true, "pass gradients TestOther").lost()
	if len(lost) != 1 || !strings.HasPrefix(lost[0], "S2.13: pass there, open now") {
		t.Errorf("got %q, want S2.13", lost)
	}
	// More than the file claims is no loss.
	if lost := judged(t, true, "pass gradients TestS2_13", "pass tensorq FuzzS3_42").lost(); len(lost) > 0 {
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

func TestDeclared(t *testing.T) {
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
	where, err := declared(tree, []string{"HistByWidth", "MaxAbs"})
	if err != nil {
		t.Fatal(err)
	}
	if len(where) != 1 || len(where["HistByWidth"]) != 1 || where["HistByWidth"][0] != "histogram" {
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

func TestChoose(t *testing.T) {
	for _, c := range []struct {
		all  bool
		only string
		want []bool // of HistByWidth, HistByWidths
	}{
		{true, "", []bool{true, true}}, {false, "", []bool{false, false}},
		{false, "HistByWidth", []bool{true, false}}, {true, "Quantize|HistByWidths", []bool{false, true}},
	} {
		chosen, err := choose(c.all, c.only)
		if err != nil {
			t.Fatal(err)
		}
		for i, name := range []string{"HistByWidth", "HistByWidths"} {
			if chosen(name) != c.want[i] {
				t.Errorf("%v, %q: %s runs %v", c.all, c.only, name, !c.want[i])
			}
		}
	}
	if _, err := choose(false, "("); err == nil {
		t.Error("half an expression was accepted")
	}
}
