package parts

import (
	"bytes"
	"cmp"
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"boost/dataset/internal/chunk"
	"boost/internal/comm"
	"boost/internal/format"
)

// Divide sets the parts of inputs that a rank of n has. Laid end to end, the inputs have S bytes, and the rank those from ⌊S·rank/n⌋
// on and before ⌊S·(rank+1)/n⌋. An input that cannot be cut, as it is compressed or has another format, is whole that rank's which has its
// first byte. One without bytes counts for that which has the byte behind it, the last rank at the end.
func Divide(inputs []chunk.Input, cut bool, rank, n int) error {
	total := int64(0)
	for i := range inputs {
		total += inputs[i].Size
	}
	from, to := border(total, rank, n), border(total, rank+1, n)
	first := int64(0) // byte of the input i among those of all
	for i := range inputs {
		in := &inputs[i]
		p := &chunk.Part{From: min(max(from-first, 0), in.Size), To: min(max(to-first, 0), in.Size)}
		own := from <= first && first < to || first == total && rank == n-1
		in.Part = p
		packed := false
		if cut && p.From < p.To {
			var err error
			if packed, err = in.IsPacked(); err != nil {
				return err
			}
		}
		if !cut || packed || in.Size == 0 {
			*p = chunk.Part{Whole: own}
		}
		p.Whole = p.Whole || in.Size > 0 && p.To-p.From == in.Size
		first += in.Size
	}
	return nil
}

// border returns ⌊total·rank/n⌋ without overflow.
func border(total int64, rank, n int) int64 {
	return total/int64(n)*int64(rank) + total%int64(n)*int64(rank)/int64(n)
}

// seen is what a rank knows of an input before it reads it.
type seen struct {
	Name string // without its folder
	Size int64
}

// Compare returns an error at all ranks where they do not see the same inputs, or one has the error err.
func Compare(ctx context.Context, c comm.Comm, inputs []chunk.Input, err error) error {
	var own []seen
	for i := range inputs {
		own = append(own, seen{filepath.Base(inputs[i].Name), inputs[i].Size})
	}
	all, err := Tell(ctx, c, own, err, true)
	if err != nil {
		return err
	}
	for rank, theirs := range all {
		if len(theirs) != len(all[0]) {
			return &comm.Error{Rank: rank, Text: fmt.Sprintf("it is given %d files, and rank 0 has %d: give all ranks the same", len(theirs), len(all[0]))}
		}
		for i, s := range theirs {
			if want := all[0][i]; s != want {
				return &comm.Error{Rank: rank, Text: fmt.Sprintf("file %d is %s of %d bytes, and at rank 0 %s of %d: give all ranks the same files, which nobody writes to",
					i+1, s.Name, s.Size, want.Name, want.Size)}
			}
		}
	}
	return nil
}

// told is what a rank tells the others, and its error.
type told[T any] struct {
	Value T
	Err   string
	Kind  int // that of kinds, plus 1; 0 for none
}

// kinds are what errors of other ranks are, too.
var kinds = []error{chunk.ErrTable, chunk.ErrMemory}

// heard is an error of another rank.
type heard struct {
	error
	kind int
}

func (e *heard) Is(target error) bool { return e.kind > 0 && target == kinds[e.kind-1] }
func (e *heard) Unwrap() error        { return e.error }

// Exchange gives all ranks what each has to say of a step, and its error, by rank. Where ranks read the same files (same), an error about a
// table is in the words of that rank, which are the same at all; another one says whose it is.
func Exchange[T any](ctx context.Context, c comm.Comm, own T, ownErr error, same bool) (values []T, errs []error, err error) {
	said := told[T]{Value: own}
	if ownErr != nil {
		said.Err, said.Kind = ownErr.Error(), 1+slices.IndexFunc(kinds, func(kind error) bool { return errors.Is(ownErr, kind) })
	}
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(said); err != nil {
		return nil, nil, err
	}
	all, err := c.Gather(ctx, b.Bytes())
	if err != nil {
		return nil, nil, err
	}
	values, errs = make([]T, len(all)), make([]error, len(all))
	for rank, data := range all {
		var theirs told[T]
		if err := gob.NewDecoder(bytes.NewReader(data)).Decode(&theirs); err != nil {
			return nil, nil, &comm.Error{Rank: rank, Text: fmt.Sprintf("told what cannot be read: %v", err)}
		}
		theirs.Kind = min(max(theirs.Kind, 0), len(kinds))
		values[rank] = theirs.Value
		switch {
		case rank == c.Rank():
			errs[rank] = ownErr
		case theirs.Err == "":
		case same && theirs.Kind > 0:
			errs[rank] = &heard{errors.New(theirs.Err), theirs.Kind}
		default:
			errs[rank] = &heard{&comm.Error{Rank: rank, Text: theirs.Err}, theirs.Kind}
		}
	}
	return values, errs, nil
}

// Tell is Exchange for steps that end at all ranks where they end at one: with the error of the first, or, where ranks read files of their
// own, with this rank's if there is one.
func Tell[T any](ctx context.Context, c comm.Comm, own T, ownErr error, same bool) ([]T, error) {
	values, errs, err := Exchange(ctx, c, own, ownErr, same)
	switch {
	case err != nil:
		return nil, cmp.Or(ownErr, err)
	case !same && ownErr != nil:
		return nil, ownErr
	}
	return values, cmp.Or(errs...)
}

// Uneven returns a note if one of the ranks that divide files among them has far more rows than others, given the rows of each.
func Uneven(rows []int) []string {
	most, all := 0, 0
	for rank, n := range rows {
		if all += n; n > rows[most] {
			most = rank
		}
	}
	const few = 1 << 16
	if n := rows[most]; n > few && n >= 2*all/len(rows) {
		return []string{fmt.Sprintf("rank %d has %s of %s, and there are %d ranks: a row group, a record batch and a compressed file are read by one rank each; write the table in smaller ones",
			most, format.Count(n), format.Counted(all, "row"), len(rows))}
	}
	return nil
}
