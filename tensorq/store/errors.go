package store

import (
	"errors"
	"fmt"
	"time"

	"boost/internal/recordlog"
	"boost/internal/vfs"
)

var (
	// ErrNotFound means that there is no tensor of an id.
	ErrNotFound = errors.New("no such tensor")
	// ErrTierZeroNoPolicy means that a tensor was discarded and nothing makes it again.
	ErrTierZeroNoPolicy = errors.New("the tensor is absent and has no rule that makes it again")
	// ErrReconstructionDepth means that rules refer to rules further than max_depth allows.
	ErrReconstructionDepth = errors.New("making the tensor again follows too many references")
	// ErrCycle means that a rule leads back to its own tensor.
	ErrCycle = errors.New("the rule leads back to its own tensor")
	// ErrNoSource is what a Source returns for a tensor whose values it has not.
	ErrNoSource = errors.New("no source of the tensor's values")
	// ErrNoRule means that a tensor has no rule to become absent by.
	ErrNoRule = errors.New("the tensor has no rule to become absent by")
	// ErrQualityFloor means that a tensor's owner lets it have no fewer bits (S3.60).
	ErrQualityFloor = errors.New("fewer bits than its quality floor allows")
	// ErrKept means that a tensor's owner keeps it in its tier.
	ErrKept = errors.New("the tensor is kept in its tier")
	// ErrAbsent means that a tensor is absent already.
	ErrAbsent = errors.New("the tensor is absent")
	// ErrReadOnly means that a store was opened for reading.
	ErrReadOnly = errors.New("the store was opened for reading only")
	// ErrClosed means that the store was closed.
	ErrClosed = errors.New("the store is closed")
	// ErrChanged means that a tensor or one that its rule leads to was changed meanwhile; the call
	// can be made again.
	ErrChanged = errors.New("the tensor was changed meanwhile")
	// ErrBusy means that another process writes the store.
	ErrBusy = vfs.ErrBusy
	// ErrTooLong means that a tensor, or the list of a rule's parts, is longer than a record can hold.
	ErrTooLong = recordlog.ErrTooLong
	// ErrBroken means that a write failed and could not be taken back: whether the change was made
	// shows when the store is opened anew, and until then nothing can be changed.
	ErrBroken = recordlog.ErrBroken
)

// DamageError means that bytes of the store's log are not those that were written, with file and byte.
type DamageError = recordlog.DamageError

// UnsyncedError means that a change was made, and not that the disk has it: this store reads it, and so does
// one that is opened later, but a loss of power may undo it. It needs not be made again. A Sync that succeeds makes
// it safe; where it wraps ErrBroken, the store has to be opened anew first. Every other error of a
// change leaves things as they were, but for ErrBroken alone.
type UnsyncedError struct {
	ID  string // "" for the changes of a sweep
	Err error
}

func (e *UnsyncedError) Error() string {
	what := "what the sweep changed was written"
	if e.ID != "" {
		what = fmt.Sprintf("tensor %q: the change was made", e.ID)
	}
	return fmt.Sprintf("store: %s, but may not outlive a loss of power: %v", what, e.Err)
}

func (e *UnsyncedError) Unwrap() error { return e.Err }

// NeededError means that a tensor cannot go, or change, because rules of others refer to it.
type NeededError struct {
	ID string
	By []string // ids of the others, in order
}

func (e *NeededError) Error() string {
	return fmt.Sprintf("store: tensor %q is needed: the rules of %q refer to it: remove them, or their rules, first", e.ID, e.By)
}

// EarlyError means that a tensor is used too much to become absent.
type EarlyError struct {
	ID        string
	Score     uint64
	Age       time.Duration // since it was last used
	MinScore  uint64        // the score has to be below
	Threshold time.Duration // the age has to be above
}

func (e *EarlyError) Error() string {
	return fmt.Sprintf("store: tensor %q is in use: score %d and last use %v ago, where less than %d and more than %v are needed to become absent",
		e.ID, e.Score, e.Age, e.MinScore, e.Threshold)
}

// MismatchError means that a rule does not make the tensor that it stands for; its data was kept.
type MismatchError struct {
	ID        string
	Index     int     // of the value that differs most
	Got, Want float32 // what the rule makes, and what was there
	Tolerance float64
}

func (e *MismatchError) Error() string {
	return fmt.Sprintf("store: the rule of tensor %q makes value %d %v where it is %v, and may differ by %v: its data was kept", e.ID, e.Index, e.Got, e.Want, e.Tolerance)
}

// ShapeError means that a shape and what it is for do not go together.
type ShapeError struct {
	ID   string
	Text string
}

func (e *ShapeError) Error() string { return fmt.Sprintf("store: tensor %q: %s", e.ID, e.Text) }

// RecordError means that a record of the log has bytes that no store writes.
type RecordError struct {
	ID   string
	Text string
}

func (e *RecordError) Error() string {
	return fmt.Sprintf("store: the record of tensor %q: %s: it was written by another program, or a newer version of this one", e.ID, e.Text)
}

func errNoTier(t Tier) error { return fmt.Errorf("%v: expected hot, warm or cold", t) }

func floorError(t Tier, width int) error {
	return fmt.Errorf("%v has %d bits: %w", t, width, ErrQualityFloor)
}

// about says which tensor an error is about; "" is none.
func about(id string, err error) error {
	if id == "" {
		return fmt.Errorf("store: %w", err)
	}
	return fmt.Errorf("store: tensor %q: %w", id, err)
}
