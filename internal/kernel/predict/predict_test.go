package predict_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"boost/internal/kernel/predict"
	"boost/tree"
)

// scene is a random tree over random columns of all four widths.
type scene struct {
	features []tree.Feature
	tree     tree.Tree
	codes    [][]uint32 // [row][feature]
	columns  []predict.Column
}

// newScene draws everything from r, so a fuzzer's bytes can steer it.
func newScene(r *rand.Rand, rows, leaves int) *scene {
	s := &scene{}
	for f := range 1 + r.IntN(8) {
		limit := []uint32{2, 15, 16, 255, 256, 3000, 70000}[r.IntN(7)]
		s.features = append(s.features, tree.Feature{Regular: 1 + r.Uint32N(limit), Categorical: f%3 == 2})
	}
	for range rows {
		row := make([]uint32, len(s.features))
		for f := range row {
			// The code above the last regular one is the missing code, which any matrix can hold.
			row[f] = r.Uint32N(s.features[f].Regular + 1)
		}
		s.codes = append(s.codes, row)
	}
	s.grow(r, leaves)
	for f := range s.features {
		s.columns = append(s.columns, s.pack(f))
	}
	return s
}

// grow splits a random leaf until there are enough.
func (s *scene) grow(r *rand.Rand, leaves int) {
	t := &s.tree
	t.SetPtrs = []uint32{0}
	type open struct {
		parent int
		right  bool
	}
	at := []open{{parent: -1}}
	for len(at) < leaves {
		leaf := r.IntN(len(at))
		node, other := len(t.Feature), len(at)
		s.split(r)
		t.Left, t.Right = append(t.Left, ^int32(leaf)), append(t.Right, ^int32(other))
		if p := at[leaf]; p.parent >= 0 && p.right {
			t.Right[p.parent] = int32(node)
		} else if p.parent >= 0 {
			t.Left[p.parent] = int32(node)
		}
		at[leaf] = open{node, false}
		at = append(at, open{node, true})
	}
	for range at {
		t.Leaf = append(t.Leaf, r.NormFloat64())
	}
	t.Gain, t.Cover = make([]float32, len(t.Feature)), make([]float64, len(t.Feature))
	t.LeafCover = make([]float64, len(t.Leaf))
}

func (s *scene) split(r *rand.Rand) {
	t := &s.tree
	f := r.IntN(len(s.features))
	regular := s.features[f].Regular
	t.Feature = append(t.Feature, int32(f))
	t.Categorical = append(t.Categorical, s.features[f].Categorical)
	t.MissingLeft = append(t.MissingLeft, r.IntN(2) == 0)
	if !s.features[f].Categorical {
		t.Code = append(t.Code, r.Uint32N(regular))
		return
	}
	t.Code = append(t.Code, uint32(len(t.SetPtrs)-1))
	var set []uint32
	for range r.IntN(40) {
		set = append(set, r.Uint32N(regular))
	}
	slices.Sort(set)
	t.Sets = append(t.Sets, slices.Compact(set)...)
	t.SetPtrs = append(t.SetPtrs, uint32(len(t.Sets)))
}

// pack stores a feature in the narrowest width that holds its codes.
func (s *scene) pack(f int) predict.Column {
	n := len(s.codes)
	switch last := s.features[f].Regular; {
	case last < 16:
		c := predict.Column{Bits: 4, U4: make([]byte, (n+1)/2)}
		for r, row := range s.codes {
			c.U4[r/2] |= byte(row[f]) << (4 * (r & 1))
		}
		return c
	case last < 256:
		c := predict.Column{Bits: 8, U8: make([]uint8, n)}
		for r, row := range s.codes {
			c.U8[r] = uint8(row[f])
		}
		return c
	case last < 65536:
		c := predict.Column{Bits: 16, U16: make([]uint16, n)}
		for r, row := range s.codes {
			c.U16[r] = uint16(row[f])
		}
		return c
	default:
		c := predict.Column{Bits: 32, U32: make([]uint32, n)}
		for r, row := range s.codes {
			c.U32[r] = row[f]
		}
		return c
	}
}

func (s *scene) compile() *predict.Tree {
	t, out := &s.tree, &predict.Tree{}
	out.Reset(t.Leaf)
	for n, f := range t.Feature {
		if t.Categorical[n] {
			out.Categorical(f, t.Set(n), s.features[f].Regular, t.MissingLeft[n], t.Left[n], t.Right[n])
		} else {
			out.Numeric(f, t.Code[n], s.features[f].Regular, t.MissingLeft[n], t.Left[n], t.Right[n])
		}
	}
	return out
}

// check compares every way of walking with tree.LeafIndex, to the last bit.
func (s *scene) check(t *testing.T, r *rand.Rand) {
	t.Helper()
	if err := s.tree.Validate(s.features); err != nil {
		t.Fatal(err)
	}
	compiled := s.compile()
	n := len(s.codes)
	start, want := make([]float64, n), make([]float64, n)
	for row, codes := range s.codes {
		start[row] = r.NormFloat64()
		leaf := s.tree.LeafIndex(s.features, codes)
		if got := compiled.Walk(codes); got != leaf {
			t.Fatalf("Walk(row %d, codes %v) = leaf %d, want %d", row, codes, got, leaf)
		}
		want[row] = start[row] + s.tree.Leaf[leaf]
	}
	var scratch predict.Scratch
	lo := r.IntN(n + 1)
	hi := lo + r.IntN(n+1-lo)
	got := slices.Clone(start)
	predict.AddRange(compiled, s.columns, lo, hi, got, &scratch)
	for row := range got {
		expect := start[row]
		if row >= lo && row < hi {
			expect = want[row]
		}
		if math.Float64bits(got[row]) != math.Float64bits(expect) {
			t.Fatalf("AddRange(%d, %d): row %d has %v, want %v", lo, hi, row, got[row], expect)
		}
	}
	var rows []uint32
	for row := range n {
		if r.IntN(3) == 0 {
			rows = append(rows, uint32(row))
		}
	}
	got = slices.Clone(start)
	predict.AddRows(compiled, s.columns, rows, got, &scratch)
	for row := range got {
		expect := start[row]
		if _, listed := slices.BinarySearch(rows, uint32(row)); listed {
			expect = want[row]
		}
		if math.Float64bits(got[row]) != math.Float64bits(expect) {
			t.Fatalf("AddRows: row %d has %v, want %v", row, got[row], expect)
		}
	}
}

func TestEqualsReferenceWalk(t *testing.T) {
	trees := 10_000
	if testing.Short() {
		trees = 1000
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range trees {
		newScene(r, 1+r.IntN(60), 1+r.IntN(20)).check(t, r)
	}
	t.Run("more rows than a block", func(t *testing.T) {
		for _, rows := range []int{predict.BlockRows - 1, predict.BlockRows, 2*predict.BlockRows + 3} {
			newScene(r, rows, 64).check(t, r)
		}
	})
}

func FuzzEqualsReferenceWalk(f *testing.F) {
	f.Add(uint64(1), uint64(2), uint16(50), uint8(31))
	f.Add(uint64(3), uint64(4), uint16(1), uint8(1))
	f.Fuzz(func(t *testing.T, a, b uint64, rows uint16, leaves uint8) {
		r := rand.New(rand.NewPCG(a, b))
		newScene(r, 1+int(rows%6000), 1+int(leaves)).check(t, r)
	})
}

// Every code against every border, both sides for missing: the one comparison of a
// numeric node must agree with the three-way rule.
func TestNumericNodeExhaustive(t *testing.T) {
	for regular := uint32(1); regular <= 9; regular++ {
		for code := range regular {
			for _, missingLeft := range []bool{false, true} {
				var tr predict.Tree
				tr.Reset([]float64{0, 1})
				tr.Numeric(0, code, regular, missingLeft, ^0, ^1)
				for _, c := range []uint32{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 255, 1 << 31, math.MaxUint32} {
					want := 1
					if c >= regular && missingLeft || c < regular && c <= code {
						want = 0
					}
					if got := tr.Walk([]uint32{c}); got != want {
						t.Fatalf("regular %d, left up to %d, missing left %v: code %d goes to leaf %d, want %d", regular, code, missingLeft, c, got, want)
					}
				}
			}
		}
	}
}

// S0.5: a NaN that training never saw takes the code after the last, in the
// validation set's own, wider column.
func TestLateMissing(t *testing.T) {
	for _, codes := range []int{255, 256} {
		t.Run(fmt.Sprintf("S0.5/late missing at %d codes", codes), func(t *testing.T) {
			for _, missingLeft := range []bool{false, true} {
				var tr predict.Tree
				tr.Reset([]float64{1, 2})
				tr.Numeric(0, 100, uint32(codes), missingLeft, ^0, ^1)
				scores := make([]float64, 4)
				column := predict.Column{Bits: 16, U16: []uint16{100, 101, uint16(codes - 1), uint16(codes)}}
				var scratch predict.Scratch
				predict.AddRange(&tr, []predict.Column{column}, 0, 4, scores, &scratch)
				want := []float64{1, 2, 2, 2}
				if missingLeft {
					want[3] = 1
				}
				if !slices.Equal(scores, want) {
					t.Errorf("missing left %v: scores %v, want %v", missingLeft, scores, want)
				}
			}
		})
	}
}

// A set's words stay in proportion to the set however many codes the feature has.
func TestSetMemory(t *testing.T) {
	var tr predict.Tree
	tr.Reset([]float64{0, 1})
	tr.Categorical(0, []uint32{5, 4_000_000_000}, math.MaxUint32, true, ^0, ^1)
	if len(tr.Words) > 64 {
		t.Errorf("a set of 2 codes takes %d words", len(tr.Words))
	}
	for code, want := range map[uint32]int{4: 1, 5: 0, 6: 1, 4_000_000_000: 0, math.MaxUint32: 0} {
		if got := tr.Walk([]uint32{code}); got != want {
			t.Errorf("code %d goes to leaf %d, want %d", code, got, want)
		}
	}
}

func TestAddAllocatesNothing(t *testing.T) {
	s := newScene(rand.New(rand.NewPCG(5, 6)), 5000, 31)
	compiled := s.compile()
	scores := make([]float64, len(s.codes))
	var scratch predict.Scratch
	predict.AddRange(compiled, s.columns, 0, len(scores), scores, &scratch)
	if n := testing.AllocsPerRun(10, func() {
		predict.AddRange(compiled, s.columns, 0, len(scores), scores, &scratch)
	}); n != 0 {
		t.Errorf("AddRange allocates %v times with warm scratch", n)
	}
}

func BenchmarkAddRange(b *testing.B) {
	for _, leaves := range []int{31, 255} {
		for _, rows := range []int{1, 1024, 1 << 16} {
			b.Run(fmt.Sprintf("leaves=%d/rows=%d", leaves, rows), func(b *testing.B) {
				r := rand.New(rand.NewPCG(1, 2))
				s := &scene{}
				for range 28 {
					s.features = append(s.features, tree.Feature{Regular: 250})
				}
				for range rows {
					row := make([]uint32, len(s.features))
					for f := range row {
						row[f] = r.Uint32N(250)
					}
					s.codes = append(s.codes, row)
				}
				s.grow(r, leaves)
				for f := range s.features {
					s.columns = append(s.columns, s.pack(f))
				}
				compiled, scores := s.compile(), make([]float64, rows)
				var scratch predict.Scratch
				for b.Loop() {
					predict.AddRange(compiled, s.columns, 0, rows, scores, &scratch)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(rows), "ns/row")
			})
		}
	}
}
