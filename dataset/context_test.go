package dataset_test

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"boost/dataset"
)

// Who reads a stream that falls silent, at its beginning or in the middle of any format,
// can be called off.
func TestSilentStream(t *testing.T) {
	parquet := string(must(os.ReadFile(interop("types.none.parquet")))(t))
	arrow := string(must(os.ReadFile(interop("types.plain.arrows")))(t))
	for name, text := range map[string]string{
		"nothing": "", "a header": "a,b\n1,", "rows": "a,b\n" + strings.Repeat("1,2\n", 1<<20),
		"libsvm": strings.Repeat("1 1:2\n", 1<<18), "parquet": parquet[:len(parquet)/2], "arrow": arrow[:len(arrow)/2],
		"gzip": string(zipped(strings.Repeat("a,b\n1,2\n", 1<<10))[:60]), "parquet in gzip": string(zipped(parquet)[:5000]),
	} {
		for how, read := range map[string]func(context.Context, io.Reader) error{
			"whole": func(ctx context.Context, r io.Reader) error {
				_, err := dataset.Read(ctx, r, "standard input")
				return err
			},
			"in chunks": func(ctx context.Context, r io.Reader) error {
				scan, err := dataset.ReadChunked(ctx, r, "standard input")
				if err == nil {
					scan.Close()
				}
				return err
			},
		} {
			t.Run(name+"/"+how, func(t *testing.T) {
				if name == "libsvm" && how == "in chunks" {
					t.Skip("LibSVM text is not read in chunks")
				}
				ctx, cancel := context.WithCancel(context.Background())
				r, w := io.Pipe()
				defer w.Close()
				go func() {
					_, _ = io.WriteString(w, text)
					cancel() // once all was read that comes
				}()
				done := make(chan error, 1)
				go func() { done <- read(ctx, r) }()
				select {
				case err := <-done:
					if !errors.Is(err, context.Canceled) || errors.Is(err, dataset.ErrTable) {
						t.Errorf("%v, want that it was called off", err)
					}
				case <-time.After(time.Minute):
					t.Fatal("it still waits")
				}
			})
		}
	}
}
