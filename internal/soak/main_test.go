package main

import (
	"bytes"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"boost/benchmarks/harness"
)

func testTrial(t *testing.T, program string) *trial {
	t.Helper()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, scratch), 0o777); err != nil {
		t.Fatal(err)
	}
	return &trial{Rand: rand.New(rand.NewPCG(1, 1)), ctx: t.Context(), boost: program, dir: dir, seed: 1, kills: new(int)}
}

func TestChoose(t *testing.T) {
	for only, want := range map[string]int{"": len(campaigns), "kills": 9, "kills/store": 1, "memory,kills/train": 2} {
		chosen, shares, err := choose(only)
		if err != nil || len(chosen) != want || shares < want {
			t.Errorf("%q chooses %d campaigns of %d shares, error %v, want %d", only, len(chosen), shares, err, want)
		}
	}
	for _, only := range []string{"kill", "memory,", "train"} {
		if _, _, err := choose(only); err == nil {
			t.Errorf("%q is accepted", only)
		}
	}
}

// A program that writes its output in place, and one that leaves another file, are found out.
func TestKillsFindFaults(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no shell")
	}
	for fault, script := range map[string]string{
		"none of those expected": "printf ne >out; exec sleep 60",
		"left over":              "printf new >other; exec sleep 60",
	} {
		tr := testTrial(t, sh)
		r := &replacing{out: "out", old: []byte("old"), new: []byte("new"), pace: &pace{2 * time.Second},
			args: func(string) []string { return []string{"-c", script} }}
		for err = nil; err == nil; {
			err = r.run(tr)
		}
		if !strings.Contains(err.Error(), fault) {
			t.Errorf("%s: %v, want %q", script, err, fault)
		}
	}
}

func TestPanicsAreFailures(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no shell")
	}
	tr := testTrial(t, sh)
	for script, wrong := range map[string]bool{
		"exit 0": false, "echo error: no table >&2; exit 3": false, "exit 130": false,
		"exit 3": true, "echo panic: index out of range >&2; exit 2": true, "echo fatal error: out of memory >&2; exit 2": true,
	} {
		if _, err := tr.end(nil, "-c", script); (err != nil) != wrong {
			t.Errorf("%s: error %v", script, err)
		}
	}
}

// A model file has the lengths and checksums that seal gives it.
func TestSeal(t *testing.T) {
	files, err := filepath.Glob("../../booster/model/testdata/*.boost")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d model files, error %v", len(files), err)
	}
	for _, file := range files {
		valid, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		broken := bytes.Clone(valid)
		copy(broken[24:], "length__")
		copy(broken[len(broken)-4:], "crc_")
		at := bytes.Index(broken, []byte(`"crc32c":"`)) + len(`"crc32c":"`)
		copy(broken[at:], "0badc0de")
		if got := seal(broken); !bytes.Equal(got, valid) {
			t.Errorf("%s: sealed anew it is another file", file)
		}
	}
}

func TestRecordAdds(t *testing.T) {
	path := filepath.Join(t.TempDir(), "soak.json")
	for range 2 {
		results := []result{{"kills/store", 10, 20, 1, 2.5}, {"fuzz", 2, 0, 0, 1}}
		if err := addRun(path, "", runRecord{Seed: 3}, results, map[string]int64{"tree FuzzTree": 100}); err != nil {
			t.Fatal(err)
		}
	}
	var r record
	if err := harness.Read(path, &r); err != nil {
		t.Fatal(err)
	}
	if len(r.Runs) != 2 || r.Campaigns[0] != (result{"kills/store", 20, 40, 2, 5}) || r.Fuzz["tree FuzzTree"] != 200 {
		t.Errorf("two runs add up to %+v", r)
	}
}

// Targets are found, and listed with their executions: those of a package in one line, those of a target that has none, too.
func TestFuzzTargets(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a_test.go"), []byte("func FuzzB(f *testing.F) {\n}\nfunc FuzzA(f *testing.F) {\n}\nfunc Fuzzy() {\n}\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	targets, err := listTargets(dir)
	folder := filepath.ToSlash(dir)
	if want := []string{folder + " FuzzB", folder + " FuzzA"}; err != nil || !slices.Equal(targets, want) {
		t.Errorf("%q, %v, want %q", targets, err, want)
	}
	r := record{Fuzz: map[string]int64{"a FuzzB": 12_345_678, "a FuzzA": 0, "c FuzzC": 9_999_999}}
	if got, want := r.fuzzTable(), `
Fuzzing executed 3 targets 22,345,677 times in all, 1 of them 10,000,000 times and more:

| package | executions of its targets |
|---|---|
| `+"`a` | `FuzzA` 0, `FuzzB` 12,345,678 |\n| `c` | `FuzzC` 9,999,999 |\n"; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}

// The section of the document is what the committed record gives.
func TestDocument(t *testing.T) {
	var r record
	if err := harness.Read("../../benchmarks/results/soak.json", &r); err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile("../../docs/reliability.md")
	if err != nil {
		t.Fatal(err)
	}
	page := filepath.Join(t.TempDir(), "page.md")
	if err := os.WriteFile(page, want, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := r.updateDocument(page); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(page); err != nil || !bytes.Equal(got, want) {
		t.Errorf("docs/reliability.md is not what benchmarks/results/soak.json gives, error %v", err)
	}
}

// Ranks that end otherwise than one process, or make another model, are found out.
func TestRanksAgree(t *testing.T) {
	well, bad := ended{}, ended{code: 3, errors: "error: t.csv has no rows"}
	refused := ended{code: 2, errors: "error: tree.linear is for one process: leave it out, or train without ranks"}
	for name, c := range map[string]struct {
		want ended
		ends []ended
		file string // what the ranks have written
		ok   bool
	}{
		"the model":         {well, []ended{well, well}, "model", true},
		"another model":     {well, []ended{well, well}, "other", false},
		"no model":          {well, []ended{well, well}, "", false},
		"a rank fails":      {well, []ended{well, bad}, "model", false},
		"all fail":          {well, []ended{bad, bad}, "", false},
		"as one process":    {bad, []ended{bad, bad}, "", true},
		"another code":      {bad, []ended{{code: 1, errors: "error"}}, "", false},
		"refused":           {well, []ended{refused, refused}, "", true},
		"refused and there": {well, []ended{refused, refused}, "model", false},
	} {
		tr := testTrial(t, "")
		var model, file []byte
		if c.want.code == 0 {
			model = []byte("model")
		}
		if c.file != "" {
			file = []byte(c.file)
		}
		if err := tr.write("ranks.boost", file); err != nil {
			t.Fatal(err)
		}
		if err := tr.agreed(c.want, model, c.ends, make([]string, len(c.ends)), ""); (err == nil) != c.ok {
			t.Errorf("%s: error %v", name, err)
		}
	}
}
