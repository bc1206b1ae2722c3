package pack_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"boost/internal/entropy"
	"boost/tree"
	"boost/tree/pack"
)

// tryRead reads whatever the bytes say and checks that it is in proportion to them: valid
// trees or ErrDamaged, and memory and work within what features and length justify.
func tryRead(t *testing.T, b []byte, count int, features []tree.Feature, outputs int) []tree.Tree {
	t.Helper()
	levels := 0
	for _, f := range features {
		if f.Categorical {
			levels += int(min(f.Regular, 1_024))
		}
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	r, err := pack.NewReader(b, count, features, outputs)
	nodes, codes := 0, 0
	var trees []tree.Tree
	for i := 0; err == nil && i < count; i++ {
		var x tree.Tree
		if err = r.Next(&x); err == nil {
			trees = append(trees, x)
			nodes, codes = nodes+len(x.Feature), codes+len(x.Sets)
		}
	}
	runtime.ReadMemStats(&after)
	if err != nil && !errors.Is(err, pack.ErrDamaged) {
		t.Fatalf("%v, want ErrDamaged", err)
	}
	if err != nil {
		trees = nil
	}
	if nodes > 16*len(b) || codes > 256*len(b) {
		t.Fatalf("%d bytes gave %d nodes and %d codes of sets", len(b), nodes, codes)
	}
	// 2 KiB are a tree that was read: its slices, whose growth doubles them at most, and the list.
	most := uint64(1<<21 + 8192*len(b) + 128*len(features) + 8*levels + 2048*count)
	if got := after.TotalAlloc - before.TotalAlloc; got > most {
		t.Fatalf("%d bytes, %d features of %d levels and %d trees made the reader take %d bytes", len(b), len(features), levels, count, got)
	}
	for i := range trees {
		complete(&trees[i])
		if err := trees[i].Validate(features); err != nil {
			t.Fatalf("tree %d of %d bytes: %v", i, len(b), err)
		}
		if !pack.IsCanonical(&trees[i]) {
			t.Fatalf("tree %d of %d bytes is not in canonical order", i, len(b))
		}
	}
	return trees
}

// Every beginning of a stream, and every stream with some bits changed, is an error or
// other sound trees.
func TestDamage(t *testing.T) {
	for _, s := range samples(11) {
		if len(s.trees) > 60 {
			s.trees = s.trees[:60]
		}
		t.Run(s.name, func(t *testing.T) {
			b := pack.Write(s.trees, s.features, s.outputs)
			step := max(len(b)/60, 1)
			for n := 0; n < len(b); n += step {
				tryRead(t, b[:n], len(s.trees), s.features, s.outputs)
			}
			r := rand.New(rand.NewPCG(2, 2))
			for range 60 {
				bad := slices.Clone(b)
				for range 1 + r.IntN(3) {
					if len(bad) > 0 {
						bad[r.IntN(len(bad))] ^= 1 << r.IntN(8)
					}
				}
				tryRead(t, bad, len(s.trees), s.features, s.outputs)
			}
			tryRead(t, b, len(s.trees)+1, s.features, s.outputs)
			tryRead(t, b, max(len(s.trees)-1, 0), s.features, s.outputs)
			tryRead(t, b, len(s.trees), s.features, s.outputs+1)
			for n := range s.features {
				tryRead(t, b, len(s.trees), s.features[:n], s.outputs)
			}
		})
	}
}

// A small stream short of its last bytes is told from a whole one.
func TestEveryTruncation(t *testing.T) {
	features := append(numeric(255, 40), categorical(9, 1_500)...)
	trees := forest(4, 30, features, how{splits: 20, codes: 6})
	b := pack.Write(trees, features, 1)
	for n := range len(b) - 6 {
		if tryRead(t, b[:n], len(trees), features, 1) != nil {
			t.Errorf("%d of %d bytes are read as a whole", n, len(b))
		}
	}
}

// claims writes a head and what a stream may claim, as docs/format.md draws it.
type claims struct {
	c        *entropy.Coder
	features []tree.Feature
}

func newClaims(nodes uint64, features []tree.Feature) *claims {
	c := &claims{entropy.NewWriter(nil), features}
	var number entropy.Number
	number.Code(c.c, nodes)
	var used entropy.Bit
	for range features {
		used.Code(c.c, 1)
	}
	c.c.Bit(0, entropy.One/2)
	return c
}

func TestHostileClaims(t *testing.T) {
	wide := categorical(100_000)
	for _, c := range []struct {
		name     string
		features []tree.Feature
		bytes    []byte
	}{
		{"2⁶⁴-1 nodes", numeric(9), newClaims(math.MaxUint64, numeric(9)).c.Close()},
		{"2³¹ nodes", numeric(9), newClaims(1<<31, numeric(9)).c.Close()},
		{"nodes on no feature", nil, newClaims(7, nil).c.Close()},
		{"a tree larger than all", numeric(9), func() []byte {
			claim := newClaims(10, numeric(9))
			var alike entropy.Bit
			var size entropy.Number
			alike.Code(claim.c, 0)
			size.Code(claim.c, 11)
			return claim.c.Close()
		}()},
		{"sets of 100,000 codes in 800 nodes of 50 bytes", wide, func() []byte {
			claim := newClaims(800, wide)
			var alike entropy.Bit
			var size, length entropy.Number
			alike.Code(claim.c, 0)
			size.Code(claim.c, 800)
			length.Code(claim.c, 100_000)
			b := claim.c.Close()
			return append(b, make([]byte, 50-len(b))...)
		}()},
	} {
		t.Run(c.name, func(t *testing.T) {
			if trees := tryRead(t, c.bytes, 1, c.features, 1); trees != nil {
				t.Errorf("they were read: %d nodes", trees[0].NumSplits())
			}
		})
	}
	for _, features := range [][]tree.Feature{nil, numeric(9), wide, categorical(1_024), categorical(1_025)} {
		tryRead(t, make([]byte, 50_000), 3, features, 1)
		tryRead(t, slices.Repeat([]byte{0xff}, 50_000), 3, features, 1)
	}
	if _, err := pack.NewReader(nil, 1, nil, 0); !errors.Is(err, pack.ErrDamaged) {
		t.Errorf("no output: %v, want ErrDamaged", err)
	}
	if _, err := pack.NewReader(nil, -1, nil, 1); !errors.Is(err, pack.ErrDamaged) {
		t.Errorf("-1 trees: %v, want ErrDamaged", err)
	}
}

// fuzzFeatures makes features of bytes: kinds and sizes that take different ways.
func fuzzFeatures(list []byte) []tree.Feature {
	regular := []uint32{1, 2, 3, 16, 255, 256, 1_024, 1_025, 70_000, 1 << 20}
	features := make([]tree.Feature, min(len(list), 300))
	for f := range features {
		features[f] = tree.Feature{Regular: regular[int(list[f]>>1)%len(regular)], Categorical: list[f]&1 == 1}
	}
	return features
}

// FuzzReaderS3_57 reads trees from any bytes: errors or valid trees that are written and read
// again, in memory that the bytes justify.
func FuzzReaderS3_57(f *testing.F) {
	for i, list := range [][]byte{{8}, {8, 3, 9}, {13}, {15}, {17, 8, 8, 8, 1, 5}, {}} {
		features := fuzzFeatures(list)
		splits := 8
		if len(list) == 0 {
			splits = 0
		}
		for _, loose := range []bool{false, true} {
			trees := forest(uint64(i), 5, features, how{splits: splits, codes: 4, loose: loose})
			f.Add(pack.Write(trees, features, 1+i%2), list, uint8(len(trees)), uint8(i%2))
		}
	}
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, 0xff}, []byte{17}, uint8(1), uint8(0))
	f.Fuzz(func(t *testing.T, b, list []byte, count, more uint8) {
		features, outputs := fuzzFeatures(list), 1+int(more)
		trees := tryRead(t, b, int(count), features, outputs)
		if trees == nil {
			return
		}
		again := tryRead(t, pack.Write(trees, features, outputs), int(count), features, outputs)
		if len(again) != len(trees) {
			t.Fatalf("%d trees, written and read again %d", len(trees), len(again))
		}
		for i := range trees {
			if differs := sameStructure(&again[i], &trees[i]); differs != "" {
				t.Fatalf("tree %d, written and read again, has other %s", i, differs)
			}
		}
	})
}
