package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"

	"boost/benchmarks/harness"
	"boost/benchmarks/peers"
)

// zipped makes the text files of a collection what their names say.
func zipped(t *testing.T, data string, sets ...string) {
	t.Helper()
	for _, set := range sets {
		path := filepath.Join(data, set, "train.csv.gz")
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		z := gzip.NewWriter(&b)
		if _, err := z.Write(text); err != nil || z.Close() != nil {
			t.Fatal(err)
		}
		write(t, path, b.String())
	}
}

func TestTrain(t *testing.T) {
	data := collection(t, "0.6")
	zipped(t, data, "few")
	folder, err := peers.Prepare(filepath.Join(data, "few"), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	sums := map[string]bool{}
	for _, threads := range []string{"1", "2"} {
		out, _, err := run(t, "train", "--folder", folder, "--threads", threads, "--rounds", "10", "--budget", "0.01")
		if err != nil {
			t.Fatal(err)
		}
		var p peers.Process
		if err := json.Unmarshal([]byte(out), &p); err != nil {
			t.Fatal(err)
		}
		if p.Rows != 400 || p.Columns != 2 || p.Read <= 0 || p.Bin <= 0 || len(p.Ways) != 1 || p.Ways[0].Seconds <= 0 || p.Ways[0].Warm <= 0 {
			t.Errorf("printed %s", out)
		}
		if p.File < p.Ways[0].Seconds || p.Gradients != "i16" || len(p.Model) != 64 {
			t.Errorf("printed %s", out)
		}
		sums[p.Model] = true
	}
	if len(sums) != 1 {
		t.Errorf("models %v: the number of threads changed the bytes", sums)
	}
	if _, _, err := run(t, "train", "--folder", data); err == nil || !strings.Contains(err.Error(), harness.MetaFile) {
		t.Errorf("no table: error %v", err)
	}
}

// The measurement itself starts this program anew, which a test binary is not: here it ends at what
// comes before.
func TestPeersCommandFails(t *testing.T) {
	data := collection(t, "0.6")
	for want, args := range map[string][]string{
		`"nothing"`:     {"--data", data, "--sets", "nothing"},
		"BOOST_SHARED":  {"--data", filepath.Join(data, "nowhere")},
		"--turns":       {"--data", data, "--turns", "0"},
		"gzip":          {"--data", data, "--sets", "few", "--cache", t.TempDir()},
		"invalid chara": {"--data", data, "--results", filepath.Join(data, "few", "train.csv.gz"), "--sets", "few"},
	} {
		args = append([]string{"peers", "--document", "", "--results", filepath.Join(t.TempDir(), "real.json")}, args...)
		if _, _, err := run(t, args...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: error %v, want one with %q", args, err, want)
		}
	}
}
