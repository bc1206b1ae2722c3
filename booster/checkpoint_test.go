package booster_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"boost/booster"
	"boost/dataset"
	"boost/internal/testenv"
)

// stopped trains with checkpoints, and stops after so many rounds of this run.
func stopped(t *testing.T, rounds int, p booster.Params, table *dataset.Table, opts ...booster.Option) error {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	seen := 0
	_, err := booster.Train(ctx, p, table, append(opts, booster.OnRound(func(booster.Round) {
		if seen++; seen == rounds {
			cancel()
		}
	}))...)
	return err
}

// checkpointsIn lists the checkpoints of a folder.
func checkpointsIn(t *testing.T, dir string) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "round-*.checkpoint"))
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// A run that is stopped, and one that is killed after its last checkpoint but one, go on to the bytes and the report of one
// that never stopped: with every option, in every way of boosting, from a base model too, on other numbers of threads.
func TestResume(t *testing.T) {
	random := rand.New(rand.NewPCG(28, 5))
	tables := map[string]*dataset.Table{}
	tried := map[string]int{}
	ways := []choice{
		{"boosting: gbdt", func(*booster.Params) {}},
		{"boosting: dart", func(p *booster.Params) { p.Boosting, p.Dart.DropRate, p.Dart.SkipDrop = "dart", 0.4, 0.2 }},
		{"boosting: rf", func(p *booster.Params) { p.Boosting, p.Tree.ColNode = "rf", 0.7 }},
	}
	for i, c := range choices() {
		if c.kind() == "boosting" || c.kind() == "verify" || testing.Short() && i%4 != 0 {
			continue
		}
		for w, way := range ways {
			if (i+w)%3 == 0 && i > 12 || (i+w)%3 == 1 {
				continue
			}
			p := booster.Defaults()
			p.Objective, p.Rounds, p.LearningRate, p.Tree.MinDataInLeaf, p.Tree.Leaves = "regression", 9, 0.3, 5, 6
			p.MetricsEvery, p.EarlyStopping = 1+i%2, (i+w)%3*2
			way.set(&p)
			c.set(&p)
			table := tables[p.Objective]
			if table == nil {
				table = pairTable(t, p.Objective)
				tables[p.Objective] = table
			}
			name := fmt.Sprintf("%s, %s", c.name, way.name)
			opts := []booster.Option{booster.Valid("one", table.Take(rowsOf(0, 160))), booster.Valid("two", table.Take(rowsOf(160, 400)))}
			if i%4 == 1 && way.name == "boosting: gbdt" {
				q := p
				q.Rounds, q.EarlyStopping = 2, 0
				base, err := booster.Train(t.Context(), q, table)
				if err == nil {
					opts = append(opts, booster.From(base))
				}
			}
			var want, got booster.Report
			m, err := booster.Train(t.Context(), p, table, append(opts, booster.WithPool(pool(t, 1)), booster.WithReport(&want))...)
			if errors.Is(err, booster.ErrParams) {
				continue
			} else if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			saves := booster.Checkpoints{Dir: filepath.Join(t.TempDir(), "a", "b"), Every: booster.CheckpointEvery{Rounds: 2}}
			with := func() []booster.Option { return append(slices.Clone(opts), booster.WithCheckpoints(saves)) }
			after := 1 + random.IntN(8)
			if err := stopped(t, after, p, table, with()...); err != nil && !errors.Is(err, booster.ErrInterrupted) {
				t.Fatalf("%s: %v", name, err)
			}
			files := checkpointsIn(t, saves.Dir)
			if i%3 == 0 && len(files) == 2 {
				if err := os.Remove(slices.Max(files)); err != nil {
					t.Fatal(err)
				}
			}
			saves.Resume = true
			resumed, err := booster.Train(t.Context(), p, table, append(with(), booster.WithPool(pool(t, 2)), booster.WithReport(&got))...)
			if err != nil {
				t.Errorf("%s: after %d rounds: %v", name, after, err)
				continue
			}
			if got.Resumed == 0 || got.Resumed > after {
				t.Errorf("%s: %d rounds were taken from the checkpoint, stopped after %d", name, got.Resumed, after)
			}
			if !bytes.Equal(bytesOf(t, resumed), bytesOf(t, m)) {
				t.Errorf("%s: resumed after %d rounds, the model is another", name, got.Resumed)
			}
			if got.Rounds != want.Rounds || got.Stopped != want.Stopped || fmt.Sprint(got.Metrics) != fmt.Sprint(want.Metrics) {
				t.Errorf("%s: resumed: %d rounds, %s, %v; want %d, %s, %v", name, got.Rounds, got.Stopped, got.Metrics, want.Rounds, want.Stopped, want.Metrics)
			}
			tried[way.name]++
			tried[want.Stopped]++
		}
	}
	t.Logf("tried %v", tried)
	for _, name := range []string{ways[0].name, ways[1].name, ways[2].name, booster.StoppedEarly, booster.StoppedRounds} {
		if tried[name] < testenv.UnlessShort(10, 2) {
			t.Errorf("%s: only %d trials", name, tried[name])
		}
	}
}

func rowsOf(lo, hi int) []int32 {
	rows := make([]int32, 0, hi-lo)
	for row := lo; row < hi; row++ {
		rows = append(rows, int32(row))
	}
	return rows
}

// More rounds than before, and a run that ended early, go on too; a checkpoint of a round that the longer run
// would not evaluate is passed over.
func TestResumeWithMoreRounds(t *testing.T) {
	table := pairTable(t, "regression")
	for _, every := range []int{1, 4} {
		p := booster.Defaults()
		p.Objective, p.Rounds, p.MetricsEvery = "regression", 21, every
		valid := booster.Valid("valid", table.Take(rowsOf(0, 90)))
		want := train(t, p, table, valid)
		saves := booster.Checkpoints{Dir: t.TempDir(), Every: booster.CheckpointEvery{Rounds: 7}}
		short := p
		short.Rounds = 9
		train(t, short, table, valid, booster.WithCheckpoints(saves))
		saves.Resume = true
		var report booster.Report
		var log bytes.Buffer
		got := train(t, p, table, valid, booster.WithCheckpoints(saves), booster.WithReport(&report), booster.Logger(slog.New(slog.NewTextHandler(&log, nil))))
		if !bytes.Equal(bytesOf(t, got), bytesOf(t, want)) {
			t.Errorf("metrics.every = %d: another model", every)
		}
		if wantFrom := map[int]int{1: 9, 4: 7}[every]; report.Resumed != wantFrom {
			t.Errorf("metrics.every = %d: went on from round %d, want %d", every, report.Resumed, wantFrom)
		}
		if every == 4 && !strings.Contains(log.String(), "whose metrics training for 21 rounds passes over") {
			t.Errorf("not said: %s", log.String())
		}
		short.Rounds = 3
		if _, err := booster.Train(t.Context(), short, table, valid, booster.WithCheckpoints(saves)); err != nil {
			t.Errorf("fewer rounds than there are: %v", err)
		}
	}
}

// What is of other data or settings is refused by name, damage is passed over.
func TestResumeRefuses(t *testing.T) {
	table := pairTable(t, "regression")
	p := booster.Defaults()
	p.Objective, p.Rounds = "regression", 10
	saves := booster.Checkpoints{Dir: t.TempDir(), Every: booster.CheckpointEvery{Rounds: 3}}
	want := bytesOf(t, train(t, p, table, booster.WithCheckpoints(saves)))
	files := checkpointsIn(t, saves.Dir)
	if names := filepath.Base(slices.Min(files)) + " " + filepath.Base(slices.Max(files)); len(files) != 2 || names != "round-10.checkpoint round-9.checkpoint" {
		t.Fatalf("the folder holds %q", files)
	}
	saves.Resume = true
	for name, c := range map[string]struct {
		change func(p *booster.Params)
		table  *dataset.Table
		opts   []booster.Option
		want   string
	}{
		"settings":   {func(p *booster.Params) { p.Seed, p.Tree.Leaves, p.GossTop, p.GossOther = 7, 8, 0.2, 0.1 }, table, nil, "sampling.goss_other was 0 and is 0.1, sampling.goss_top was 0 and is 0.2, train.seed was 1 and is 7, tree.leaves was 31 and is 8"},
		"rate":       {func(p *booster.Params) { p.RateSchedule = booster.LinearRate }, table, nil, `train.learning_rate_schedule was not set and is "linear", train.rounds was not set and is 10`},
		"data":       {func(*booster.Params) {}, table.Take(rowsOf(0, 399)), nil, "the training table was "},
		"validation": {func(*booster.Params) {}, table, []booster.Option{booster.Valid("valid", table)}, `the validation sets was null and is ["valid"]`},
	} {
		q := p
		c.change(&q)
		_, err := booster.Train(t.Context(), q, c.table, append(c.opts, booster.WithCheckpoints(saves))...)
		if !errors.Is(err, booster.ErrParams) || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "is of another run") {
			t.Errorf("%s: %v\nwant %q", name, err, c.want)
		}
	}
	resume := func(from int, said ...string) {
		t.Helper()
		var log bytes.Buffer
		var report booster.Report
		m := train(t, p, table, booster.WithCheckpoints(saves), booster.WithReport(&report), booster.Logger(slog.New(slog.NewTextHandler(&log, nil))))
		if report.Resumed != from {
			t.Errorf("went on from round %d, want %d", report.Resumed, from)
		}
		for _, words := range said {
			if !strings.Contains(log.String(), words) {
				t.Errorf("%q is not said: %s", words, log.String())
			}
		}
		if !bytes.Equal(bytesOf(t, m), want) {
			t.Errorf("from round %d: another model", from)
		}
	}
	damage := func(name string, change func(b []byte) []byte) {
		t.Helper()
		path := filepath.Join(saves.Dir, name)
		b, err := os.ReadFile(path)
		if err == nil {
			err = os.WriteFile(path, change(b), 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	flip := func(b []byte) []byte { b[len(b)/2] ^= 4; return b }
	resume(10)
	damage("round-10.checkpoint", flip)
	resume(9, "round-10.checkpoint is damaged: its checksum is wrong", "goes on from the checkpoints")
	damage("round-10.checkpoint", func([]byte) []byte { return nil })
	damage("round-9.checkpoint", func(b []byte) []byte { return b[:len(b)-1] })
	resume(0, "round-10.checkpoint is damaged: it does not begin", "round-9.checkpoint is damaged: it has", "there is no checkpoint to go on from", "starts from round 0")
	resume(10)

	// A run that starts anew says what it replaces.
	var log bytes.Buffer
	saves.Resume = false
	again := train(t, p, table, booster.WithCheckpoints(saves), booster.Logger(slog.New(slog.NewTextHandler(&log, nil))))
	if !strings.Contains(log.String(), "newest=round-10.checkpoint") || !bytes.Equal(bytesOf(t, again), want) {
		t.Errorf("starting anew: %s", log.String())
	}
	_, err := booster.Train(t.Context(), p, table, booster.WithCheckpoints(saves), booster.OnRound(func(r booster.Round) {
		if r.Index > 0 {
			return
		}
		if _, err := booster.Train(t.Context(), p, table, booster.WithCheckpoints(saves)); !errors.Is(err, booster.ErrParams) || !strings.Contains(err.Error(), "give each run a folder of its own") {
			t.Errorf("two runs in one folder: %v", err)
		}
	}))
	if err != nil {
		t.Fatal(err)
	}
}
