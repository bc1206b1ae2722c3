package model

import (
	"crypto/sha256"
	"encoding/json"
	"sync"
	"sync/atomic"

	"boost/binning"
	"boost/dataset"
	"boost/internal/kernel/predict"
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
	Classes   []string        // K names of classes (one output: 2), nil for regression
	// NumericClasses says that class labels compare as numbers ("1" = "1.0").
	NumericClasses  bool
	Params          json.RawMessage // object of the parameters that can change the model, sorted keys
	Schema          dataset.Schema
	Cuts            *binning.Cuts // Features are the schema's columns with role Feature, in order
	Trees           []tree.Tree   // tree of (round r, output k) is entry r*K + k; up to the best round
	BestRound       int           // rounds kept
	History         []History     // metrics of all rounds, also those after the best
	WideRounds      []WideRound   // rounds and outputs that used a wider storage (S2.7)
	Fingerprint     string        // of the training table: 32 hex digits; "" for a merged model
	ValidPrints     []string      // of the valid sets, in order
	NumericsVersion int

	Origin   *Origin   // nil for a model that was trained from nothing
	Segments []Segment // of the first rounds; those that they leave were trained by Params
	After    int       // rounds of which this model is the tail; 0 for one that stands alone

	Compression *Compression // nil for a full model
}

// History is one metric on one set through the rounds.
type History struct {
	Set    string     `json:"set"` // "valid", "valid2", …
	Metric string     `json:"metric"`
	Values []*float64 `json:"values"` // by round; null = undefined, not finite or not evaluated
}

// WideRound names a round and output whose gradients needed more bits than asked for.
type WideRound struct {
	Round     int    `json:"round"`
	Output    int    `json:"output"`
	Gradients string `json:"gradients,omitempty"` // the codes used: WideI16 or WideI32
}

// Values of WideRound.Gradients. A file says nothing of what rounds use that i16 is too
// narrow for.
const (
	WideI16 = "i16"
	WideI32 = ""
)

// Model is a trained model. It is immutable and safe for concurrent use.
type Model struct {
	head
	trees   []predict.Tree // Column of a node is an index into used
	planned sync.Once
	engine  engine // see inference
	runs    []run  // the trees as the engine takes them

	rowsReady sync.Once
	rows      atomic.Pointer[rows] // see PredictRow

	levelsReady sync.Once
	levels      []map[string]int // by feature; see LevelIndex

	digest atomic.Pointer[[sha256.Size]byte] // see SHA256; nil until known
}

// New checks the contents and makes a model of them. The model keeps the slices that
// it is given: they must not be changed afterwards. Params are stored with sorted
// keys, and history values that are not finite become null. Errors name what is
// wrong; they do not wrap ErrModel.
func New(c Contents) (*Model, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	return c.compile(), nil
}

// Contents returns what the model is made of. It must not be changed.
func (m *Model) Contents() *Contents { return &m.contents }

// Schema returns the columns the model was trained on: tables to predict are read
// with dataset.As(m.Schema()).
func (m *Model) Schema() dataset.Schema { return m.contents.Schema }

// Outputs returns K, the number of predictions per row.
func (m *Model) Outputs() int { return m.contents.Outputs }

// Classes returns the names of the classes in the order of their indices, nil for a
// model without classes. Of two, the second is the positive one. The slice must not
// be changed.
func (m *Model) Classes() []string { return m.contents.Classes }

// NumericClasses says that class labels compare as numbers ("1" = "1.0").
func (m *Model) NumericClasses() bool { return m.contents.NumericClasses }

// Objective returns the name of the loss that the model was trained for.
func (m *Model) Objective() string { return m.contents.Objective }

// Link returns the function from raw scores to predictions.
func (m *Model) Link() objectives.Link { return m.contents.Link }

// Rounds returns the number of rounds whose trees the model keeps.
func (m *Model) Rounds() int { return m.contents.BestRound }

// NumTrees returns the number of trees: rounds × outputs.
func (m *Model) NumTrees() int { return len(m.contents.Trees) }
