package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// saved is the folder of the checkpoints of a trial.
const saved = "saved"

// resumable is a training with checkpoints whose model is known.
type resumable struct {
	args []string
	want []byte
	pace *pace
}

const (
	regression = "train.objective=regression"
	earlyStop  = "train.early_stopping=5"
)

// ways are the settings of trainings that are killed and gone on with.
var ways = [][]string{
	{regression, "sampling.row_fraction=0.6", "sampling.row_every=3", "train.rounds=60"},
	{regression, "train.boosting=dart", "dart.drop_rate=0.3", "train.rounds=40"},
	{regression, "train.boosting=rf", "sampling.row_fraction=0.6", "train.rounds=60"},
	{regression, "sampling.goss_top=0.2", "sampling.goss_other=0.1", earlyStop, "train.rounds=60", "train.learning_rate=0.5"},
	{regression, "sampling.mvs_fraction=0.5", "train.gradients=i8", "train.learning_rate_schedule=cosine", "train.rounds=60"},
	{regression, "quantize.dtype=I8", "quantize.error_feedback=true", "train.rounds=60"},
	{"train.objective=multiclass", "train.gradients=f32", earlyStop, "train.rounds=30"},
	{regression, earlyStop, "train.retrain=true", "train.blend=3", "sampling.mvs_fraction=0.7", "train.rounds=30", "train.learning_rate=0.5"},
}

// prepareResume kills trainings at any moment, several times in a row, and goes on from their checkpoints. One
// in four finds its newest checkpoint damaged. The model has the bytes of a training that nothing disturbed.
func prepareResume(t *trial) (func(t *trial) error, error) {
	f, _, err := makeFixture(t)
	if err != nil {
		return nil, err
	}
	var all []*resumable
	for _, way := range ways {
		r := &resumable{pace: &pace{}}
		for _, every := range []string{"", "3", "40ms"} {
			sets := slices.Clone(way)
			if every != "" {
				sets = append(sets, "output.checkpoint="+saved, "output.checkpoint_every="+every)
			}
			if r.args = training(f.table, "m.boost", sets...); slices.Contains(way, earlyStop) {
				none := slices.Index(r.args, "train.early_stopping=0")
				r.args = slices.Delete(r.args, none-1, none+1)
			}
			e, err := t.succeed(r.args...)
			if err != nil {
				return nil, err
			}
			r.pace.add(e.took)
			if every == "" {
				r.want, err = t.read("m.boost")
			} else {
				err = t.isOneOf("m.boost", r.want)
			}
			if err := errors.Join(err, t.write(saved, nil)); err != nil {
				return nil, err
			}
		}
		r.args = append(r.args, "--resume")
		all = append(all, r)
	}
	return func(t *trial) error { return all[t.IntN(len(all))].run(t) }, nil
}

func (r *resumable) run(t *trial) error {
	for _, name := range []string{"m.boost", "m.q.boost", saved} {
		if err := t.write(name, nil); err != nil {
			return err
		}
	}
	for range 1 + t.IntN(4) {
		_, err := t.kill(time.Duration(t.Float64()*float64(r.pace.usual)), r.args...)
		if err == nil {
			err = t.isOneOf("m.boost", nil, r.want)
		}
		if err == nil && t.IntN(4) == 0 {
			err = t.damageNewest()
		}
		if err != nil {
			return err
		}
	}
	if _, err := t.succeed(r.args...); err != nil {
		return err
	}
	if err := t.isOneOf("m.boost", r.want); err != nil {
		return fmt.Errorf("gone on: %w", err)
	}
	files, err := filepath.Glob(t.path(filepath.Join(saved, "*.*"))) // no folders
	if err == nil && len(files) > 5 {                                // with the lock, and what the last kill left if the run was over before
		err = fmt.Errorf("%q are left", files)
	}
	return err
}

// damageNewest changes a bit of the checkpoint of most bytes, or cuts it short.
func (t *trial) damageNewest() error {
	files, err := filepath.Glob(t.path(filepath.Join(saved, "round-*.checkpoint")))
	if err != nil {
		return err
	}
	var newest string
	var content []byte
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		if len(b) > len(content) {
			newest, content = file, b
		}
	}
	if newest == "" {
		return nil
	}
	at := t.IntN(len(content))
	content = bytes.Clone(content)
	if content[at] ^= 1 << t.IntN(8); t.IntN(2) == 0 {
		content = content[:at]
	}
	return os.WriteFile(newest, content, 0o666)
}
