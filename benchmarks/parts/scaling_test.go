package parts_test

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"boost/benchmarks/parts"
)

// A trainer that takes 2 ns for each row, column and round, and half as long again in
// the first turn.
func linear(calls *[]parts.Size) func(context.Context, parts.Size) (parts.Training, error) {
	return func(_ context.Context, s parts.Size) (parts.Training, error) {
		seconds := 2e-9 * float64(s.Rows) * float64(s.Columns) * 10
		if *calls = append(*calls, s); len(*calls) <= 10 {
			seconds *= 1.5
		}
		return parts.Training{Seconds: seconds, Peak: int64(s.Rows) * int64(s.Columns)}, nil
	}
}

func TestScaling(t *testing.T) {
	r := parts.Scaling{Rounds: 10, Threads: 2, Turns: 2}
	var calls []parts.Size
	if err := r.Measure(t.Context(), parts.Size{Rows: 160_000, Columns: 64}, linear(&calls)); err != nil {
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
	if strings.Count(out.String(), " 2.000 |") != 10 || !strings.Contains(out.String(), "|   160000 |      16 |   0.051 |   50 % |                        2.000 |       3 |") {
		t.Errorf("every cell costs 2 ns:\n%s", out.String())
	}
	broken := errors.New("broken")
	err := r.Measure(t.Context(), parts.Size{Rows: 160, Columns: 64}, func(context.Context, parts.Size) (parts.Training, error) { return parts.Training{}, broken })
	if !errors.Is(err, broken) || !strings.Contains(err.Error(), "10 × 16") {
		t.Errorf("error %v, want one that names the size", err)
	}
}

// A linear cost lies on the dashed line, whose ends are the origin and the last point; one
// size that takes longer lies above it. Every panel says what it shows.
func TestScalingPlot(t *testing.T) {
	r := parts.Scaling{Rounds: 10, Turns: 1}
	var calls []parts.Size
	if err := r.Measure(t.Context(), parts.Size{Rows: 160_000, Columns: 64}, linear(&calls)); err != nil {
		t.Fatal(err)
	}
	r.ByCols[2].Seconds *= 1.5
	var out bytes.Buffer
	if err := r.Plot(&out); err != nil {
		t.Fatal(err)
	}
	// Paths are "M x,y L x,y", circles "M x,y A …" from their rightmost point on.
	type place struct{ x, y float64 }
	var lines [][2]place
	var circles []place
	words := map[string]int{}
	for d := xml.NewDecoder(&out); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		switch token := token.(type) {
		case xml.CharData:
			words[strings.TrimSpace(string(token))]++
		case xml.StartElement:
			var path, style string
			for _, a := range token.Attr {
				switch a.Name.Local {
				case "d":
					path = a.Value
				case "style":
					style = a.Value
				}
			}
			var from, to place
			if strings.Contains(path, "A") {
				if _, err := fmt.Sscanf(path, "M%f,%fA", &from.x, &from.y); err != nil {
					t.Fatalf("%q: %v", path, err)
				}
				circles = append(circles, place{from.x - 2, from.y})
			} else if strings.Contains(style, "dasharray") {
				if _, err := fmt.Sscanf(path, "M%f,%fL%f,%f", &from.x, &from.y, &to.x, &to.y); err != nil {
					t.Fatalf("%q: %v", path, err)
				}
				lines = append(lines, [2]place{from, to})
			}
		}
	}
	if len(lines) != 2 || len(circles) != 10 {
		t.Fatalf("%d dashed lines and %d circles, want 2 and 10", len(lines), len(circles))
	}
	for i, c := range circles {
		from, to := lines[i/5][0], lines[i/5][1]
		// Each size is twice the one before, and the last lies at the line's end.
		share := 1 / float64(int(16)>>(i%5))
		x, y := from.x+share*(to.x-from.x), share*(to.y-from.y)
		if i == 5+2 {
			y *= 1.5
		}
		if math.Abs(c.x-x) > 0.1 || math.Abs(c.y-from.y-y) > 0.1 {
			t.Errorf("mark %d lies at %+v, want %v, %v above %v", i, c, x, y, from.y)
		}
	}
	for word, want := range map[string]int{"rows": 1, "columns": 1, "seconds": 2, "160000": 1, "64": 1, "16": 1, "4": 0} {
		if words[word] != want {
			t.Errorf("%q stands there %d times, want %d", word, words[word], want)
		}
	}
}
