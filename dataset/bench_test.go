package dataset_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"boost/dataset"
)

// BenchmarkOpen reads tables of 28 columns from a file; MB/s is of text. It is
// meant to run with GOMAXPROCS=1, which gives the speed per core.
func BenchmarkOpen(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	forms := []struct {
		name string
		cell func(b []byte) []byte
	}{
		{"int3", func(b []byte) []byte { return strconv.AppendInt(b, r.Int64N(1000), 10) }},
		{"fixed3", func(b []byte) []byte { return strconv.AppendFloat(b, r.NormFloat64(), 'f', 3, 64) }},
		{"float32", func(b []byte) []byte { return strconv.AppendFloat(b, r.NormFloat64(), 'g', -1, 32) }},
		{"float64", func(b []byte) []byte { return strconv.AppendFloat(b, r.NormFloat64(), 'g', -1, 64) }},
		{"exponent", func(b []byte) []byte { return strconv.AppendFloat(b, r.NormFloat64(), 'e', 18, 64) }},
		{"text", func(b []byte) []byte { return strconv.AppendInt(append(b, "level"...), r.Int64N(50), 10) }},
		{"quoted", func(b []byte) []byte { return append(strconv.AppendInt(append(b, '"'), r.Int64N(1000), 10), '"') }},
	}
	for _, form := range forms {
		b.Run("cells="+form.name, func(b *testing.B) {
			const columns, size = 28, 32 << 20
			var text []byte
			for i := range columns {
				text = fmt.Appendf(text, "x%d,", i)
			}
			text[len(text)-1] = '\n'
			for len(text) < size {
				for range columns {
					text = append(form.cell(text), ',')
				}
				text[len(text)-1] = '\n'
			}
			name := filepath.Join(b.TempDir(), "t.csv")
			if err := os.WriteFile(name, text, 0o600); err != nil {
				b.Fatal(err)
			}
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				if _, err := dataset.Open(context.Background(), name, dataset.Threads(1)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
