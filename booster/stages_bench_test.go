package booster_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"boost/booster"
	"boost/booster/model"
	"boost/dataset"
)

// BenchmarkEarlyStop predicts test rows by one thread, with all trees and without those that
// cannot change the result: of a set whose classes lie close together, and of one whose lie
// apart, where that is at hand.
func BenchmarkEarlyStop(b *testing.B) {
	ctx, dir := context.Background(), os.Getenv("BOOST_SHARED")
	for _, c := range []struct {
		set, path, label string
		rounds           int
	}{
		{"adult", filepath.Join("..", "examples", "adult"), "income", 200},
		{"skin_segmentation", filepath.Join(dir, "data", "skin_segmentation"), "label", 500},
	} {
		b.Run(fmt.Sprintf("set=%s/rounds=%d", c.set, c.rounds), func(b *testing.B) {
			if dir == "" && c.set != "adult" {
				b.Skip("BOOST_SHARED is not set: the real data sets are not at hand")
			}
			table, err := dataset.Open(ctx, filepath.Join(c.path, "train.csv.gz"), dataset.Label(c.label))
			if err != nil {
				b.Fatal(err)
			}
			p := booster.Defaults()
			p.Objective, p.Rounds = "binary", c.rounds
			m, err := booster.Train(ctx, p, table)
			if err != nil {
				b.Fatal(err)
			}
			test, err := dataset.Open(ctx, filepath.Join(c.path, "test.csv.gz"), dataset.As(m.Schema()))
			if err != nil {
				b.Fatal(err)
			}
			classes := func(opts ...model.Option) error { _, err := m.PredictClass(ctx, test, opts...); return err }
			values := func(opts ...model.Option) error { _, err := m.Predict(ctx, test, opts...); return err }
			one := model.Threads(1)
			for _, way := range []struct {
				name string
				run  func() error
			}{
				{"kind=class/stop=off", func() error { return classes(one) }},
				{"kind=class/stop=0", func() error { return classes(one, model.EarlyStop(0)) }},
				{"kind=value/stop=off", func() error { return values(one) }},
				{"kind=value/stop=0.01", func() error { return values(one, model.EarlyStop(0.01)) }},
				{"kind=value/stop=1", func() error { return values(one, model.EarlyStop(1)) }},
			} {
				b.Run(way.name, func(b *testing.B) {
					for b.Loop() {
						if err := way.run(); err != nil {
							b.Fatal(err)
						}
					}
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(test.NumRows()), "ns/row")
				})
			}
		})
	}
}
