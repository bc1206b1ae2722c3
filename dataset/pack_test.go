package dataset_test

import (
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"boost/dataset"
)

func TestPack(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	for range 30 {
		text := scanText(r, 1+r.IntN(200), 0.05)
		table, err := dataset.OpenAll(context.Background(), splitTable(t, r, text),
			dataset.Label("y"), dataset.Weight("w"), dataset.ID("id"), dataset.SkipBadRows())
		if err != nil {
			t.Fatal(err)
		}
		head, values := table.Pack()
		got, err := dataset.Unpack(head, values)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got.Notes(), table.Notes()) || got.Skipped() != table.Skipped() || got.NumRows() != table.NumRows() {
			t.Fatalf("%d rows, notes %q", got.NumRows(), got.Notes())
		}
		for _, c := range got.Columns() {
			want := table.Column(c.Name())
			if !reflect.DeepEqual(cellsOf(c), cellsOf(want)) || c.Kind() != want.Kind() || c.Role() != want.Role() || c.Missing() != want.Missing() ||
				strings.Join(c.Levels(), "\x00") != strings.Join(want.Levels(), "\x00") || c.NumericLevels() != want.NumericLevels() {
				t.Fatalf("column %q differs", c.Name())
			}
		}
		if len(got.Columns()) != len(table.Columns())-1 { // all but the id
			t.Fatalf("%d columns of %d", len(got.Columns()), len(table.Columns()))
		}
		for row := range table.NumRows() {
			file, line := got.Locate(row)
			if wantFile, wantLine := table.Locate(row); file != wantFile || line != wantLine {
				t.Fatalf("row %d stands in %s:%d, want %s:%d", row, file, line, wantFile, wantLine)
			}
		}
		if len(values) > 0 {
			if _, err := dataset.Unpack(head, values[:len(values)-1]); !errors.Is(err, dataset.ErrPacked) {
				t.Errorf("cut short: %v", err)
			}
		}
	}
}

func FuzzUnpack(f *testing.F) {
	table, err := read("a,c,y\n1,x,p\n0.1,,q\n,\"z\nz\",p\n", dataset.Label("y"))
	if err != nil {
		f.Fatal(err)
	}
	head, values := table.Take([]int32{2, 0}).Pack()
	f.Add(head, values)
	head, values = table.Pack()
	f.Add(head, values)
	f.Fuzz(func(t *testing.T, head, values []byte) {
		table, err := dataset.Unpack(head, values)
		if err != nil {
			if !errors.Is(err, dataset.ErrPacked) {
				t.Fatal(err)
			}
			return
		}
		for row := range table.NumRows() {
			table.Locate(row)
		}
		again, bytesAgain := table.Pack()
		var one, two any
		if json.Unmarshal(head, &one) == nil && json.Unmarshal(again, &two) == nil && len(bytesAgain) != len(values) {
			t.Errorf("%d bytes of values became %d", len(values), len(bytesAgain))
		}
		if _, err := dataset.Unpack(again, bytesAgain); err != nil {
			t.Error(err)
		}
	})
}

// Every option is either part of the description or known to change no table.
func TestDescribe(t *testing.T) {
	schema := mustRead(t, "a,b\n1,2\n").Schema()
	same := [][]dataset.Option{{}, {dataset.Threads(3)}, {dataset.ChunkSize(9)}, {dataset.NoSpool()}, {dataset.MissingOnly(dataset.DefaultMissing()...)}, {dataset.Missing("NA", "")}}
	other := [][]dataset.Option{
		{dataset.Label("a")}, {dataset.Weight("a")}, {dataset.ID("a")}, {dataset.ID("a", "b")}, {dataset.ID("a b")}, {dataset.Ignore("a")},
		{dataset.Categorical("a")}, {dataset.MissingOnly("x")}, {dataset.Missing("x")}, {dataset.Decimal(',')}, {dataset.Encoding("latin1")}, {dataset.Encoding("cp1252")},
		{dataset.Separator(';')}, {dataset.Header(true)}, {dataset.Header(false)}, {dataset.SkipBadRows()}, {dataset.As(schema)},
		{dataset.DropTextLike()}, {dataset.LenientTypes()}, {dataset.Format("csv")}, {dataset.KeepBlanks()}, {dataset.Parse(map[string]string{"a": "number"})},
	}
	seen := map[string]bool{}
	for i, list := range [][][]dataset.Option{same, other} {
		for k, opts := range list {
			text, err := dataset.Describe(opts...)
			if err != nil {
				t.Fatal(err)
			}
			if again, _ := dataset.Describe(opts...); again != text {
				t.Errorf("not the same twice: %s", text)
			}
			if (i == 0 && k > 0) != seen[text] {
				t.Errorf("list %d, entry %d: %s", i, k, text)
			}
			seen[text] = true
		}
	}
}
