package pack

import (
	"math"

	"boost/internal/entropy"
	"boost/tree"
)

// What a byte may stand for at most, so that memory and time of a reader are in proportion to
// what it is given. Zeros follow trees that take less, which are as good as all alike.
const (
	nodesPerByte = 16
	workPerByte  = 256 // on sets, see walker.set
)

// Write packs the structure of trees, which are valid over the features; tree i belongs to
// output i mod outputs, 1 or more. Numbering, leaf values and statistics are not written: reading
// gives trees as Canonical numbers them. The same trees give the same bytes, everywhere.
func Write(trees []tree.Tree, features []tree.Feature, outputs int) []byte {
	return write(trees, features, outputs, false).finish()
}

// Sizes says what packed trees take, in bytes; parts have fractions.
type Sizes struct {
	Head      float64 // numbers of nodes, features in use
	Feature   float64 // of split nodes
	Code      float64 // of numeric split nodes
	Sets      float64 // of categorical split nodes
	Shape     float64 // which children are leaves
	Direction float64 // of missing values
	Total     int     // length of what Write returns, with the rounding to whole bytes
}

// Measure returns the sizes of what Write makes of trees.
func Measure(trees []tree.Tree, features []tree.Feature, outputs int) Sizes {
	w := write(trees, features, outputs, true)
	parts := w.parts
	return Sizes{
		Head: parts[partHead] / 8, Feature: parts[partFeature] / 8, Code: parts[partCode] / 8,
		Sets: parts[partSets] / 8, Shape: parts[partShape] / 8, Direction: parts[partDirection] / 8,
		Total: len(w.finish()),
	}
}

// Parts of a stream.
const (
	partHead = iota
	partFeature
	partCode
	partSets
	partShape
	partDirection
	parts
)

// write walks through the trees with a coder that writes, and may count what parts take.
func write(trees []tree.Tree, features []tree.Feature, outputs int, counting bool) *walker {
	canonical := make([]tree.Tree, len(trees))
	nodes := 0
	for i := range trees {
		canonical[i] = Canonical(&trees[i])
		nodes += trees[i].NumSplits()
	}
	w := &walker{
		coder: entropy.NewWriter(nil), features: features, outputs: outputs,
		allowed: math.MaxUint64, tally: tally{counting: counting},
	}
	// Errors are of damaged bytes, and nothing is read here.
	_ = w.start(nodes, featuresOf(canonical, len(features)), func() bool { return w.allStrict(canonical) })
	for i := range canonical {
		_ = w.tree(&canonical[i])
	}
	return w
}

// finish ends writing and returns the bytes.
func (w *walker) finish() []byte {
	b := w.coder.Close()
	least := max((w.nodes+nodesPerByte-1)/nodesPerByte, int((w.work+workPerByte-1)/workPerByte))
	if len(b) < least {
		b = append(b, make([]byte, least-len(b))...)
	}
	return b
}
