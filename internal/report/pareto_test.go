package report

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"strings"
	"testing"

	"boost/ptq"
	"boost/ptq/compress"
)

func candidate(bytes int64, loss, bound float64, best, chosen bool) compress.Candidate {
	return compress.Candidate{Format: compress.Format{Form: ptq.FormQ4_0}, Kept: 1, Bytes: bytes, Loss: loss, Bound: bound, RawBound: 3, Best: best, Chosen: chosen}
}

// draw returns a picture that is well-formed.
func drawn(t *testing.T, s Search) string {
	t.Helper()
	var b bytes.Buffer
	if err := Pareto(&b, s); err != nil {
		t.Fatal(err)
	}
	d := xml.NewDecoder(bytes.NewReader(b.Bytes()))
	for {
		_, err := d.Token()
		if errors.Is(err, io.EOF) {
			return b.String()
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

func TestPareto(t *testing.T) {
	nan := math.NaN()
	found := []compress.Candidate{
		candidate(1000, 0.5, 0.9, true, false), candidate(1500, 0.001, 0.002, true, true),
		candidate(1600, 0.01, 0.02, false, false), candidate(2000, -0.0001, 0.0001, true, false),
		candidate(2100, nan, nan, false, false), // left out
	}
	s := Search{Candidates: found, MaxBytes: 1800, MaxLoss: 0.005}
	svg := drawn(t, s)
	for _, want := range []string{"chosen: Q4_0", "at most 1,800 bytes", "at most 0.5 %", "loss of the metric, %", ">+0.1<", ">+10<", ">0<", ">1000 bytes<"} {
		if !strings.Contains(svg, want) {
			t.Errorf("%s is not in the picture", want)
		}
	}
	if strings.Contains(svg, "NaN") || strings.Contains(svg, "Inf") {
		t.Error("numbers that are none")
	}
	if svg != drawn(t, s) {
		t.Error("the same search gives other bytes")
	}
	for i := range found {
		found[i].Loss, found[i].Bound = nan, nan
	}
	if svg := drawn(t, Search{Candidates: found, MaxLoss: nan}); !strings.Contains(svg, "raw scores change by at most") || strings.Contains(svg, "at most 0") {
		t.Error("without data the picture is not of raw scores")
	}
	for i := range found {
		found[i].RawBound = 0
	}
	drawn(t, Search{Candidates: found[:1], MaxLoss: nan}) // one point, at 0
	found[0].RawBound = math.Inf(1)
	for _, none := range [][]compress.Candidate{nil, found[:1]} {
		if err := Pareto(io.Discard, Search{Candidates: none}); err == nil {
			t.Errorf("%d candidates without a figure were drawn", len(none))
		}
	}
}

// By hand: near is one unit, and so is every decade beyond.
func TestSignedScale(t *testing.T) {
	s := signed{near: 0.1, signs: true}
	for v, want := range map[float64]float64{0: 0, 0.05: 0.5, 0.1: 1, -0.1: -1, 1: 2, 10: 3, -100: -4} {
		if got := s.place(v); math.Abs(got-want) > 1e-12 {
			t.Errorf("place(%v) = %v, want %v", v, got, want)
		}
	}
	var labels []string
	for _, v := range s.ticks(-1.2, 3.4) {
		labels = append(labels, s.text(v))
	}
	if got := strings.Join(labels, " "); got != "0 +0.1 -0.1 +1 +10" {
		t.Errorf("ticks %s", got)
	}
}
