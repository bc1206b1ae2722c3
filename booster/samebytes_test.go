package booster_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"

	"boost/booster"
	"boost/dataset"
	"boost/internal/testenv"
	"boost/parallel"
)

// shipped are the data sets in examples/, one per objective.
var shipped = []struct {
	name, label, objective string
	options                []dataset.Option
}{
	{"adult", "income", "binary", nil},
	{"ames_housing", "Sale_Price", "regression", []dataset.Option{dataset.MissingOnly(""), dataset.KeepBlanks()}},
	{"wine_quality", "quality", "multiclass", nil},
}

// hash trains and returns the sha256 of the model's bytes.
func hash(t *testing.T, p booster.Params, table *dataset.Table, opts ...booster.Option) string {
	t.Helper()
	m, err := booster.Train(context.Background(), p, table, opts...)
	if err != nil {
		t.Fatal(err)
	}
	b, err := m.Encode()
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// plain returns an uncompressed shipped training file.
func plain(t *testing.T, name string) []byte {
	t.Helper()
	f, err := os.Open(filepath.Join("..", "examples", name, "train.csv.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// split writes a CSV file as n files with the same header, none of whose cells
// holds a line break, and returns a pattern that matches them in order.
func split(t *testing.T, csv []byte, n int) string {
	t.Helper()
	dir := t.TempDir()
	lines := bytes.SplitAfter(bytes.TrimSuffix(csv, []byte("\n")), []byte("\n"))
	header, lines := lines[0], lines[1:]
	lines[len(lines)-1] = append(bytes.Clone(lines[len(lines)-1]), '\n')
	for i := range n {
		part := bytes.Join(lines[i*len(lines)/n:(i+1)*len(lines)/n], nil)
		name := filepath.Join(dir, fmt.Sprintf("part-%02d.csv", i))
		if err := os.WriteFile(name, append(bytes.Clone(header), part...), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, "part-*.csv")
}

// TestSameBytes is the first promise: one model whatever the threads, the builder
// and the cut of the files (S2.21, S2.22; docs/architecture.md, Numerics).
func TestSameBytes(t *testing.T) {
	ctx := context.Background()
	for _, set := range shipped {
		if testing.Short() && set.name != "ames_housing" {
			continue
		}
		// How files are cut changes the table, and nothing after it: other numbers of threads then.
		cuts, runs := map[int][]int{1: {1, 3, 8}, 7: {2}}, 1
		switch {
		case testenv.Soak():
			cuts, runs = map[int][]int{1: {1, 2, 3, 8}, 2: {3}, 7: {2, 8}}, 2
		case testing.Short():
			cuts = map[int][]int{1: {1, 3}, 7: {2}}
		}
		csv, tables := plain(t, set.name), map[int]*dataset.Table{}
		for parts := range cuts {
			opts := append([]dataset.Option{dataset.Label(set.label), dataset.Threads(parts)}, set.options...)
			table, err := dataset.Open(ctx, split(t, csv, parts), opts...)
			if err != nil {
				t.Fatal(err)
			}
			tables[parts] = table
		}
		modes := []string{"i16", "f32"}
		if set.name == "wine_quality" {
			modes = append(modes, "reuse")
		}
		if set.name == "ames_housing" {
			modes = append(modes, []string{"goss", "mvs", "reuse", "i8", "i4", "i32", "asymmetric"}[:testenv.UnlessShort(7, 3)]...)
		}
		for _, mode := range modes {
			t.Run("S2.21,S2.22/"+set.name+"/"+mode, func(t *testing.T) {
				p := booster.Defaults()
				p.Objective, p.Rounds = set.objective, 5
				p.RowFraction, p.Tree.ColTree = 0.8, 0.9
				switch mode {
				case "asymmetric":
					p.GradientMode = mode
				case "goss":
					p.RowFraction, p.GossTop, p.GossOther, p.LearningRate = 1, 0.2, 0.2, 0.5
				case "reuse":
					p.RowFraction, p.Tree.ReuseCut, p.Tree.ReuseFeature = 1, 0.3, 0.1
				case "mvs":
					p.RowFraction, p.MvsFraction = 1, 0.4
				default:
					p.Gradients = mode
				}
				want := ""
				for parts, workers := range cuts {
					for _, threads := range workers {
						pool := parallel.NewPool(threads) // as many as asked for, however small the table
						defer pool.Close()
						for _, builder := range []string{"sequential", "feature", "row"} {
							q := p
							q.Builder = builder
							for run := range runs {
								got := hash(t, q, tables[parts], booster.WithPool(pool))
								if want == "" {
									want = got
								}
								if got != want {
									t.Fatalf("%d files, %d threads, builder %s, run %d: model %s, want %s", parts, threads, builder, run, got, want)
								}
							}
						}
					}
				}
			})
		}
	}
}
