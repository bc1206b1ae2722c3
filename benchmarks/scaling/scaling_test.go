package scaling_test

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"boost/benchmarks/scaling"
)

// A trainer that takes 2 ns for each row, column and round, and half as long again in
// the first turn.
func linear(calls *[]scaling.Size) func(context.Context, scaling.Size) (float64, error) {
	return func(_ context.Context, s scaling.Size) (float64, error) {
		seconds := 2e-9 * float64(s.Rows) * float64(s.Columns) * 10
		if *calls = append(*calls, s); len(*calls) <= 10 {
			seconds *= 1.5
		}
		return seconds, nil
	}
}

func TestMeasure(t *testing.T) {
	r := scaling.Record{Rounds: 10, Threads: 2, Turns: 2}
	var calls []scaling.Size
	if err := r.Measure(t.Context(), scaling.Size{Rows: 160_000, Columns: 64}, linear(&calls)); err != nil {
		t.Fatal(err)
	}
	if len(calls) != 20 || !slices.Equal(calls[:10], calls[10:]) {
		t.Errorf("sizes do not take turns: %v", calls)
	}
	first, last := r.ByRows[0], r.ByRows[4]
	if first.Rows != 10_000 || last.Rows != 160_000 || last.Columns != 16 || r.ByCols[0].Columns != 4 || r.ByCols[4].Columns != 64 || r.ByCols[4].Rows != 40_000 {
		t.Errorf("sizes: %+v and %+v", r.ByRows, r.ByCols)
	}
	var out bytes.Buffer
	r.Table(&out)
	// 160,000 × 16 cells of 2 ns, 10 times: 0.0512 s.
	if strings.Count(out.String(), " 2.000 |") != 10 || !strings.Contains(out.String(), "|   160000 |      16 |   0.051 |   50 % |") {
		t.Errorf("every cell costs 2 ns:\n%s", out.String())
	}
	broken := errors.New("broken")
	err := r.Measure(t.Context(), scaling.Size{Rows: 160, Columns: 64}, func(context.Context, scaling.Size) (float64, error) { return 0, broken })
	if !errors.Is(err, broken) || !strings.Contains(err.Error(), "10 × 16") {
		t.Errorf("error %v, want one that names the size", err)
	}
}

// A linear cost lies on the dashed line, whose ends are the origin and the last point.
func TestPlot(t *testing.T) {
	r := scaling.Record{Rounds: 10, Turns: 1}
	var calls []scaling.Size
	if err := r.Measure(t.Context(), scaling.Size{Rows: 160_000, Columns: 64}, linear(&calls)); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := r.Plot(&out); err != nil {
		t.Fatal(err)
	}
	// Half the rows in a panel of 284 × 192 pixels from (56, 216): (198, 120).
	if !strings.Contains(out.String(), `<circle cx="198.0" cy="120.0" r="3"/>`) || strings.Count(out.String(), "<circle") != 10 {
		t.Errorf("no point halfway up:\n%s", out.String())
	}
	d := xml.NewDecoder(&out)
	for {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
}
