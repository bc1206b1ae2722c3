package parts_test

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"boost/benchmarks/accuracy"
	"boost/booster"
	"boost/booster/model"
	"boost/dataset"
	"boost/tree"
	"boost/tree/pack"
)

// What S3.57 asks for: bytes a split node for shape, feature, code and direction, over models
// of so many trees of 31 leaves. Category sets are counted apart, and so are the cuts in use.
const (
	mostBytes    = 4
	leastModels  = 3
	leastTrees   = 100
	leastLeaves  = 31
	leavesMargin = 0.95 // some trees find no 31st leaf
)

// trained is a set to train on.
type trained struct {
	name, objective string
	open            func() (*dataset.Table, error)
}

// sets returns those of the tree, and the real ones where they are at hand.
func sets(b *testing.B) []trained {
	b.Helper()
	shipped := func(folder, objective, label string, options ...dataset.Option) trained {
		return trained{"examples/" + folder, objective, func() (*dataset.Table, error) {
			path := filepath.Join("..", "..", "examples", folder, "train.csv.gz")
			return dataset.Open(context.Background(), path, append(options, dataset.Label(label))...)
		}}
	}
	list := []trained{
		shipped("adult", "binary", "income"),
		shipped("ames_housing", "regression", "Sale_Price", dataset.MissingOnly("")),
		shipped("wine_quality", "regression", "quality"),
	}
	folder := os.Getenv("BOOST_SHARED")
	if folder == "" {
		return list
	}
	real, err := accuracy.Sets(filepath.Join(folder, "data"),
		"adult", "california_housing", "covtype_15k", "diamonds", "lightgbm_binary", "nycflights", "protein_casp", "spambase")
	if err != nil {
		b.Fatal(err)
	}
	for _, s := range real {
		list = append(list, trained{s.Name, s.Task, func() (*dataset.Table, error) { return s.Open(context.Background()) }})
	}
	return list
}

// BenchmarkNodeBytes packs the trees of trained models and reads them.
func BenchmarkNodeBytes(b *testing.B) {
	models := 0
	for _, s := range sets(b) {
		b.Run("S3.57/"+s.name, func(b *testing.B) {
			m := trainPacked(b, s)
			c := m.Contents().Narrow(model.KnownNames)
			features := model.Features(c.Cuts)
			sizes := pack.Measure(c.Trees, features, c.Outputs)
			packed := pack.Write(c.Trees, features, c.Outputs)
			nodes := 0.0
			for i := range c.Trees {
				nodes += float64(c.Trees[i].NumSplits())
			}
			leaves := 1 + nodes/float64(len(c.Trees))
			b.ResetTimer()
			for b.Loop() {
				read(b, packed, len(c.Trees), features, c.Outputs)
			}
			structure := (float64(sizes.Total) - sizes.Sets) / nodes
			b.ReportMetric(structure, "B_a_node")
			b.ReportMetric(sizes.Sets/nodes, "B_a_node_sets")
			b.ReportMetric(float64(4*len(c.Cuts.Values)+8*len(c.Cuts.Values64))/nodes, "B_a_node_used_cuts")
			b.ReportMetric(plainBytes(b, m)/nodes, "B_a_node_plain")
			b.ReportMetric(8*sizes.Feature/nodes, "bits_feature")
			b.ReportMetric(8*sizes.Code/nodes, "bits_code")
			b.ReportMetric(8*sizes.Shape/nodes, "bits_shape")
			b.ReportMetric(8*sizes.Direction/nodes, "bits_direction")
			b.ReportMetric(float64(len(c.Trees)), "trees")
			b.ReportMetric(leaves, "leaves_a_tree")
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/nodes, "ns_a_node")
			if structure > mostBytes {
				b.Errorf("shape, feature, code and direction take %.2f bytes a node, want at most %d", structure, mostBytes)
			}
			if len(c.Trees) >= leastTrees && leaves >= leavesMargin*leastLeaves {
				models++
			}
		})
	}
	b.Run("S3.57/models", func(b *testing.B) {
		b.ReportMetric(float64(models), "models")
		if models < leastModels {
			b.Errorf("%d models have %d trees of %d leaves, want %d", models, leastTrees, leastLeaves, leastModels)
		}
	})
}

func trainPacked(b *testing.B, s trained) *model.Model {
	b.Helper()
	table, err := s.open()
	if err != nil {
		b.Fatal(err)
	}
	p := booster.Defaults()
	p.Objective, p.Rounds, p.Tree.Leaves, p.Threads = s.objective, leastTrees, leastLeaves, runtime.GOMAXPROCS(0)
	m, err := booster.Train(context.Background(), p, table)
	if err != nil {
		b.Fatal(err)
	}
	return m
}

func read(b *testing.B, packed []byte, trees int, features []tree.Feature, outputs int) {
	b.Helper()
	r, err := pack.NewReader(packed, trees, features, outputs)
	if err != nil {
		b.Fatal(err)
	}
	var into tree.Tree
	for range trees {
		if err := r.Next(&into); err != nil {
			b.Fatal(err)
		}
	}
}

// plainBytes is the length of the section that has the structure in a model's file.
func plainBytes(b *testing.B, m *model.Model) float64 {
	b.Helper()
	d, err := m.Describe()
	if err != nil {
		b.Fatal(err)
	}
	for _, s := range d.Sections {
		if s.Name == "structure" {
			return float64(s.Bytes)
		}
	}
	b.Fatal("the model has no structure")
	return 0
}
