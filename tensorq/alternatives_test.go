//go:build !wasm

package tensorq_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"boost/tensorq"
)

// What docs/design/040 says of widths and codes that are not built is measured anew here,
// and its table compared. An engine of WebAssembly shows a test no files of other folders.

const (
	alternativeBlock  = 64
	alternativeBlocks = 4096
)

// quality is what a way to store tensors makes of one: bytes for each value, and errors in
// percent of the largest magnitude of the block. Root mean squares are of all values and
// of the bulk, all but the 4 largest of 64.
type quality struct{ bytes, rms, bulk, worst float64 }

// measure applies store, which changes a block of values to what would be read back.
func measure(values []float32, bytesPerBlock float64, store func(block []float64)) quality {
	const outliers = 4
	q := quality{bytes: bytesPerBlock / alternativeBlock}
	block := make([]float64, alternativeBlock)
	for part := range slices.Chunk(values, alternativeBlock) {
		for i, v := range part {
			block[i] = float64(v)
		}
		store(block)
		sorted := magnitudes(part)
		peak, bulk := float64(sorted[alternativeBlock-1]), sorted[alternativeBlock-1-outliers]
		for i, v := range part {
			share := 100 * math.Abs(float64(v)-block[i]) / peak
			q.rms += share * share
			if max(v, -v) <= bulk {
				q.bulk += share * share
			}
			q.worst = max(q.worst, share)
		}
	}
	n := float64(len(values))
	q.rms = math.Sqrt(q.rms / n)
	q.bulk = math.Sqrt(q.bulk / (n * (alternativeBlock - outliers) / alternativeBlock))
	return q
}

// builtIn is a width as it is stored here.
func builtIn(t *testing.T, bits int, twoLevel bool) func(values []float32) quality {
	return func(values []float32) quality {
		cfg := tensorq.DefaultQuantConfig()
		cfg.TwoLevelCold = twoLevel
		q, err := tensorq.Symmetric(bits)
		if err != nil {
			t.Fatal(err)
		}
		var (
			b     tensorq.QuantizedBlock
			size  int
			plain = make([]float32, alternativeBlock)
		)
		found := measure(values, 0, func(block []float64) {
			for i, v := range block {
				plain[i] = float32(v)
			}
			if err := q.QuantizeBlock(plain, cfg, &b); err != nil {
				t.Fatal(err)
			}
			if _, err := b.Dequantize(plain); err != nil {
				t.Fatal(err)
			}
			for i, v := range plain {
				block[i] = float64(v)
			}
			size += b.StorageSize()
		})
		found.bytes = float64(size) / float64(len(values))
		return found
	}
}

// asymmetric is 3 bits with a zero point: 8 levels from the least to the largest value.
func asymmetric(values []float32) quality {
	return measure(values, 4+4+24, func(block []float64) {
		low, high := slices.Min(block), slices.Max(block)
		step := float64(float32((high - low) / 7))
		for i, v := range block {
			block[i] = float64(float32(low)) + step*math.Round((v-low)/step)
		}
	})
}

// codebook is 8 levels for the whole tensor, fitted to x/max|x| of the blocks by Lloyd's
// algorithm, with a scale for each block.
func codebook(values []float32) quality {
	var shares []float64
	for part := range slices.Chunk(values, alternativeBlock) {
		for _, v := range part {
			shares = append(shares, float64(v)/float64(tensorq.MaxAbs(part)))
		}
	}
	levels := lloyd(shares, 8)
	return measure(values, 4+24+float64(8*4)/alternativeBlocks, func(block []float64) {
		peak := 0.0
		for _, v := range block {
			peak = max(peak, math.Abs(v))
		}
		for i, v := range block {
			block[i] = closest(levels, v/peak) * peak
		}
	})
}

// lloyd fits levels to a sample so that the mean square distance to the closest is small.
func lloyd(sample []float64, count int) []float64 {
	sorted := slices.Sorted(slices.Values(sample))
	sums := make([]float64, len(sorted)+1)
	for i, v := range sorted {
		sums[i+1] = sums[i] + v
	}
	levels := make([]float64, count)
	for i := range levels {
		levels[i] = sorted[(2*i+1)*len(sorted)/(2*count)]
	}
	for range 200 {
		from := 0
		for i := range levels {
			to := len(sorted)
			if i+1 < count {
				to, _ = slices.BinarySearch(sorted, (levels[i]+levels[i+1])/2)
			}
			if to > from {
				levels[i] = (sums[to] - sums[from]) / float64(to-from)
			}
			from = to
		}
	}
	return levels
}

func closest(levels []float64, x float64) float64 {
	best := levels[0]
	for _, level := range levels[1:] {
		if math.Abs(level-x) < math.Abs(best-x) {
			best = level
		}
	}
	return best
}

func TestAlternatives(t *testing.T) {
	document, err := os.ReadFile(filepath.Join("..", "docs", "design", "040-widths-of-tensors.md"))
	if err != nil {
		t.Fatal(err)
	}
	data := []struct {
		name string
		draw func(r *rand.Rand) float64
	}{
		{"uniform", distributions[0].draw},
		{"normal", distributions[1].draw},
		{"heavy-tailed", heavyTailed},
		{"skewed", func(r *rand.Rand) float64 { return r.ExpFloat64() }},
		{"outliers", everyThirtySecond()},
	}
	for _, c := range []struct {
		name  string
		ids   string
		store func(values []float32) quality
	}{
		{"8 bits", "S3.33/S3.34", builtIn(t, 8, false)},
		{"7 bits", "S3.33/S3.34", builtIn(t, 7, false)},
		{"5 bits", "S3.33/S3.34", builtIn(t, 5, false)},
		{"4 bits", "S3.61", builtIn(t, 4, false)},
		{"3 bits", "S3.33/S3.34", builtIn(t, 3, false)},
		{"3 bits, two levels", "S3.63", builtIn(t, 3, true)},
		{"3 bits, zero point", "S3.62", asymmetric},
		{"3 bits, codebook", "S3.62", codebook},
	} {
		for i, d := range data {
			t.Run(c.ids+"/"+c.name+"/"+d.name, func(t *testing.T) {
				got := c.store(tensor(61, alternativeBlock*alternativeBlocks, d.draw))
				want := documented(t, string(document), c.name, i)
				// The document rounds, bytes to three digits and shares to two.
				if math.Abs(got.bytes-want.bytes) > .0006 || math.Abs(got.rms-want.rms) > .006 ||
					math.Abs(got.bulk-want.bulk) > .006 || math.Abs(got.worst-want.worst) > .006 {
					t.Errorf("%.3f B, %.2f, %.2f, %.2f; the document has %v", got.bytes, got.rms, got.bulk, got.worst, want)
				}
			})
		}
	}
}

// documented reads a cell of the document's table.
func documented(t *testing.T, document, row string, column int) quality {
	t.Helper()
	for line := range strings.Lines(document) {
		cells := strings.Split(line, "|")
		if len(cells) == 8 && strings.TrimSpace(cells[1]) == row {
			var q quality
			if _, err := fmt.Sscanf(strings.TrimSpace(cells[2+column]), "%f/%f/%f/%f", &q.bytes, &q.rms, &q.bulk, &q.worst); err != nil {
				t.Fatalf("%q: %v", cells[2+column], err)
			}
			return q
		}
	}
	return quality{} // no such row: the figures that it should have are printed
}

// everyThirtySecond draws normal values, of which every 32nd is 25 to 35 in magnitude.
func everyThirtySecond() func(r *rand.Rand) float64 {
	drawn := 0
	return func(r *rand.Rand) float64 {
		if drawn++; drawn%32 != 0 {
			return r.NormFloat64()
		}
		return math.Copysign(25+10*r.Float64(), r.Float64()-.5)
	}
}

func BenchmarkAlternatives(b *testing.B) {
	values := tensor(61, alternativeBlock*alternativeBlocks, heavyTailed)
	shares := make([]float64, len(values))
	for i, v := range values {
		shares[i] = float64(v) / float64(tensorq.MaxAbs(values[i/64*64:i/64*64+64]))
	}
	b.Run("codebook", func(b *testing.B) {
		for b.Loop() {
			lloyd(shares, 8)
		}
	})
	var blocks []tensorq.QuantizedBlock
	q, _ := tensorq.Quantizer(3)
	b.Run("scales_and_codes", func(b *testing.B) {
		for b.Loop() {
			var err error
			if blocks, err = tensorq.QuantizeInto(blocks, values, q, tensorq.DefaultQuantConfig()); err != nil {
				b.Fatal(err)
			}
		}
	})
}
