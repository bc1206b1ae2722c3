package compress

import (
	"context"
	"errors"
	"fmt"

	"boost/booster/model"
	"boost/dataset"
	"boost/ptq"
)

// Feedback reports whether errors of stored leaves are pushed forward.
type Feedback uint8

const (
	// FeedbackAuto tries every format with and without, where there are rows.
	FeedbackAuto Feedback = iota
	// FeedbackOn needs Data.
	FeedbackOn
	FeedbackOff
)

// Settings say which compressed model is wanted.
type Settings struct {
	// Formats are those to choose from; nil: Formats.
	Formats []Format
	// MaxBytes is how large the file may be; 0: any size.
	MaxBytes int64
	// MaxLoss is by how much the metric of the objective may get worse, as a share of its size, 0.001 for a thousandth; it needs Data. NaN: by any.
	MaxLoss float64
	// Statistics keeps covers and gains.
	Statistics bool
	// Data are rows with labels: one half of them is searched on, the other certifies; see
	// Halves. nil: none, and the metric's change is unknown.
	Data *dataset.Table
	// Feedback reports whether errors of stored leaves are pushed forward to later trees, over the
	// rows that are searched on; see MorphWithFeedback.
	Feedback Feedback
	// Reference is the model that losses are told against, of candidates and in the certificate;
	// nil: the one that is compressed. A model that was trained to be small (tree.reuse_cut) is
	// judged beside one that was not. Links and classes must be the same, or the error is
	// ErrShape; it needs Data.
	Reference *model.Model
	// Prune reports whether pruned models are tried too: by default where Data and a bound are given.
	// Their leaves are fitted to the rows that are searched on; see PruneSteps.
	Prune Pruning
	// KeepLevels keeps the names of all levels that training had. Else those of levels that go where
	// missing values go at every split are left out, and where a bound is to be kept and Data show
	// next to no loss by it those that model.HashedNames says: see Certificate.Unlisted.
	KeepLevels bool
	// AllowTrainingData lets Data be the rows that the model, or the reference, was trained on.
	AllowTrainingData bool
}

// Candidate is a compressed model that a search has looked at.
type Candidate struct {
	Format Format
	// Feedback reports whether errors were pushed forward.
	Feedback bool
	Kept     float64 // share of the model's leaves that pruning left; 1: it was not pruned
	Leaves   int     // in its file
	Merged   int     // leaves that the file leaves out, since no prediction needs them
	Bytes    int64   // of its file
	// Loss is the relative change of the metric on the rows of the search, Bound what it stays
	// below with 95 % confidence there; NaN without data. A model that is pruned, or over which errors
	// are pushed forward, learns from these rows: where there is a bound to choose by, its figures
	// are those of models that were made likewise without the rows that they are judged on.
	Loss, Bound float64
	// RawBound is the largest of Certificate.RawBound.
	RawBound float64
	// Best reports whether no other candidate is both smaller and better: of less loss, or without
	// data of a smaller RawBound.
	Best   bool
	Chosen bool

	file    []byte   // with a certificate as long as its own may be; nil where the bounds rule it out
	marked  []string // see Certificate.Marked
	raw     []float64
	verdict verdict
}

// Name is the format's, and says how far the model was pruned and whether errors were pushed
// forward.
func (c *Candidate) Name() string {
	name := c.Format.String()
	if c.Kept < 1 {
		name = fmt.Sprintf("pruned to %.3g %% of leaves, %s", 100*c.Kept, name)
	}
	if c.Feedback {
		name += ", feedback"
	}
	return name
}

// Result is what Quantize found.
type Result struct {
	Model       *model.Model // compressed, with its certificate
	Bytes       int64        // of its file
	Certificate Certificate
	Candidates  []Candidate // by size
	// NotPruned says why no pruned model was tried, though there was a bound and data.
	NotPruned string
}

// Chosen returns the candidate that the model is.
func (r *Result) Chosen() *Candidate {
	for i := range r.Candidates {
		if r.Candidates[i].Chosen {
			return &r.Candidates[i]
		}
	}
	return nil
}

var (
	// ErrTrainingData refuses to certify a model on the rows that it was trained on.
	ErrTrainingData = errors.New("the table is one that the model, or a model that it was made of, was trained on, and says nothing of other rows: give other rows, or allow it (--allow-train-data)")
	// ErrChoice means that there is no way to choose one of several formats.
	ErrChoice = errors.New("several formats to choose from and no bound to choose by: name one, or a largest size or loss")
	// ErrCompressed refuses to compress what is compressed.
	ErrCompressed = errors.New("the model is compressed already, and what is lost cannot come back: compress the full model")
	// ErrNeedsData means that a loss cannot be bounded without rows.
	ErrNeedsData = errors.New("what a compressed model loses can only be told on rows with labels: give a table (--data), or bound the bytes only")
)

// ErrBudget means that no candidate keeps the bounds.
type ErrBudget struct {
	Text       string
	Candidates []Candidate // by size
}

func (e ErrBudget) Error() string { return "no compressed model keeps the bounds: " + e.Text }

// confidence of a certificate.
const confidence = 0.95

// Quantize returns the smallest compressed model of m that keeps the bounds. With MaxLoss that is
// the smallest file whose loss is certified to stay below it; with MaxBytes alone the file that
// fits and loses least; without bounds there must be one format, which is taken. Where none of all Formats keeps MaxLoss, the model
// is packed with the leaf values that it has.
//
// Candidates are judged on the first half of the rows. Some of those that keep the loss there, whole
// and pruned ones, are certified on the other half, which is not looked at before, and of those that pass the
// smallest is taken. All tests together err with at most 5 %: half of that is for whole
// models, which are the same and tested alike whether others are pruned or not.
//
// Where there are rows and a bound, pruned models are tried too: the whole one on its way to
// fewer and fewer leaves, in the formats that serve it best. See Settings.Prune and Candidate.Loss.
//
// The result is not calibrated: probabilities, a threshold and intervals (model.Trust) are those of other predictions, and are to be made anew.
func Quantize(ctx context.Context, m *model.Model, s Settings, opts ...Option) (*Result, error) {
	q, err := newSearch(ctx, m, s, opts)
	if err != nil {
		return nil, err
	}
	defer q.close()
	if err := q.candidates(ctx); err != nil {
		return nil, err
	}
	r, err := q.choose(ctx)
	for i := range q.found { // callers keep what was found
		q.found[i].file = nil
	}
	if _, none := errors.AsType[ErrBudget](err); !none || s.Formats != nil || s.Reference != nil || !(s.MaxLoss >= 0) {
		return r, err
	}
	s.Formats, s.Feedback, s.Prune = []Format{{Form: ptq.FormOf(ptq.F64)}}, FeedbackOff, PruneOff
	if exact, errExact := Quantize(ctx, m, s, opts...); errExact == nil {
		exact.Candidates = append(q.found, exact.Candidates...)
		return exact, nil
	}
	return nil, err
}
