package dataset_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"boost/dataset"
	"boost/internal/testenv"
)

// TestInteropLibSVM reads what scikit-learn wrote. What the files hold is stated by CSV
// twins that benchmarks/python/interop_libsvm.py writes cell by cell.
func TestInteropLibSVM(t *testing.T) {
	testenv.Unraced(t)
	for _, folder := range interopFolders() {
		files, err := filepath.Glob(filepath.Join(folder, "sklearn_*.svm"))
		if err != nil || len(files) < 5 {
			t.Fatalf("only %d files in %s (%v)", len(files), folder, err)
		}
		for _, file := range files {
			t.Run(filepath.Base(file), func(t *testing.T) {
				ctx := context.Background()
				opts := []dataset.Option{dataset.Label("label")}
				if strings.Contains(file, "queries") {
					opts = append(opts, dataset.Group("qid"))
				}
				twin := must(dataset.Open(ctx, twinOf(file), opts...))(t)
				sameTables(t, must(dataset.Open(ctx, file))(t), twin)
				sameTables(t, must(dataset.Open(ctx, file, dataset.ChunkSize(100), dataset.Threads(3)))(t), twin)
				sameTables(t, must(dataset.Open(ctx, file, dataset.As(twin.Schema())))(t), twin)
				sparse := 0
				for _, c := range twin.Features() {
					if must(dataset.Open(ctx, file))(t).Column(c.Name()).Sparse() != nil {
						sparse++
					}
				}
				if sparse == 0 {
					t.Error("no column is sparse")
				}
			})
		}
	}
}
