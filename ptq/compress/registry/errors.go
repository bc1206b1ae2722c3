package registry

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"boost/internal/recordlog"
	"boost/tensorq/store"
)

var (
	// ErrNotFound means that there is no model of an id.
	ErrNotFound = errors.New("no such model")
	// ErrExists means that an id is taken.
	ErrExists = errors.New("there is a model of this id: remove it first, or give another id")
	// ErrNoSource means that the model was added without its lossless form, or discarded since.
	ErrNoSource = errors.New("the lossless model was not kept")
	// ErrRule means that a rule does not make the model that it is to stand for.
	ErrRule = errors.New("the rule does not make this model")
	// ErrQualityFloor means that a form would change predictions by more than the model's floor
	// allows (S3.60). *FloorError has the figures.
	ErrQualityFloor = store.ErrQualityFloor
	// ErrTierZeroNoPolicy means that a model was discarded: there is nothing left to predict with (S3.51).
	ErrTierZeroNoPolicy = store.ErrTierZeroNoPolicy
	// ErrReconstructionDepth means that rules refer to rules further than max_depth allows.
	ErrReconstructionDepth = store.ErrReconstructionDepth
	// ErrCycle means that a rule leads back to its own model.
	ErrCycle = store.ErrCycle
	// ErrReadOnly means that the registry was opened for reading.
	ErrReadOnly = store.ErrReadOnly
	// ErrClosed means that the registry was closed.
	ErrClosed = store.ErrClosed
	// ErrBusy means that another process writes the registry.
	ErrBusy = store.ErrBusy
	// ErrChanged means that a model was changed meanwhile; the call can be made again.
	ErrChanged = store.ErrChanged
	// ErrBroken: see recordlog. The registry has to be opened anew.
	ErrBroken = recordlog.ErrBroken
)

// UnsyncedError means that a change was made, and may not outlive a loss of power.
type UnsyncedError = store.UnsyncedError

// NeededError means that a model cannot go, or change, because others are made of it.
type NeededError struct {
	ID string
	By []string // ids of the others, in order
}

func (e *NeededError) Error() string {
	by := make([]string, len(e.By))
	for i, id := range e.By {
		by[i] = strconv.Quote(id)
	}
	return fmt.Sprintf("model %q is needed: made of it are %s: remove these first", e.ID, strings.Join(by, ", "))
}

// FloorError refuses a tier in which a model would be worse than its floor allows. It is
// ErrQualityFloor.
type FloorError struct {
	ID    string
	Tier  store.Tier
	Bits  int
	Delta float64 // what a raw score may change by in this tier
	Loss  float64 // by which share the metric gets worse; NaN where that is not known
	Floor Floor
}

func (e *FloorError) Error() string {
	var broken []string
	if !(e.Delta <= e.Floor.MaxDelta) {
		broken = append(broken, fmt.Sprintf("change raw scores by up to %.4g, and its floor allows %.4g", e.Delta, e.Floor.MaxDelta))
	}
	if !math.IsInf(e.Floor.MaxLoss, 1) && !(e.Loss <= e.Floor.MaxLoss) {
		broken = append(broken, fmt.Sprintf("make the metric worse by %s, and its floor allows %s", share(e.Loss), share(e.Floor.MaxLoss)))
	}
	if broken == nil { // a tier of more bits is the one that the floor forbids
		broken = []string{"not be used, as tiers of more bits are below its floor"}
	}
	return fmt.Sprintf("model %q: %v, %d bits, would %s: %v: take a tier of more bits, or add the model with another floor",
		e.ID, e.Tier, e.Bits, strings.Join(broken, "; "), ErrQualityFloor)
}

// Unwrap is ErrQualityFloor.
func (e *FloorError) Unwrap() error { return ErrQualityFloor }

func share(x float64) string {
	if x != x {
		return "an unknown share"
	}
	return fmt.Sprintf("%.4g %%", 100*x)
}

// RecordError means that a record of the log has bytes that no registry writes.
type RecordError struct {
	ID   string
	Text string
}

func (e *RecordError) Error() string {
	return fmt.Sprintf("registry: the record of model %q: %s: it was written by another program, or a newer version of this one", e.ID, e.Text)
}

// about says which model an error is about.
func about(id string, err error) error { return fmt.Errorf("model %q: %w", id, err) }
