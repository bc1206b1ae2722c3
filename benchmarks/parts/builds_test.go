package parts_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"boost/benchmarks/parts"
)

// The test binary plays both programs; which one, and its seconds, are in its name.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && (os.Args[1] == "train" || os.Args[1] == "predict") {
		os.Exit(play(filepath.Base(os.Args[0]), os.Args[1:]))
	}
	os.Exit(m.Run())
}

func play(name string, args []string) int {
	at := slices.Index(args, "-o")
	if name == "broken" || at < 0 || args[0] == "train" && !slices.Contains(args, "train.early_stopping=0") {
		fmt.Fprintln(os.Stderr, "cannot")
		return 1
	}
	log, err := os.OpenFile(filepath.Join(filepath.Dir(args[at+1]), "log"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return 1
	}
	fmt.Fprintln(log, name, args[0])
	if err := log.Close(); err != nil {
		return 1
	}
	seconds := map[string]float64{"old": 6, "new": 4}[name]
	fmt.Printf(`{"model": "m", "sha256": %q, "seconds": {"load": 1, "bin": 2, "train": %v, "total": 9}}`, name, seconds)
	return 0
}

// programs returns links to this binary.
func programs(t *testing.T, names ...string) []string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	var list []string
	for _, name := range names {
		path := filepath.Join(folder, name)
		if err := os.Symlink(self, path); err != nil {
			t.Fatal(err)
		}
		list = append(list, path)
	}
	return list
}

func TestBuilds(t *testing.T) {
	p := programs(t, "old", "new")
	folder := t.TempDir()
	f, err := parts.Race{Folder: folder, Rounds: 3, Threads: 1, Turns: 2}.Measure(t.Context(), parts.Builds{Base: p[0], Tree: p[1]})
	if err != nil {
		t.Fatal(err)
	}
	log, err := os.ReadFile(filepath.Join(folder, "log"))
	want := "old train\nold predict\nnew train\nnew predict\nnew train\nnew predict\nold train\nold predict\n"
	if err != nil || string(log) != want {
		t.Errorf("order %q, error %v, want %q", log, err, want)
	}
	var out bytes.Buffer
	f.Table(&out)
	for _, want := range []string{"| train   |    6.000 |    4.000 |        1.500 |", "| bin     |    2.000 |    2.000 |        1.000 |", "other model bytes"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
	if f, err = (parts.Race{Folder: folder, Turns: 1}).Measure(t.Context(), parts.Builds{Base: p[0], Tree: p[0]}); err != nil || !f.SameModel {
		t.Errorf("a program beside itself: %+v, error %v", f, err)
	}
}

func TestBuildsFail(t *testing.T) {
	p := programs(t, "old", "broken")
	_, err := parts.Race{Folder: t.TempDir(), Turns: 1}.Measure(t.Context(), parts.Builds{Base: p[0], Tree: p[1]})
	if err == nil || !strings.Contains(err.Error(), "cannot") {
		t.Errorf("error %v, want what the program said", err)
	}
}
