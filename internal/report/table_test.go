package report

import (
	"fmt"
	"strings"
	"testing"

	"boost/internal/profile"
	"boost/ptq/compress"
)

// Of the figures of numbers as many are shown as fit the width.
func TestTableWidth(t *testing.T) {
	s := Table{Profile: &profile.Profile{Rows: 1}}
	for i := range 3 {
		v := float64(i) / 3
		no := false
		s.Columns = append(s.Columns, profile.Column{Name: fmt.Sprint("n", i), Figures: &profile.Figures{Kind: "number", Distinct: 3, Dates: &no,
			Min: &v, Max: &v, Mean: &v, Q01: &v, Q25: &v, Median: &v, Q75: &v, Q99: &v}})
	}
	for width, words := range map[int][]string{200: {"1 %", "99 %"}, 80: {"25 %", "75 %"}, 60: {"mean", "50 %"}, 45: {"min"}} {
		var b strings.Builder
		if err := s.Write(&b, width); err != nil {
			t.Fatal(err)
		}
		for _, word := range words {
			if !strings.Contains(b.String(), word) {
				t.Errorf("width %d: no %q in\n%s", width, word, b.String())
			}
		}
		if n := widest(b.String()); n > width {
			t.Errorf("width %d: %d characters in\n%s", width, n, b.String())
		}
	}
}

// A column that predicts worse than nothing does is of no use, however much worse: -0.00 would be a riddle.
func TestScoreBelowZero(t *testing.T) {
	for value, want := range map[float64]string{-0.001: "0.00", -0.4: "0.00", 0.256: "0.26"} {
		s := Table{Profile: &profile.Profile{Rows: 1, Columns: []profile.Column{{Name: "n", Figures: &profile.Figures{LabelScore: &profile.Score{Value: value}}}}}}
		if got := s.scoreCell(&s.Columns[0]); len(got) != 1 || got[0] != want {
			t.Errorf("%v: %q, want %q", value, got, want)
		}
	}
}

// A certificate whose metric before is another model's says of which.
func TestCertificateReference(t *testing.T) {
	text, err := (&compress.Certificate{Method: compress.ByBootstrap, Reference: "0123abcd", Metric: "rmse", Before: 2, After: 3, Rows: 9, Confidence: 0.95}).JSON()
	if err != nil {
		t.Fatal(err)
	}
	if rows := fmt.Sprint(certificateRows(text)); !strings.Contains(rows, "before is model 0123abcd") {
		t.Errorf("rows %s", rows)
	}
}
