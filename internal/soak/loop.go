package main

import (
	"fmt"
	"slices"
	"time"
)

// loop is a cross-validation or a search whose files are known. The same command goes on after a kill.
type loop struct {
	args  []string
	files []string // what it writes
	keeps []string // and goes on from
	want  map[string][]byte
	pace  *pace
}

// prepareLoop kills boost cv and boost tune at any moment, several times in a row, and goes on. The files have the bytes of a run that
// nothing disturbed, and are whole or absent meanwhile.
func prepareLoop(t *trial) (func(t *trial) error, error) {
	f, _, err := makeFixture(t)
	if err != nil {
		return nil, err
	}
	cv := func(more ...string) *loop {
		args := []string{"cv", f.table, "--label", "quality", "-q", "--rounds", "25", "-o", "m.boost", "--oof", "oof.csv",
			"--checkpoint", saved, "--set", "output.checkpoint_every=40ms", "--resume"}
		return &loop{args: append(args, more...), files: []string{"m.boost", "oof.csv"}, keeps: []string{saved}}
	}
	tune := func(more ...string) *loop {
		args := []string{"tune", f.table, "--label", "quality", "-q", "--rounds", "30", "--set", earlyStop, "--set", regression,
			"--study", "study.jsonl", "-o", "best.toml", "--plot", "trials.svg"}
		return &loop{args: append(args, more...), files: []string{"best.toml", "trials.svg"}, keeps: []string{"study.jsonl"}}
	}
	all := []*loop{
		cv("--set", regression, "--repeats", "2", "--folds", "3"),
		cv("--set", regression, "--strict", "--set", "train.boosting=dart", "--set", "train.early_stopping=0"),
		cv("--set", "train.objective=multiclass", "--set", earlyStop, "--set", "sampling.mvs_fraction=0.6"),
		tune("--trials", "12"),
		tune("--trials", "8", "--sampler", "random", "--held-out", "20%"),
		tune("--trials", "10", "--only", "--try", "tree.leaves=4..60:log", "--try", "train.boosting=gbdt,dart", "--no-prune"),
	}
	for _, l := range all {
		l.want, l.pace = map[string][]byte{}, &pace{}
		for range 2 {
			if err := l.clear(t, l.keeps); err != nil {
				return nil, err
			}
			e, err := t.succeed(l.args...)
			if err != nil {
				return nil, err
			}
			l.pace.add(e.took)
			for _, name := range l.files {
				b, err := t.read(name)
				if err != nil {
					return nil, err
				}
				if before, ok := l.want[name]; ok && !slices.Equal(b, before) {
					return nil, fmt.Errorf("%v: %s has other bytes in a second run", l.args, name)
				}
				l.want[name] = b
			}
		}
	}
	return func(t *trial) error { return all[t.IntN(len(all))].run(t) }, nil
}

// clear removes what the command writes, and some of what it keeps.
func (l *loop) clear(t *trial, keeps []string) error {
	for _, name := range slices.Concat(l.files, keeps) {
		if err := t.write(name, nil); err != nil {
			return err
		}
	}
	return nil
}

func (l *loop) run(t *trial) error {
	if err := l.clear(t, []string{saved, "study.jsonl"}); err != nil {
		return err
	}
	for range 1 + t.IntN(4) {
		if _, err := t.kill(time.Duration(t.Float64()*float64(l.pace.usual)), l.args...); err != nil {
			return err
		}
		for _, name := range l.files {
			if err := t.isOneOf(name, nil, l.want[name]); err != nil {
				return fmt.Errorf("killed: %w", err)
			}
		}
		if t.IntN(2) == 0 { // what a run that came to its end has written is no help to the next one
			if err := l.clear(t, nil); err != nil {
				return err
			}
		}
	}
	if _, err := t.succeed(l.args...); err != nil {
		return err
	}
	for _, name := range l.files {
		if err := t.isOneOf(name, l.want[name]); err != nil {
			return fmt.Errorf("gone on: %w", err)
		}
	}
	return t.onlyHas(false, slices.Concat(l.files, l.keeps)...)
}
