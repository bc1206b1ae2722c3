package parts_test

import (
	"math"
	"testing"

	"boost/binning"
	"boost/gradients"
	"boost/histogram"
	"boost/internal/kernel/hist"
	"boost/internal/rng"
	"boost/parallel"
	"boost/tree"
	"boost/tree/grow"
)

// bench is a table of dense byte codes and the gradients of a logistic loss on it.
type bench struct {
	rows, features int
	pool           *parallel.Pool
	matrix         *binning.Matrix
	mirror         *binning.RowMajor
	labels         []float32
	scores         []float64
	grad, hess     []float32
}

const codes = 255

func newBench(b *testing.B, rows, features int, pool *parallel.Pool) *bench {
	b.Helper()
	t := &bench{
		rows: rows, features: features, pool: pool,
		labels: make([]float32, rows), scores: make([]float64, rows), grad: make([]float32, rows), hess: make([]float32, rows),
	}
	columns, nCodes, all := make([][]uint32, features), make([]uint32, features), make([]int, features)
	for f := range columns {
		columns[f], nCodes[f], all[f] = make([]uint32, rows), codes, f
		key := rng.Key(1, 90, uint64(f), 0)
		for i := range columns[f] {
			columns[f][i] = uint32(rng.Draw(key, uint64(i)) >> 32 * codes >> 32)
		}
	}
	key := rng.Key(1, 91, 0, 0)
	for i := range t.labels {
		signal := 0.0
		for f := range min(features, 8) {
			signal += float64(columns[f][i])/codes - 0.5
		}
		if signal > 2*(rng.Unit(rng.Draw(key, uint64(i)))-0.5) {
			t.labels[i] = 1
		}
	}
	var err error
	if t.matrix, err = binning.FromCodes(columns, nCodes, binning.Adaptive); err != nil {
		b.Fatal(err)
	}
	t.mirror = binning.NewRowMajor(t.matrix, all, pool)
	return t
}

// differentiate fills the gradients from the scores.
func (t *bench) differentiate() {
	for i, y := range t.labels {
		p := 1 / (1 + math.Exp(-t.scores[i]))
		t.grad[i], t.hess[i] = float32(p-float64(y)), float32(p*(1-p))
	}
}

func (t *bench) quantize(b *testing.B, st *gradients.Storage) {
	b.Helper()
	if out, err := st.Quantize(t.pool, t.grad, t.hess, nil, 0, 0); err != nil || out.Wide {
		b.Fatal(out, err)
	}
}

// grower returns what grows trees of 31 leaves on the table.
func (t *bench) grower() *grow.Grower {
	features := make([]binning.Feature, t.features)
	for f := range features {
		features[f].Regular = codes
	}
	return grow.New(grow.Config{
		Matrix: t.matrix, RowMajor: t.mirror, Features: features, Pool: t.pool, Strategy: histogram.RowParallel,
		Params: grow.Defaults(), LearningRate: 0.1,
	})
}

// nodes lists the rows of the nodes whose histograms a tree takes: the root, and the
// child with fewer rows of each split. The other child comes by subtraction.
func (t *bench) nodes(made *tree.Tree) [][]uint32 {
	root := make([]uint32, t.rows)
	for i := range root {
		root[i] = uint32(i)
	}
	rows := make([][]uint32, made.NumSplits())
	if len(rows) > 0 {
		rows[0] = root
	}
	built := [][]uint32{root}
	for node := range rows {
		column, border := t.matrix.Column(int(made.Feature[node])).U8(), made.Code[node]
		var left, right []uint32
		for _, row := range rows[node] {
			if uint32(column[row]) <= border {
				left = append(left, row)
			} else {
				right = append(right, row)
			}
		}
		for child, of := range map[int32][]uint32{made.Left[node]: left, made.Right[node]: right} {
			if child >= 0 {
				rows[child] = of
			}
		}
		if len(left) <= len(right) {
			built = append(built, left)
		} else {
			built = append(built, right)
		}
		rows[node] = nil
	}
	return built
}

// runs packs rows as a builder reads them.
func runs(st *gradients.Storage, rows []uint32) []histogram.Run {
	packed := make([]histogram.Run, parallel.Blocks(st.Rows(), hist.BlockRows))
	at := 0
	var in []uint16
	for block := range packed {
		lo, hi := parallel.Block(block, st.Rows(), hist.BlockRows)
		in = in[:0]
		for ; at < len(rows) && int(rows[at]) < hi; at++ {
			in = append(in, uint16(int(rows[at])-lo))
		}
		packed[block] = histogram.Run{First: lo, Entries: make([]uint64, len(in))}
		if len(in) > 0 {
			st.Entries(packed[block].Entries, lo, in)
		}
	}
	return packed
}
