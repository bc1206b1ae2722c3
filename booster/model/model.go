package model

import (
	"encoding/json"

	"boost/binning"
	"boost/dataset"
	"boost/objectives"
	"boost/tree"
)

// Contents is everything a model is made of: what the trainer hands over and the
// file stores. Nothing in it depends on how or where the model was trained.
type Contents struct {
	Objective string          // name of the loss
	Link      objectives.Link // function from raw scores to predictions
	Outputs   int             // K: raw scores per row, trees per round
	BaseScore []float64       // K start scores
	Classes   []string        // K names of classes (binary: 2), nil for regression
	// NumericClasses says that class labels compare as numbers ("1" = "1.0").
	NumericClasses  bool
	Params          json.RawMessage // object of the parameters that can change the model, sorted keys
	Schema          dataset.Schema
	Cuts            *binning.Cuts // Features are the schema's columns with role Feature, in order
	Trees           []tree.Tree   // tree of (round r, output k) is entry r*K + k; up to the best round
	BestRound       int           // rounds kept
	History         []History     // metrics of all rounds, also those after the best
	WideRounds      []WideRound   // rounds and outputs that used the i32 storage (S2.7)
	Fingerprint     string        // of the training table: 32 hex digits
	ValidPrints     []string      // of the valid sets, in order
	NumericsVersion int
}

// History is one metric on one set through the rounds.
type History struct {
	Set    string     `json:"set"` // "valid", "valid2", …
	Metric string     `json:"metric"`
	Values []*float64 `json:"values"` // by round; null = undefined or not evaluated
}

// WideRound names a round and output whose gradients needed 32-bit codes.
type WideRound struct {
	Round  int `json:"round"`
	Output int `json:"output"`
}

// Model is a trained model. It is immutable and safe for concurrent use.
type Model struct {
	contents Contents
}
