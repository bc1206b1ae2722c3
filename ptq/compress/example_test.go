package compress_test

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"

	"boost/booster"
	"boost/booster/model"
	"boost/dataset"
	"boost/ptq"
	"boost/ptq/compress"
)

// The whole way: train, calibrate and morph, save, load, predict. What the small model loses is
// measured on rows that no tree was grown on, and in the file.
func Example() {
	ctx := context.Background()
	folder := filepath.Join("..", "..", "examples", "wine_quality")
	open := func(name string) *dataset.Table {
		t, err := dataset.Open(ctx, filepath.Join(folder, name), dataset.Label("quality"))
		if err != nil {
			panic(err)
		}
		return t
	}
	p := booster.Defaults()
	p.Objective, p.Rounds = "regression", 30
	full, err := booster.Train(ctx, p, open("train.csv.gz"))
	if err != nil {
		panic(err)
	}

	unseen := open("test.csv.gz")
	found, err := compress.Quantize(ctx, full, compress.Settings{
		Formats: []compress.Format{{Form: ptq.FormOf(ptq.I8), Calibration: compress.Calibration{Method: ptq.MSE}}},
		MaxLoss: math.NaN(), // by any: there is one format
		Data:    unseen,
	})
	if err != nil {
		panic(err)
	}
	temporary, err := os.MkdirTemp("", "")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(temporary)
	file := filepath.Join(temporary, "wine.q.boost")
	if err := found.Model.Save(file); err != nil {
		panic(err)
	}

	small, err := model.Load(file)
	if err != nil {
		panic(err)
	}
	certificate, err := compress.CertificateOf(small)
	if err != nil {
		panic(err)
	}
	saved, _ := found.Model.Predict(ctx, unseen)
	loaded, err := small.Predict(ctx, unseen)
	if err != nil {
		panic(err)
	}
	before, err := full.Encode()
	if err != nil {
		panic(err)
	}
	fmt.Println(small.Compressed().Leaves.Form(), certificate.Metric, certificate.LossBound < 0.01)
	fmt.Println(int64(len(before)) > 8*found.Bytes, slices.Equal(saved, loaded))
	// Output:
	// I8 rmse true
	// true true
}
