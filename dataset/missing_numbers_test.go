package dataset_test

import (
	"context"
	"path/filepath"
	"slices"
	"testing"

	"boost/dataset"
)

// Numbers that mean "no value" in every form of a table: the texts of CSV decide what is
// missing, and each other form has to find the same.
func TestMissingNumbersInEveryForm(t *testing.T) {
	const dense = "label,f1,f2,f3\n" +
		"1,-999,0,0.1\n0,2.5,0,0.1\n1,0,-999,3\n0,-999.0,0,0\n1,4,0,0\n0,5,0,0\n1,6,0,0\n0,7,0,0\n"
	const svm = "1 1:-999 3:0.1\n0 1:2.5 3:0.1\n1 2:-999 3:3\n0 1:-999.0\n1 1:4 2:0\n0 1:5\n1 1:6\n0 1:7\n"
	f1 := []float64{-999, 2.5, 0, -999, 4, 5, 6, 7}
	f2 := []float64{0, 0, -999, 0, 0, 0, 0, 0}
	f3 := []float64{0.1, 0.1, 3, 0, 0, 0, 0, 0}
	narrow := make([]float32, len(f1))
	for i, v := range f1 {
		narrow[i] = float32(v)
	}
	stored := &dataset.Sparse{Rows: []int32{2, 4}, F32: []float32{-999, 0}}
	before := slices.Clone(f1)
	for _, c := range []struct {
		name    string
		tokens  []string
		missing [3]int // by hand
	}{
		{"none", []string{""}, [3]int{0, 0, 0}},
		{"a code", []string{"", "-999"}, [3]int{2, 1, 0}},
		{"inexact", []string{"", "0.1"}, [3]int{0, 0, 2}},
		{"zero", []string{"", "0.0", "-999"}, [3]int{3, 8, 5}},
	} {
		t.Run(c.name, func(t *testing.T) {
			opts := []dataset.Option{dataset.MissingOnly(c.tokens...), dataset.Ignore("label")}
			want := mustRead(t, dense, opts...)
			check := func(form string, got *dataset.Table) {
				t.Helper()
				for i, name := range []string{"f1", "f2", "f3"} {
					if missing := got.Column(name).Missing(); missing != c.missing[i] {
						t.Errorf("%s: %d of %s are missing, expected %d", form, missing, name, c.missing[i])
					}
				}
				if show(got) != show(want) {
					t.Errorf("%s:\ngot  %s\nwant %s", form, show(got), show(want))
				}
			}
			check("CSV", want)
			check("LibSVM", readSVM(t, svm, opts...))
			check("slices", fromColumns(t, []dataset.ColumnData{{Name: "f1", Values: f1}, {Name: "f2", Values: f2}, {Name: "f3", Values: f3}}, opts[0]))
			check("sparse", fromColumns(t, []dataset.ColumnData{{Name: "f1", Values: narrow}, {Name: "f2", Values: stored}, {Name: "f3", Values: f3}}, opts[0]))
			if !slices.Equal(f1, before) || narrow[0] != -999 || stored.F32[0] != -999 {
				t.Error("the caller's numbers were changed")
			}
		})
	}
	absent := readSVM(t, svm, dataset.MissingOnly("0"), dataset.Absent("missing"), dataset.Ignore("label"))
	if n := absent.Column("f2").Missing(); n != 7 {
		t.Errorf("absent and zero: %d are missing, expected 7", n)
	}

	dir := t.TempDir()
	file := writeFile(t, filepath.Join(dir, "t.csv"), []byte(dense))
	writeFile(t, file+".init", []byte("1\n-999\n3\n4\n5\n6\n7\n8\n"))
	writeFile(t, file+".query", []byte("4\n4\n"))
	table, err := dataset.Open(context.Background(), file, dataset.Label("label"), dataset.MissingOnly("", "2"))
	if err != nil || table.Column("qid").Missing() != 0 {
		t.Errorf("the second query is missing: %v", err)
	}
	table, err = dataset.Open(context.Background(), file, dataset.Label("label"), dataset.MissingOnly("", "-999"))
	if err != nil || table.Column("init_score").Missing() != 1 {
		t.Errorf("the second init score is there: %v", err)
	}
}
