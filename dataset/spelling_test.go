package dataset_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"boost/dataset"
)

// Levels that differ in case or blanks only are named, in features and the label, but not if the model has them.
func TestSpellings(t *testing.T) {
	text := "answer,city,size,code,y\nYes,New  York,S,1,no\nyes,New York,M,01,No\n\" Yes\",Bern,L,1.0,no\n"
	table := mustRead(t, text, dataset.Label("y"), dataset.Categorical("code"))
	want := []string{`levels that differ only in case or blanks are different categories: columns "answer" ("Yes", "yes"), "city" ("New  York", "New York"), "y" ("no", "No"); write them alike to make them one`}
	if got := table.Notes(); !slices.Equal(got, want) {
		t.Errorf("notes %q, want %q", got, want)
	}
	if got := mustRead(t, text, dataset.As(table.Schema())).Notes(); len(got) > 0 {
		t.Errorf("notes with a schema: %q", got)
	}
	if got := mustRead(t, "a,y\nYes,1\nNo,2\n", dataset.Label("y")).Notes(); len(got) > 0 {
		t.Errorf("notes of different words: %q", got)
	}
}

// A model finds levels with blanks around them as they are, and other cells without the blanks.
func TestBlanksForAModel(t *testing.T) {
	kept := mustRead(t, "a,y\n x,1\ny ,2\nz,1\n", dataset.Label("y"), dataset.KeepBlanks()).Schema()
	trimmed := mustRead(t, "a,y\n x,1\ny ,2\nz,1\n", dataset.Label("y")).Schema()
	text := "a,y\n x,1\ny ,1\nx,1\n y,1\n  z\t,1\n\" x\",1\n"
	for name, c := range map[string]struct {
		schema dataset.Schema
		want   []int32
	}{
		"kept":    {kept, []int32{0, 1, 3, 4, 2, 0}}, // "x" and " y" are none of its levels
		"trimmed": {trimmed, []int32{0, 1, 0, 1, 2, 0}},
	} {
		if got := mustRead(t, text, dataset.As(c.schema)).Column("a").Codes(); !slices.Equal(got, c.want) {
			t.Errorf("%s: codes %v, want %v", name, got, c.want)
		}
		stream := must(dataset.ReadStream(context.Background(), strings.NewReader(text), "t.csv", dataset.As(c.schema)))(t)
		defer stream.Close()
		err := stream.Each(context.Background(), func(part *dataset.Table) (func() error, error) {
			if got := part.Column("a").Codes(); !slices.Equal(got, c.want) {
				t.Errorf("%s, part by part: codes %v, want %v", name, got, c.want)
			}
			return nil, nil
		})
		if err != nil {
			t.Error(err)
		}
		memory, err := dataset.FromColumns([]dataset.ColumnData{{Name: "a", Values: []string{" x", "y ", "x", " y", "  z\t", " x"}}}, dataset.As(c.schema))
		if err != nil {
			t.Fatal(err)
		}
		if got := memory.Column("a").Codes(); !slices.Equal(got, c.want) {
			t.Errorf("%s, in memory: codes %v, want %v", name, got, c.want)
		}
	}
}
