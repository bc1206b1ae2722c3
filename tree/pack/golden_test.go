package pack_test

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"boost/tree"
	"boost/tree/pack"
)

var update = flag.Bool("update", false, "rewrite the kept packed trees")

// kept is a file of packed trees and what they are, for readers in any language.
type kept struct {
	Features [][2]uint32 `json:"features"` // codes, and 1 if categorical
	Outputs  int         `json:"outputs"`
	Trees    []keptTree  `json:"trees"`
	Packed   string      `json:"packed"` // hexadecimal
}

type keptTree struct {
	Feature     []int32    `json:"feature"`
	Code        []uint32   `json:"code"` // of categorical nodes the number of the set
	MissingLeft []int      `json:"missing_left"`
	Left        []int32    `json:"left"`
	Right       []int32    `json:"right"`
	Sets        [][]uint32 `json:"sets"`
}

// keptSamples are small and go each way of the form at least once.
func keptSamples() []sample {
	mixed := append(numeric(255, 2, 1, 16), categorical(3, 40, 1_200)...)
	alike := make([]tree.Tree, 100)
	for i := range alike {
		alike[i] = chain(12)
	}
	return []sample{
		{"leaves", numeric(3), 1, forest(1, 3, numeric(3), how{})},
		{"grown", mixed, 1, forest(2, 20, mixed, how{splits: 30, codes: 9})},
		{"loose", mixed, 1, forest(3, 10, mixed, how{splits: 15, codes: 9, loose: true})},
		{"outputs", mixed, 3, forest(4, 24, mixed, how{splits: 12, codes: 4})},
		{"wide", numeric(100_000, 300), 1, forest(5, 8, numeric(100_000, 300), how{splits: 40})},
		{"padded", numeric(20), 1, alike},
	}
}

func keep(s sample) kept {
	k := kept{Features: [][2]uint32{}, Outputs: s.outputs, Trees: []keptTree{}, Packed: hex.EncodeToString(pack.Write(s.trees, s.features, s.outputs))}
	for _, f := range s.features {
		is := uint32(0)
		if f.Categorical {
			is = 1
		}
		k.Features = append(k.Features, [2]uint32{f.Regular, is})
	}
	for i := range s.trees {
		t := pack.Canonical(&s.trees[i])
		one := keptTree{
			Feature: listed(t.Feature), Code: listed(t.Code), MissingLeft: make([]int, t.NumSplits()),
			Left: listed(t.Left), Right: listed(t.Right), Sets: [][]uint32{},
		}
		for n, left := range t.MissingLeft {
			if left {
				one.MissingLeft[n] = 1
			}
		}
		for n := range t.NumSplits() {
			if t.Categorical[n] {
				one.Sets = append(one.Sets, listed(t.Set(n)))
			}
		}
		k.Trees = append(k.Trees, one)
	}
	return k
}

// listed is a list in JSON even where there is nothing.
func listed[T any](values []T) []T { return append([]T{}, values...) }

// sample is what a kept file says.
func (k *kept) sample() sample {
	s := sample{outputs: k.Outputs}
	for _, f := range k.Features {
		s.features = append(s.features, tree.Feature{Regular: f[0], Categorical: f[1] == 1})
	}
	for _, one := range k.Trees {
		n := len(one.Feature)
		t := tree.Tree{Feature: one.Feature, Code: one.Code, Left: one.Left, Right: one.Right, Categorical: make([]bool, n), MissingLeft: make([]bool, n)}
		for i, f := range one.Feature {
			t.Categorical[i], t.MissingLeft[i] = s.features[f].Categorical, one.MissingLeft[i] == 1
		}
		for _, set := range one.Sets {
			if t.SetPtrs == nil {
				t.SetPtrs = []uint32{0}
			}
			t.Sets = append(t.Sets, set...)
			t.SetPtrs = append(t.SetPtrs, uint32(len(t.Sets)))
		}
		t.Leaf = make([]float64, n+1)
		complete(&t)
		s.trees = append(s.trees, t)
	}
	return s
}

// The kept files hold the bytes that the same trees give today, on any machine.
// benchmarks/python/interop_trees.py, which was written from docs/format.md, reads them too.
func TestGolden(t *testing.T) {
	if *update {
		for _, s := range keptSamples() {
			b, err := json.Marshal(keep(s))
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join("testdata", s.name+".json"), append(b, '\n'), 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	files, err := filepath.Glob(filepath.Join("testdata", "*.json"))
	if err != nil || len(files) != len(keptSamples()) {
		t.Fatalf("%d kept files, want %d (%v)", len(files), len(keptSamples()), err)
	}
	for _, file := range files {
		t.Run("S3.57/"+filepath.Base(file), func(t *testing.T) {
			var k kept
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal(text, &k); err != nil {
				t.Fatal(err)
			}
			packed, err := hex.DecodeString(k.Packed)
			if err != nil {
				t.Fatal(err)
			}
			s := k.sample()
			validate(t, s.trees, s.features)
			checkTrees(t, newReader(t, packed, s), s, file)
			if got := pack.Write(s.trees, s.features, s.outputs); !bytes.Equal(got, packed) {
				t.Errorf("%d bytes are written, others than the %d kept ones", len(got), len(packed))
			}
		})
	}
}
