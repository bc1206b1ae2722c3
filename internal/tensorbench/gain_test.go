package tensorbench

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"boost/benchmarks/accuracy"
	"boost/benchmarks/score"
	"boost/booster"
	"boost/booster/model"
	"boost/dataset"
	"boost/tensorq"
	"boost/tree"
)

// leafModels are the sets whose models' leaves are looked at: three tasks, 600 to 45,000 rows.
var leafModels = []string{"ames_housing", "california_housing", "diamonds", "protein_casp", "adult", "spambase", "wine_quality", "digits"}

// BenchmarkTwoLevelGain looks for what a second scale gains on the leaf values of trained
// models, of which one block holds a tree's, and holds the default of two_level_cold to it (S3.31).
//
// A second scale takes 8 bytes and ⌈n/8⌉ more of a block: 24 instead of 16 for 31 leaves, which
// 5 bits take as well. Each bit more of every code halves the error, so the second scale gains
// something where its error is below that of 3 bits times 2 to the power of minus the bits a
// value that it takes.
func BenchmarkTwoLevelGain(b *testing.B) {
	folder := os.Getenv("BOOST_SHARED")
	if folder == "" {
		b.Skip("BOOST_SHARED is not set: the real data sets are not here")
	}
	var gains []float64
	for _, name := range leafModels {
		b.Run("S3.31/"+name, func(b *testing.B) {
			sets, err := accuracy.Sets(filepath.Join(folder, "data"), name)
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				l := newLeaves(b, sets[0])
				three, two, five := l.stored(b, 3, false), l.stored(b, 3, true), l.stored(b, 5, false)
				worth := three.rms * math.Exp2(-8*(two.bytes-three.bytes))
				gains = append(gains, worth/two.rms)
				b.ReportMetric(float64(len(l.model.Contents().Trees)), "trees")
				b.ReportMetric(100*two.share, "%_of_blocks_with_two")
				for way, s := range map[string]stored{"3_bits": three, "two_levels": two, "5_bits": five} {
					b.ReportMetric(s.bytes, "B_a_leaf_"+way)
					b.ReportMetric(100*s.rms, "%_error_"+way)
					b.ReportMetric(100*(s.loss/l.loss-1), "%_loss_"+way)
				}
				b.ReportMetric(worth/two.rms, "x_gain")
			}
		})
	}
	b.Run("S3.31/default", func(b *testing.B) {
		if len(gains) < 5 {
			b.Fatalf("%d models: the record takes 5", len(gains))
		}
		gain := 0.0
		for b.Loop() {
			gain = score.GeometricMean(gains)
		}
		b.ReportMetric(gain, "x_gain")
		if on := tensorq.DefaultQuantConfig().TwoLevelCold; on != (gain > 1) {
			b.Errorf("the second scale gains %.2f times what its bytes are worth, and two_level_cold is %v by default", gain, on)
		}
	})
}

// leaves is a trained model, with what its predictions are compared with.
type leaves struct {
	set   *accuracy.Set
	model *model.Model
	test  *dataset.Table
	loss  float64 // with the leaves as they are
}

func newLeaves(b *testing.B, set *accuracy.Set) *leaves {
	b.Helper()
	ctx := context.Background()
	train, test, err := set.Tables(ctx)
	if err != nil {
		b.Fatal(err)
	}
	l := &leaves{set: set, test: test}
	p := booster.Defaults()
	p.Objective, p.Threads = set.Task, runtime.GOMAXPROCS(0)
	if l.model, err = booster.Train(ctx, p, train); err != nil {
		b.Fatal(err)
	}
	l.loss = l.lossOf(b, l.model)
	return l
}

// lossOf is the loss of a model on the test rows.
func (l *leaves) lossOf(b *testing.B, m *model.Model) float64 {
	b.Helper()
	loss, err := l.set.LossOf(context.Background(), m, l.test)
	if err != nil {
		b.Fatal(err)
	}
	return loss
}

// stored is what came of storing the leaves in some way.
type stored struct {
	bytes float64 // a leaf
	share float64 // of the blocks, with two scales
	rms   float64 // error, as a share of the leaves' own root mean square
	loss  float64
}

// stored quantizes the leaves tree by tree, in blocks of up to 64, and predicts with what is
// left of them.
func (l *leaves) stored(b *testing.B, bits int, twoLevel bool) stored {
	b.Helper()
	cfg := tensorq.DefaultQuantConfig()
	cfg.TwoLevelCold = twoLevel
	q, err := tensorq.Quantizer(bits)
	if err != nil {
		b.Fatal(err)
	}
	c := *l.model.Contents()
	c.Trees = slices.Clone(c.Trees)
	n, blocks, bytes, two, errors, squares := 0, 0, 0, 0, 0.0, 0.0
	for i := range c.Trees {
		t := c.Trees[i]
		c.Trees[i] = withLeaves(b, t, func(leaf, out []float32) {
			made, err := tensorq.Quantize(leaf, q, cfg)
			if err == nil {
				_, err = tensorq.Dequantize(made, out)
			}
			if err != nil {
				b.Fatal(err)
			}
			blocks += len(made)
			for k := range made {
				bytes += made[k].StorageSize()
				if made[k].TwoLevel {
					two++
				}
			}
		})
		for k, v := range t.Leaf {
			e := v - c.Trees[i].Leaf[k]
			errors, squares, n = errors+float64(e*e), squares+float64(v*v), n+1
		}
	}
	m, err := model.New(c)
	if err != nil {
		b.Fatal(err)
	}
	return stored{float64(bytes) / float64(n), float64(two) / float64(blocks), math.Sqrt(errors / squares), l.lossOf(b, m)}
}

// withLeaves returns a tree with other leaf values, which change makes of its own.
func withLeaves(b *testing.B, t tree.Tree, change func(leaf, out []float32)) tree.Tree {
	b.Helper()
	leaf, out := make([]float32, len(t.Leaf)), make([]float32, len(t.Leaf))
	for i, v := range t.Leaf {
		leaf[i] = float32(v)
	}
	change(leaf, out)
	t.Leaf = make([]float64, len(out))
	for i, v := range out {
		t.Leaf[i] = float64(v)
	}
	return t
}
