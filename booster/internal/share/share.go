// Package share says which rows of a training a rank has, and puts together what ranks have of them.
//
// In: numbers of rows, what joins the ranks. Out: a rank's part of arrays by row, and whole arrays of the parts of all. It must not know
// what is learned from the rows.
package share

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"boost/binning"
	"boost/booster/internal/source"
	"boost/dataset"
	"boost/internal/comm"
)

// Part is the rows Lo … Hi-1 of a set.
type Part struct{ Lo, Hi int }

// even returns the part of a set that a rank has where all have as many, and queries, given by the rows that they begin with, stay whole.
// A nil comm has all rows.
func even(c comm.Comm, rows int, queries []int) Part {
	if c == nil {
		return Part{0, rows}
	}
	border := func(rank int) int {
		at := rows * rank / c.Size()
		for _, first := range queries {
			if first >= at {
				return first
			}
		}
		return at
	}
	return Part{border(c.Rank()), border(c.Rank() + 1)}
}

// Of returns the rows that this rank has of a set: those of its own files, or as many as the others.
func Of(c comm.Comm, s source.Source, rows int, queries []int) (Part, error) {
	lo, hi, own := source.OwnOf(s)
	switch {
	case own && Size(c) == 1 && (lo != 0 || hi != rows):
		return Part{}, errors.New("the files hold a part of the rows, and no ranks train together")
	case !own:
		return even(c, rows, queries), nil
	case queries != nil && !(slices.Contains(queries, lo) && slices.Contains(queries, hi)):
		return Part{}, fmt.Errorf("%w: the rows of a query lie at two ranks: give each query to one", dataset.ErrTable)
	}
	return Part{lo, hi}, nil
}

// Size returns the number of ranks.
func Size(c comm.Comm) int {
	if c == nil {
		return 1
	}
	return c.Size()
}

// Join joins a rank that has its own of so many rows with the others: theirs are others, or, with same, the same ones.
func Join(ctx context.Context, c comm.Comm, own, rows int, same bool) (*comm.Ranks, error) {
	ranks, err := comm.Join(ctx, c, own)
	if err != nil {
		return ranks, err
	}
	all := ranks.Rows(own)
	if same {
		rows *= c.Size()
	}
	if all != rows {
		err = fmt.Errorf("%w: the ranks have %d rows together, where this rank's tables make it %d: give all ranks the same tables", dataset.ErrTable, all, rows)
	}
	return ranks, err
}

// Len returns the number of rows.
func (p Part) Len() int { return p.Hi - p.Lo }

// Codes returns the part's codes.
func (p Part) Codes(codes *binning.Codes) *binning.Codes {
	if p.Len() == codes.NRows() {
		return codes
	}
	rows := make([]int32, p.Len())
	for i := range rows {
		rows[i] = int32(p.Lo + i)
	}
	return codes.Take(rows)
}

// Queries returns the rows of the part that queries begin with, and the number of its rows behind them; nil for no queries.
func (p Part) Queries(queries []int) []int {
	if queries == nil {
		return nil
	}
	own := []int{}
	for _, first := range queries {
		if first >= p.Lo && first <= p.Hi {
			own = append(own, first-p.Lo)
		}
	}
	return own
}

// Rows returns the part of an array by row; nil of nil.
func Rows[T any](p Part, values []T) []T {
	if values == nil {
		return nil
	}
	return values[p.Lo:p.Hi:p.Hi]
}

// Each returns the part of several arrays by row.
func Each[T any](p Part, columns [][]T) (own [][]T) {
	for _, c := range columns {
		own = append(own, Rows(p, c))
	}
	return own
}

// Outputs returns the part of numbers, output-major, of so many rows.
func Outputs[T any](p Part, scores []T, rows int) (own []T) {
	for ; len(scores) > 0; scores = scores[rows:] {
		own = append(own, scores[p.Lo:p.Hi]...)
	}
	return own
}

// Gather returns the scores of all rows, of which own are this rank's, in the memory of all unless that is nil. Both are output-major.
func Gather(ranks *comm.Ranks, all, own []float64, outputs, rows int) []float64 {
	if all == nil {
		all = make([]float64, outputs*rows)
	}
	here := len(own) / outputs
	for k := range outputs {
		ranks.GatherFloats(all[k*rows:(k+1)*rows], own[k*here:(k+1)*here])
	}
	return all
}

// Codes32 returns the codes of all ranks, one after the other.
func Codes32(ctx context.Context, c comm.Comm, own []uint32) ([]uint32, error) {
	mine := make([]byte, 0, 4*len(own))
	for _, code := range own {
		mine = binary.LittleEndian.AppendUint32(mine, code)
	}
	parts, err := c.Gather(ctx, mine)
	var all []uint32
	for _, part := range parts {
		for ; len(part) >= 4; part = part[4:] {
			all = append(all, binary.LittleEndian.Uint32(part))
		}
	}
	return all, err
}

// Agree returns an error where the ranks do not train with the same settings. One process alone agrees.
func Agree(ctx context.Context, c comm.Comm, settings func() (json.RawMessage, error)) error {
	if c == nil || c.Size() == 1 {
		return nil
	}
	own, err := settings()
	if err != nil {
		return err
	}
	var named map[string]json.RawMessage
	if err := json.Unmarshal(own, &named); err != nil {
		return err
	}
	return comm.Alike(ctx, c, named)
}

// Same returns an error where the ranks have not made the same model.
func Same(ctx context.Context, c comm.Comm, model func() ([]byte, error)) error {
	data, err := model()
	if err != nil {
		return err
	}
	own := sha256.Sum256(data)
	sums, err := c.Gather(ctx, own[:])
	if err != nil {
		return err
	}
	for rank, theirs := range sums {
		if !bytes.Equal(theirs, own[:]) {
			return fmt.Errorf("%w: rank %d has made another model than rank %d: %s", comm.ErrComm, rank, c.Rank(), comm.Differ)
		}
	}
	return nil
}
