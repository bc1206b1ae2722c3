package peers_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"boost/benchmarks/peers"
	"boost/benchmarks/synth"
	"boost/parallel"
)

// The test binary plays the contenders: it prints what the real ones would.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "contender" {
		os.Exit(contend(os.Args[2], os.Args[3:]))
	}
	os.Exit(m.Run())
}

func contend(role string, args []string) int {
	switch role {
	case "absent":
		return 3
	case "broken":
		fmt.Fprintln(os.Stderr, "no such column")
		return 1
	case "silent":
		return 0
	case "killed":
		if this, err := os.FindProcess(os.Getpid()); err == nil {
			_ = this.Kill()
		}
		time.Sleep(time.Minute)
	case "stuck":
		time.Sleep(time.Minute)
	}
	flags := map[string]string{}
	for i := 0; i+1 < len(args); i += 2 {
		flags[args[i]] = args[i+1]
	}
	if out := flags["--out"]; out != "" {
		// The labels themselves are perfect predictions.
		labels, err := os.ReadFile(filepath.Join(flags["--data"], synth.TestY))
		if err == nil {
			err = os.WriteFile(out, labels, 0o666)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	fmt.Printf(`{"version": "fake 1", "bin_seconds": 0.5, "predict_seconds": 0.1, "train_seconds": %s}`, map[string]string{"fast": "1", "slow": "2", "load": "0"}[role])
	return 0
}

func contender(name, role string, trains bool) peers.Contender {
	return peers.Contender{Name: name, Trains: trains, Command: []string{os.Args[0], "contender", role}}
}

func table(t *testing.T) string {
	t.Helper()
	g, err := synth.NewGenerator(1, 3)
	if err != nil {
		t.Fatal(err)
	}
	pool := parallel.NewPool(1)
	defer pool.Close()
	folder := t.TempDir()
	if err := g.Write(folder, 10, 40, pool); err != nil {
		t.Fatal(err)
	}
	return folder
}

func settings() peers.Settings {
	return peers.Settings{Rows: 10, Columns: 3, Test: 40, Threads: 2, Rounds: 5, Repeats: 2, Seed: 1}
}

func TestMeasure(t *testing.T) {
	contenders := []peers.Contender{
		contender(peers.BoostName, "fast", true),
		contender("lightgbm-quantized-row", "slow", true),
		contender("xgboost-hist", "absent", true),
		{Name: "sklearn-hgb", Trains: true, Command: []string{filepath.Join(t.TempDir(), "no-python")}},
		contender("load-boost", "load", false),
	}
	var words bytes.Buffer
	r, err := peers.Measure(context.Background(), contenders, settings(), table(t), &words)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]int{peers.BoostName: 2, "lightgbm-quantized-row": 2, "load-boost": 2, "xgboost-hist": 0} {
		if got := len(r.Runs[name]); got != want {
			t.Errorf("%s ran %d times, want %d", name, got, want)
		}
	}
	if got := strings.Join(r.Absent, " "); got != "xgboost-hist sklearn-hgb" {
		t.Errorf("absent: %q", got)
	}
	run := r.Runs[peers.BoostName][0]
	if run.AUC != 1 || run.LogLoss > 1e-14 || run.Train != 1 || run.PeakBytes < 1<<20 {
		t.Errorf("perfect predictions gave %+v", run)
	}
	verdict, _ := r.Target()
	if !strings.Contains(verdict, "training time × 0.500") || !strings.Contains(verdict, "bin + train × 0.600") {
		t.Errorf("verdict %q, want ratios 0.5 and 1.5/2.5", verdict)
	}
	if order := words.String(); strings.Index(order, "1/2 load-boost") > strings.Index(order, "2/2 boost") {
		t.Errorf("repeats do not take turns:\n%s", order)
	}
}

func TestMeasureFails(t *testing.T) {
	for role, want := range map[string]string{"broken": "no such column", "silent": "printed"} {
		_, err := peers.Measure(context.Background(), []peers.Contender{contender("x", role, true)}, settings(), table(t), &bytes.Buffer{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want one with %q", role, err, want)
		}
	}
	if _, err := peers.Measure(context.Background(), nil, settings(), t.TempDir(), &bytes.Buffer{}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no table: error %v", err)
	}
}

func TestTargetNeedsBoth(t *testing.T) {
	r, err := peers.Measure(context.Background(), []peers.Contender{contender(peers.BoostName, "fast", true)}, settings(), table(t), &bytes.Buffer{})
	if err != nil {
		t.Fatal(err)
	}
	if verdict, ok := r.Target(); ok || !strings.Contains(verdict, "did not run") {
		t.Errorf("target without a peer: %q, %v", verdict, ok)
	}
}

func TestRecordIsKept(t *testing.T) {
	r, err := peers.Measure(context.Background(), []peers.Contender{contender(peers.BoostName, "fast", true)}, settings(), table(t), &bytes.Buffer{})
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	path, err := r.Save(filepath.Join(folder, "results"))
	if err != nil || filepath.Base(path) != "peers-10x3-t2.json" {
		t.Fatalf("saved to %s, error %v", path, err)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var back peers.Record
	if err := json.Unmarshal(b, &back); err != nil || back.Runs[peers.BoostName][1] != r.Runs[peers.BoostName][1] {
		t.Errorf("read back %+v, error %v", back.Runs, err)
	}

	document := filepath.Join(folder, "performance.md")
	if err := os.WriteFile(document, []byte("# Speed\n\nText.\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := r.UpdateDocument(document); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	if got := string(text); !strings.HasPrefix(got, "# Speed\n\nText.\n") || strings.Count(got, "### 10 × 3, 2 threads") != 1 {
		t.Errorf("the document after two updates:\n%s", got)
	}
}

func TestContenders(t *testing.T) {
	all, err := peers.Contenders("self", "python", "peer.py", nil)
	if err != nil || len(all) != len(peers.Names()) {
		t.Fatalf("%d contenders of %d, error %v", len(all), len(peers.Names()), err)
	}
	some, err := peers.Contenders("self", "python", "peer.py", []string{"load-boost", "boost"})
	if err != nil || len(some) != 2 {
		t.Fatalf("contenders %+v, error %v", some, err)
	}
	if got := strings.Join(append(some[0].Command, some[1].Command...), " "); got != "self train self load" || !some[0].Trains || some[1].Trains {
		t.Errorf("commands %q of %+v", got, some)
	}
	if _, err := peers.Contenders("", "", "", []string{"catboost"}); err == nil || !strings.Contains(err.Error(), "xgboost-hist") {
		t.Errorf("an unknown name: error %v, want one that lists the names", err)
	}
}

func TestMeasureSparse(t *testing.T) {
	s := settings()
	s.Kind, s.Limit = synth.OneHot, 2
	fast, slow := contender(peers.BoostName, "fast", true), contender("lightgbm-file", "slow", true)
	r, err := peers.Measure(context.Background(), []peers.Contender{fast, slow, contender("xgboost-csr", "stuck", true), contender("lightgbm-csr", "killed", true)}, s, table(t), io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Unfinished) != 1 || r.Unfinished[0] != "xgboost-csr" || r.Name() != "onehot-10x3-t2" {
		t.Errorf("%s: unfinished %v, want xgboost-csr", r.Name(), r.Unfinished)
	}
	var out bytes.Buffer
	r.Table(&out)
	for _, want := range []string{"| lightgbm-file ", "predict s", "Not finished within 2 s a run: xgboost-csr.", "out of memory: lightgbm-csr."} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in the table\n%s", want, out.String())
		}
	}
	if verdict, ok := r.Target(); !ok || !strings.Contains(verdict, "training × 0.500") {
		t.Errorf("verdict %q", verdict)
	}

	r, err = peers.Measure(context.Background(), []peers.Contender{fast, contender("lightgbm-file", "stuck", true)}, s, table(t), io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	if verdict, ok := r.Target(); !ok || !strings.Contains(verdict, "did not finish within 2 s") {
		t.Errorf("verdict %q, %v", verdict, ok)
	}
}

func TestSparseContenders(t *testing.T) {
	list, err := peers.SparseContenders("boost", "python", "script.py", nil)
	if err != nil || len(list) != len(peers.SparseNames()) || list[0].Command[1] != "train-sparse" || list[1].Command[2] != "lightgbm-file" {
		t.Errorf("%+v, error %v", list, err)
	}
	if _, err := peers.SparseContenders("boost", "python", "script.py", []string{"lightgbm-row"}); err == nil {
		t.Error("a contender of dense tables was accepted")
	}
}
