package main

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"

	"boost/dataset/write"
)

// randomTable is a table with its roles, in memory.
type randomTable struct {
	columns     []write.Column // "label", features, then "w" if there are weights
	rows        int
	objective   string
	categorical []string // columns of numbers that are names
	weighted    bool
	grouped     bool // column "q" has queries
	numeric     bool // all columns are
}

// newTable makes a table of so many rows, 0 for any number up to 3,000.
func newTable(t *trial, rows int) *randomTable {
	r := &randomTable{numeric: true}
	sizes := []int{0, 1, 2, 30, 300, 1000, 3000}
	r.rows = t.IntN(sizes[t.IntN(len(sizes))] + 1)
	if t.IntN(3) > 0 {
		r.rows = 100 + t.IntN(2900)
	}
	r.rows = cmp.Or(rows, r.rows)
	signal := make([]float64, r.rows)
	for i := range 1 + t.IntN(12) {
		c := write.Column{Name: fmt.Sprint("f", i+1), Stride: 1}
		if t.IntN(4) == 0 {
			c.Texts = r.texts(t, signal)
			r.numeric = false
		} else {
			c.Floats = r.numbers(t, signal)
			if t.IntN(8) == 0 {
				r.categorical = append(r.categorical, c.Name)
			}
		}
		r.columns = append(r.columns, c)
	}
	label := write.Column{Name: "label", Stride: 1, Floats: make([]float64, r.rows)}
	classes := 2
	switch t.IntN(3) {
	case 0:
		r.objective, classes = "regression", 0
	case 1:
		r.objective = "binary"
	default:
		r.objective, classes = "multiclass", 3+t.IntN(4)
	}
	for i, s := range signal {
		v := s + t.NormFloat64()
		if classes > 0 {
			v = math.Min(float64(classes-1), math.Floor(float64(classes)/(1+math.Exp(-v))))
		}
		label.Floats[i] = v
	}
	if classes > 0 && t.IntN(2) == 0 {
		r.numeric = false
		for _, v := range label.Floats {
			label.Texts = append(label.Texts, "class "+strconv.Itoa(int(v)))
		}
		label.Floats = nil
	}
	r.columns = append([]write.Column{label}, r.columns...) // where LibSVM has it
	if t.IntN(3) == 0 {
		r.weighted = true
		w := write.Column{Name: "w", Stride: 1, Floats: make([]float64, r.rows)}
		for i := range w.Floats {
			w.Floats[i] = []float64{0, 1, 0.25, 3, t.ExpFloat64()}[t.IntN(5)]
		}
		r.columns = append(r.columns, w)
	}
	return r
}

// numbers makes a column of one of several kinds, which the label may follow.
func (r *randomTable) numbers(t *trial, signal []float64) []float64 {
	kind, missing := t.IntN(9), []float64{0, 0, 0.01, 0.3, 0.95, 1}[t.IntN(6)]
	weight := t.NormFloat64()
	few := []float64{t.NormFloat64(), t.NormFloat64(), 0, 1, math.Copysign(0, -1)}
	values := make([]float64, r.rows)
	for i := range values {
		x := t.NormFloat64()
		v := x
		switch kind {
		case 0: // float32
			v = float64(float32(x))
		case 1:
			v = few[t.IntN(len(few))]
		case 2: // many zeros
			if t.IntN(20) > 0 {
				v = 0
			}
		case 3:
			v = math.Round(x * 1e18)
		case 4:
			v = 7
		case 5:
			v = []float64{math.Inf(1), math.Inf(-1), math.Copysign(0, -1), 0, x, x * 1e300, x * 1e-310}[t.IntN(7)]
		case 6:
			v = float64(t.IntN(300))
		}
		values[i] = v
		signal[i] += math.Max(-1, math.Min(1, v)) * weight
		if t.Float64() < missing {
			values[i] = math.NaN()
		}
	}
	return values
}

// texts makes a column of names.
func (r *randomTable) texts(t *trial, signal []float64) []string {
	levels := []int{1, 2, 5, 40, 400}[t.IntN(5)]
	missing := []float64{0, 0.02, 0.5}[t.IntN(3)]
	effects := make([]float64, levels)
	for i := range effects {
		effects[i] = t.NormFloat64()
	}
	values := make([]string, r.rows)
	for i := range values {
		l := int(float64(levels) * t.Float64() * t.Float64())
		signal[i] += effects[l]
		if t.Float64() >= missing {
			values[i] = fmt.Sprintf("level %d é", l)
		}
	}
	return values
}

// part is the table's rows from one to another.
func (r *randomTable) part(from, to int) write.Table {
	p := write.Table{Rows: to - from}
	for _, c := range r.columns {
		if c.Texts != nil {
			c.Texts = c.Texts[from:to]
		} else {
			c.Floats = c.Floats[from:to]
		}
		p.Columns = append(p.Columns, c)
	}
	return p
}

// formats writes the table in every format and returns the paths, the first of which is plain CSV.
func (r *randomTable) formats(t *trial) ([]string, error) {
	separator := string(",;\t|"[t.IntN(4)])
	whole := r.text(separator, 0, r.rows)
	cut := t.IntN(r.rows + 1)
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if _, err := z.Write(whole); err != nil {
		return nil, err
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	files := map[string][]byte{"t.csv": whole, "t.csv.gz": packed.Bytes()}
	names := []string{"t.csv", "t.csv.gz"}
	if cut > 0 && cut < r.rows {
		files["part-1.csv"], files["part-2.csv"] = r.text(separator, 0, cut), r.text(separator, cut, r.rows)
		names = append(names, "part-*.csv")
	}
	for _, format := range []string{"parquet", "arrow"} {
		var b bytes.Buffer
		if err := write.All(context.Background(), &b, format, []write.Table{r.part(0, cut), r.part(cut, r.rows)}); err != nil {
			return nil, err
		}
		files["t."+format] = b.Bytes()
		names = append(names, "t."+format)
	}
	if r.numeric && !r.weighted && r.rows > 0 {
		files["t.svm"] = r.libsvm(t)
		names = append(names, "t.svm")
	}
	for name, b := range files {
		if err := t.write(name, b); err != nil {
			return nil, err
		}
	}
	return names, nil
}

// text is CSV with a separator. Missing numbers are one of the words for them.
func (r *randomTable) text(separator string, from, to int) []byte {
	var b bytes.Buffer
	for row := from - 1; row < to; row++ {
		for i, c := range r.columns {
			if i > 0 {
				b.WriteString(separator)
			}
			switch {
			case row < from:
				b.WriteString(c.Name)
			case c.Texts != nil:
				b.WriteString(c.Texts[row])
			case math.IsNaN(c.Floats[row]):
				b.WriteString([]string{"", "NA", "nan"}[row%3])
			default:
				b.WriteString(number(c.Floats[row]))
			}
		}
		b.WriteByte('\n')
	}
	return b.Bytes()
}

// libsvm leaves zeros out, but for those of the first row, which has all features.
func (r *randomTable) libsvm(t *trial) []byte {
	var b strings.Builder
	label, features := r.columns[0], r.columns[1:]
	for row := range r.rows {
		b.WriteString(number(label.Floats[row]))
		for i, c := range features {
			if v := c.Floats[row]; v != 0 || row == 0 || t.IntN(10) == 0 {
				fmt.Fprintf(&b, " %d:%s", i+1, strings.ToLower(number(v)))
			}
		}
		b.WriteByte('\n')
	}
	return []byte(b.String())
}

func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
