package booster

import (
	"time"

	"boost/binning"
	"boost/tree/grow"
)

// Params says how a model is trained. The zero value is not usable: start from Defaults.
//
// Every leaf field carries two tags: key, its name in configs, flags and the
// model's manifest; use, "model" if it can change the model's bytes (it is then
// stored in the model) or "run" if it cannot.
type Params struct {
	Objective     string        `key:"train.objective" use:"model"` // "" = inferred from the label
	Rounds        int           `key:"train.rounds" use:"model"`
	LearningRate  float64       `key:"train.learning_rate" use:"model"`
	Seed          uint64        `key:"train.seed" use:"model"`
	EarlyStopping int           `key:"train.early_stopping" use:"model"` // rounds without a better metric; 0 = off
	Gradients     string        `key:"train.gradients" use:"model"`      // "i16", "i32" or "f32"
	PositiveClass string        `key:"data.positive_class" use:"model"`  // "" = the second of two
	Threads       int           `key:"train.threads" use:"run"`          // 0 = CPU quota or physical cores
	Builder       string        `key:"train.builder" use:"run"`          // "auto", "sequential", "feature" or "row"
	TimeLimit     time.Duration `key:"train.time_limit" use:"run"`       // 0 = none
	MemoryLimit   int64         `key:"train.memory_limit" use:"run"`     // bytes; 0 = none
	Verify        bool          `key:"train.verify" use:"run"`           // check S2.26's invariant for every node

	ClipNegativeHessian bool `key:"gradients.clip_negative_hessian" use:"model"`

	RowFraction float64 `key:"sampling.row_fraction" use:"model"` // share of rows per round, (0, 1]
	RowEvery    int     `key:"sampling.row_every" use:"model"`    // rounds between new row samples

	Metrics      []string `key:"metrics.names" use:"model"` // empty = the objective's own
	MetricsEvery int      `key:"metrics.every" use:"model"`

	Binning binning.Params
	Tree    grow.Params
}

// Defaults returns the parameters that a config file starts from.
func Defaults() Params {
	return Params{
		Rounds: 100, LearningRate: 0.1, Seed: 1, Gradients: "i16", Builder: "auto",
		RowFraction: 1, RowEvery: 1, MetricsEvery: 1,
		Binning: binning.Defaults(), Tree: grow.Defaults(),
	}
}
