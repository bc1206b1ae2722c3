package pack

import (
	"errors"
	"fmt"

	"boost/internal/entropy"
	"boost/tree"
)

// ErrDamaged is wrapped by every error of a Reader.
var ErrDamaged = errors.New("damaged trees")

func damaged(format string, args ...any) error {
	return fmt.Errorf("%w: %w", ErrDamaged, fmt.Errorf(format, args...))
}

// Reader reads packed trees one after another. Its memory is at most 1 MiB beside some 30 bytes
// for each feature and 4 for each level of categorical features of at most 1,024 levels.
//
// What it reads of whatever bytes are valid trees over the features, save for the leaf values
// and statistics that they lack. Its work is bounded by the number of trees and the length of the
// bytes.
type Reader struct {
	w     walker
	bytes []byte
	trees int
	read  int
}

// NewReader begins to read count trees over the features from b. It keeps both slices and does
// not change them; they must stay as they are. Errors wrap ErrDamaged.
func NewReader(b []byte, count int, features []tree.Feature, outputs int) (*Reader, error) {
	if count < 0 || outputs < 1 {
		return nil, damaged("%d trees of %d outputs", count, outputs)
	}
	r := &Reader{bytes: b, trees: count}
	r.w = walker{coder: entropy.NewReader(b), features: features, outputs: outputs, allowed: workPerByte * uint64(len(b))}
	if err := r.begin(); err != nil {
		return nil, err
	}
	return r, nil
}

func (r *Reader) begin() error {
	r.read = 0
	if err := r.w.start(0, nil, nil); err != nil {
		return err
	}
	if r.w.nodes > nodesPerByte*len(r.bytes) {
		return damaged("%d nodes are more than %d bytes can hold", r.w.nodes, len(r.bytes))
	}
	return nil
}

// Nodes returns how many split nodes all trees have; they have as many leaves more as there
// are trees.
func (r *Reader) Nodes() int { return r.w.nodes }

// Rewind goes back to the first tree.
func (r *Reader) Rewind() {
	r.w.coder.Reset(r.bytes)
	// What was read once is read again.
	if err := r.begin(); err != nil {
		panic("pack: " + err.Error())
	}
}

// Next reads a tree into t, of which it uses the memory: once t has held the largest tree,
// nothing is allocated. Leaf has its length and any values, statistics are empty. Errors wrap
// ErrDamaged and name the tree; after one, only Rewind is of use.
func (r *Reader) Next(t *tree.Tree) error {
	if r.read == r.trees {
		return damaged("there are only %d", r.trees)
	}
	if err := r.w.tree(t); err != nil {
		return fmt.Errorf("%w, in tree %d", err, r.read)
	}
	if err := r.w.coder.Err(); err != nil {
		return damaged("%w, in tree %d", err, r.read)
	}
	r.read++
	if r.read == r.trees && r.w.left != 0 {
		return damaged("%d nodes belong to no tree", r.w.left)
	}
	return nil
}
