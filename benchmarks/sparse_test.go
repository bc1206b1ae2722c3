package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"boost/benchmarks/peers"
	"boost/benchmarks/synth"
)

func TestTrainOnSparseTables(t *testing.T) {
	for _, kind := range synth.SparseKinds() {
		t.Run(kind, func(t *testing.T) {
			folder := t.TempDir()
			if _, _, err := run(t, "generate", "--kind", kind, "--out", folder, "--rows", "3000", "--test", "500", "--cols", "400", "--threads", "1"); err != nil {
				t.Fatal(err)
			}
			predictions := filepath.Join(folder, "p.npy")
			out, _, err := run(t, "train-sparse", "--data", folder, "--threads", "1", "--rounds", "3", "--out", predictions)
			var r peers.Run
			if err != nil || json.Unmarshal([]byte(out), &r) != nil || r.Train <= 0 || r.Bin <= 0 || r.Load <= 0 || r.Predict <= 0 {
				t.Fatalf("train-sparse printed %s, error %v", out, err)
			}
			f, err := os.Open(predictions)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = f.Close() }()
			p, err := synth.ReadNPY(f)
			if err != nil || len(p) != 1 || len(p[0]) != 500 || p[0][0] <= 0 || p[0][0] >= 1 {
				t.Errorf("predictions: %d columns, error %v", len(p), err)
			}
			out, _, err = run(t, "load-sparse", "--data", folder, "--threads", "1")
			if err != nil || json.Unmarshal([]byte(out), &r) != nil {
				t.Errorf("load-sparse printed %s, error %v", out, err)
			}
		})
	}
}

func TestPeersSparseNamesWhatIsWrong(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--kind", "spares"}, `"spares"`},
		{[]string{"--repeats", "0"}, "--repeats"},
	} {
		_, _, err := run(t, append([]string{"peers-sparse", "--cache", t.TempDir()}, c.args...)...)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: error %v", c.args, err)
		}
	}
}
