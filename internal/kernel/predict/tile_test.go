package predict_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"boost/internal/cpu"
	"boost/internal/kernel/predict"
	"boost/tree"
)

// newTile is a random tree over columns of one byte, and a tile of their codes, of which
// some are beyond what training had.
func newTile(r *rand.Rand, leaves int, memory func(n int) []uint8) (*scene, []uint8) {
	s := &scene{}
	for range 1 + r.IntN(12) {
		limit := []uint32{1, 2, 15, 255}[r.IntN(4)]
		s.features = append(s.features, tree.Feature{Regular: 1 + r.Uint32N(limit), Categorical: r.IntN(3) == 0})
	}
	s.grow(r, leaves)
	codes := memory(len(s.features) * predict.TileRows)
	for f, feature := range s.features {
		column := codes[f*predict.TileRows:][:predict.TileRows]
		for row := range column {
			column[row] = uint8(r.Uint32N(min(feature.Regular+2, 256)))
		}
	}
	return s, codes
}

// checkTile compares AddTile with the reference walk of the tree, to the last bit.
func (s *scene) checkTile(t *testing.T, set cpu.Level, r *rand.Rand, codes []uint8, scores *[predict.TileRows]float64, area *predict.Area) {
	t.Helper()
	if err := s.tree.Validate(s.features); err != nil {
		t.Fatal(err)
	}
	bits := make([]uint8, len(s.features))
	for f := range bits {
		bits[f] = 8
	}
	plan, ok := predict.MakePlan(s.compile(), bits)
	if !ok {
		t.Fatalf("no plan for %d leaves", len(s.tree.Leaf))
	}
	if n := predict.Lists(&plan); n > 8 {
		t.Fatalf("%d leaves take %d lists", len(s.tree.Leaf), n)
	}
	var want [predict.TileRows]float64
	row := make([]uint32, len(s.features))
	for i := range want {
		scores[i] = r.NormFloat64()
		for f := range row {
			row[f] = uint32(codes[f*predict.TileRows+i])
		}
		want[i] = scores[i] + s.tree.Leaf[s.tree.LeafIndex(s.features, row)]
	}
	plan.AddTile(set, codes, scores, area)
	for i := range want {
		if math.Float64bits(scores[i]) != math.Float64bits(want[i]) {
			t.Fatalf("row %d of a tree with %d leaves has %v, want %v", i, len(s.tree.Leaf), scores[i], want[i])
		}
	}
}

func TestTileEqualsReferenceWalk(t *testing.T) {
	everySet(t, func(t *testing.T, set cpu.Level) {
		r := rand.New(rand.NewPCG(7, 8))
		var area predict.Area
		var scores [predict.TileRows]float64
		for range 300 {
			leaves := 1 + r.IntN([]int{1, 3, 31, 256}[r.IntN(4)])
			s, codes := newTile(r, leaves, predict.Aligned)
			s.checkTile(t, set, r, codes, &scores, &area)
		}
		t.Run("256 leaves", func(t *testing.T) {
			s, codes := newTile(r, 256, predict.Aligned)
			s.checkTile(t, set, r, codes, &scores, &area)
		})
	})
}

// A complete tree of 256 leaves needs as many lists as there are.
func TestTileOfCompleteTree(t *testing.T) {
	s := &scene{features: make([]tree.Feature, 8)}
	for f := range s.features {
		s.features[f].Regular = 2
	}
	tr := &s.tree
	tr.SetPtrs = []uint32{0}
	const splits = 255
	for n := range splits {
		depth := 0
		for m := n; m > 0; m = (m - 1) / 2 {
			depth++
		}
		child := func(c int) int32 {
			if c >= splits {
				return ^int32(c - splits)
			}
			return int32(c)
		}
		tr.Feature, tr.Code = append(tr.Feature, int32(depth)), append(tr.Code, 0)
		tr.Categorical, tr.MissingLeft = append(tr.Categorical, false), append(tr.MissingLeft, n%2 == 0)
		tr.Left, tr.Right = append(tr.Left, child(2*n+1)), append(tr.Right, child(2*n+2))
	}
	for leaf := range splits + 1 {
		tr.Leaf = append(tr.Leaf, float64(leaf))
	}
	tr.Gain, tr.Cover, tr.LeafCover = make([]float32, splits), make([]float64, splits), make([]float64, splits+1)
	everySet(t, func(t *testing.T, set cpu.Level) {
		var area predict.Area
		var scores [predict.TileRows]float64
		r := rand.New(rand.NewPCG(9, 0))
		codes := predict.Aligned(8 * predict.TileRows)
		for i := range codes {
			codes[i] = uint8(r.IntN(2))
		}
		s.checkTile(t, set, r, codes, &scores, &area)
	})
}

// Where a plan cannot be made the caller has to know.
func TestNoPlan(t *testing.T) {
	var wide, many, long predict.Tree
	wide.Reset([]float64{0, 1})
	wide.Numeric(0, 3, 300, true, ^0, ^1)
	if _, ok := predict.MakePlan(&wide, []uint8{16}); ok {
		t.Error("a plan over a column of 16 bits")
	}
	many.Reset(make([]float64, 257))
	if _, ok := predict.MakePlan(&many, nil); ok {
		t.Error("a plan for 257 leaves")
	}
	long.Reset([]float64{0, 1})
	long.Categorical(0, []uint32{5}, math.MaxUint32, true, ^0, ^1)
	full := predict.Tree{Leaf: []float64{1, 2}} // only missing rows go right, whose code no byte has
	full.Numeric(0, 255, 256, false, ^0, ^1)
	if _, ok := predict.MakePlan(&full, []uint8{8}); ok {
		t.Error("a plan of a split behind the last code")
	}
	if _, ok := predict.MakePlan(&long, []uint8{8}); ok {
		t.Error("a plan for a set among 2³² codes")
	}
}

func TestAddTileAllocatesNothing(t *testing.T) {
	everySet(t, func(t *testing.T, set cpu.Level) {
		s, codes := newTile(rand.New(rand.NewPCG(5, 6)), 31, predict.Aligned)
		bits := make([]uint8, len(s.features))
		for f := range bits {
			bits[f] = 8
		}
		plan, _ := predict.MakePlan(s.compile(), bits)
		area, scores := new(predict.Area), new([predict.TileRows]float64)
		plan.AddTile(set, codes, scores, area)
		if n := testing.AllocsPerRun(10, func() { plan.AddTile(set, codes, scores, area) }); n != 0 {
			t.Errorf("AddTile allocates %v times with a warm area", n)
		}
	})
}
