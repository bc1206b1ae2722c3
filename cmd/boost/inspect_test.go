package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"maps"
	"math/bits"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/ipc"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"boost/booster/model"
	"boost/internal/report"
)

func TestInspectTable(t *testing.T) {
	inFolder(t)
	file(t, "odd.csv", "n,city,age\n1,Oslo,1\n2,Rome,2\n,Oslo,3\n2,,4\n1,Oslo,5\n2,Rome,6\n3,Oslo,7\n2,Rome,8\n1,Oslo,9\n2,Rome,10\n"+
		strings.Repeat("4,Rome,11\n", 19)+"5,Oslo,forty\n")
	r := must(t, 0, boost(t, "inspect", "odd.csv"))
	if r.errors != "" {
		t.Errorf("what inspect prints is said again: %q", r.errors)
	}
	says(t, r.out, "30 rows, 3 columns", "city", "category", "number", "problem:", `odd.csv:31`, `"forty"`, "categorical", "missing")
	var s report.Table
	r = must(t, 0, boost(t, "inspect", "odd.csv", "--json"))
	if err := json.Unmarshal([]byte(r.out), &s); err != nil {
		t.Fatal(err)
	}
	if s.What != "table" || s.Rows != 30 || len(s.Columns) != 3 || len(s.Problems) != 1 {
		t.Errorf("profile is %+v", s)
	}
	n, city := s.Columns[0], s.Columns[1]
	// n: 29 values in 1 … 5; the mean is 3+2+1·… counted by hand: 1×3, 2×5, 3, 4×19, 5 → 97/29.
	if n.Kind != "number" || n.Missing != 1 || n.Distinct != 5 || *n.Min != 1 || *n.Max != 5 || *n.Mean < 3.3448 || *n.Mean > 3.3449 {
		t.Errorf("column n is %+v", n)
	}
	if city.Kind != "category" || city.Missing != 1 || city.Distinct != 2 || city.Levels[0].Name != "Rome" || city.Levels[0].Rows != 23 {
		t.Errorf("column city is %+v", city)
	}
	if got := must(t, 0, boostWith(t, readFile(t, "odd.csv"), "inspect", "-", "--json")).out; !strings.Contains(got, `"rows": 30`) {
		t.Errorf("standard input: %s", got)
	}
	// What inspect reports, train stops at.
	says(t, must(t, 3, boost(t, "train", "odd.csv", "--label", "n")).errors, "odd.csv:31", `"forty"`)
}

// Columns that cannot be read are problems, as the mixed ones are: the others are looked
// at, and a config leaves them out. The files hold 1.5, 2.5 and 3.5 in x.
func TestInspectUnreadable(t *testing.T) {
	folder, err := filepath.Abs(filepath.Join("..", "..", "dataset", "testdata", "interop"))
	if err != nil {
		t.Fatal(err)
	}
	inFolder(t)
	for _, name := range []string{"refused.list.parquet", "refused.struct.arrow", "refused.BYTE_STREAM_SPLIT.parquet"} {
		path := filepath.Join(folder, name)
		why := strings.TrimPrefix(strings.TrimSpace(must(t, 3, boost(t, "train", path, "--label", "x")).errors), "error: ")
		if !strings.Contains(why, `column "bad"`) {
			t.Fatalf("%s: training stops at %q", name, why)
		}
		var s report.Table
		if err := json.Unmarshal([]byte(must(t, 0, boost(t, "inspect", path, "--json")).out), &s); err != nil {
			t.Fatal(err)
		}
		if len(s.Columns) != 1 || s.Columns[0].Name != "x" || *s.Columns[0].Mean != 2.5 || !slices.Equal(s.Problems, []string{why}) {
			t.Errorf("%s: columns %+v, problems %q, want x of mean 2.5 and %q", name, s.Columns, s.Problems, why)
		}
		says(t, must(t, 0, boost(t, "inspect", path)).out, "3 rows, 1 column", "problem: "+why)
		// Standard input is read once.
		says(t, must(t, 3, boostWith(t, readFile(t, path), "inspect", "-")).errors, `column "bad"`)
	}
}

// A config made from a table ignores the columns that cannot be read, and trains.
func TestInitUnreadable(t *testing.T) {
	inFolder(t)
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "x", Type: arrow.PrimitiveTypes.Float64}, {Name: "parts", Type: arrow.ListOf(arrow.PrimitiveTypes.Int32)},
		{Name: "y", Type: arrow.PrimitiveTypes.Float64}, {Name: "took", Type: arrow.FixedWidthTypes.MonthInterval},
	}, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	for i := range 60 {
		b.Field(0).(*array.Float64Builder).Append(float64(i) / 8)
		b.Field(1).(*array.ListBuilder).Append(true)
		b.Field(1).(*array.ListBuilder).ValueBuilder().(*array.Int32Builder).Append(1)
		b.Field(2).(*array.Float64Builder).Append(float64(i%7) / 2)
		b.Field(3).(*array.MonthIntervalBuilder).Append(arrow.MonthInterval(i))
	}
	var text bytes.Buffer
	w := ipc.NewWriter(&text, ipc.WithSchema(schema))
	if err := errors.Join(w.Write(b.NewRecord()), w.Close()); err != nil {
		t.Fatal(err)
	}
	file(t, "t.arrows", text.String())
	must(t, 0, boost(t, "init", "t.arrows", "--label", "y", "-o", "run.toml"))
	says(t, readFile(t, "run.toml"), `column "parts" holds lists`, `column "took" is of the Arrow type interval`, `ignore = ["parts", "took"]`)
	must(t, 0, boost(t, "train", "run.toml", "--set", "train.rounds=2"))
}

func TestInspectModel(t *testing.T) {
	models(t)
	says(t, must(t, 0, boost(t, "inspect", "b.boost")).out, "binary", "yes (positive), no", "2 columns, 1 of them categorical",
		"8 trees in 8 rounds", "x", "city", "%", "train.rounds", "label", "numerics")
	var d struct {
		What       string
		Objective  string
		Trees      int
		SHA256     string
		Importance []report.Importance
		Dump       []report.Tree
	}
	r := must(t, 0, boost(t, "inspect", "c.boost", "--json", "--importance", "split", "--trees"))
	if err := json.Unmarshal([]byte(r.out), &d); err != nil {
		t.Fatal(err)
	}
	if d.What != "model" || d.Objective != "multiclass" || d.Trees != 24 || len(d.Dump) != 24 || len(d.SHA256) != 64 {
		t.Errorf("description is %+v", d)
	}
	splits, total := 0.0, 0.0
	for _, f := range d.Importance {
		total += f.Value
	}
	for _, tree := range d.Dump {
		splits += float64(len(tree.Splits))
		if len(tree.Leaves) != len(tree.Splits)+1 {
			t.Errorf("%d leaves after %d splits", len(tree.Leaves), len(tree.Splits))
		}
		for _, s := range tree.Splits {
			if (s.Feature == "city") != (s.Levels != nil) {
				t.Errorf("split %+v has the wrong kind of condition", s)
			}
		}
	}
	if splits != total || splits == 0 {
		t.Errorf("importances by split sum to %g, the trees have %g splits", total, splits)
	}
	if trees := must(t, 0, boost(t, "inspect", "y.boost", "--trees")).out; strings.Count(trees, "tree ") != 8 {
		t.Errorf("--trees prints:\n%s", trees)
	}
	for _, kind := range model.ImportanceKinds {
		if got := lines(must(t, 0, boost(t, "inspect", "y.boost", "--importance", string(kind))).out); len(got) != 2 || !strings.Contains(got[0], "%  ████") {
			t.Errorf("--importance %s prints %q", kind, got)
		}
	}
	// A model is known by its beginning, too.
	file(t, "renamed.bin", readFile(t, "y.boost"))
	says(t, must(t, 0, boost(t, "inspect", "renamed.bin")).out, "regression")
	says(t, must(t, 4, boost(t, "inspect", "none.boost")).errors, "none.boost")
	says(t, must(t, 3, boost(t, "inspect", "none.csv")).errors, "none.csv")
}

// A reader of the trees in JSON predicts what predict does, by docs/cli.md and the marks of docs/format.md alone: with linear
// leaves, missing values, and levels that the model knows by marks.
func TestInspectTreesPredict(t *testing.T) {
	inFolder(t)
	var text strings.Builder
	text.WriteString("a,b,name,y\n")
	for i := range 600 {
		a, b, name := i*37%101, strconv.Itoa(i*53%89), fmt.Sprintf("%d a rather long name", i*7919%60)
		if i%9 == 0 {
			b = ""
		}
		if i%20 == 0 {
			name = ""
		}
		fmt.Fprintf(&text, "0.%03d,%s,%s,%d.%d\n", a, b, name, i*7919%60%5+a/30, i*53%89%10)
	}
	file(t, "t.csv", text.String())
	train := []string{"train", "t.csv", "--label", "y", "-q", "--rounds", "6", "--threads", "1", "--set", "train.effort=", "--set", "train.early_stopping=0", "--set", "tree.min_data_in_leaf=5", "--set", "categorical.min_per_group=5", "-o"}
	must(t, 0, boost(t, append(train, "full.boost")...))
	must(t, 0, boost(t, append(train, "linear.boost", "--set", "tree.linear=true")...))
	must(t, 0, boost(t, "quantize", "full.boost", "-o", "marks.boost", "--data", "t.csv", "--max-loss", "20%", "--allow-train-data", "--prune", "off"))
	file(t, "new.csv", text.String()+"0.5,7,never seen before,0\n0.5,,,0\n")
	cells, err := csv.NewReader(strings.NewReader(readFile(t, "new.csv"))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for name, special := range map[string]string{"full": "cut", "linear": `"coefficients"`, "marks": `"other_levels": true`} {
		var d struct {
			BaseScore []float64               `json:"base_score"`
			Known     map[string]report.Known `json:"known_levels"`
			Dump      []report.Tree
		}
		r := must(t, 0, boost(t, "inspect", name+".boost", "--json", "--trees"))
		says(t, r.out, special)
		if err := json.Unmarshal([]byte(r.out), &d); err != nil {
			t.Fatal(err)
		}
		want := lines(must(t, 0, boost(t, "predict", name+".boost", "new.csv", "--kind", "raw")).out)[1:]
		for i, row := range cells[1:] {
			texts, marked := map[string]string{"a": row[0], "b": row[1], "name": row[2]}, false
			if k := d.Known["name"]; !slices.Contains(k.Levels, row[2]) {
				if marked = slices.Contains(k.Marks, markOf(row[2], len(k.Marks))); !marked {
					texts["name"] = "" // an unknown level is missing
				}
			}
			got := d.BaseScore[0]
			for _, tree := range d.Dump {
				got += added(&tree, texts, marked)
			}
			if strconv.FormatFloat(got, 'g', -1, 64) != want[i] {
				t.Fatalf("%s: the dump predicts %v in row %v, predict %s", name, got, row, want[i])
			}
		}
	}
}

// added is what a tree of a dump adds to the score of a row, of cells by feature; marked: its level is known by a mark.
func added(tree *report.Tree, cells map[string]string, marked bool) float64 {
	at := int32(0)
	for at >= 0 {
		s := &tree.Splits[at]
		cell := cells[s.Feature]
		v, err := strconv.ParseFloat(cell, 64)
		left := cell == "" && s.MissingLeft
		switch {
		case cell == "":
		case s.Levels != nil:
			left = slices.Contains(s.Levels, cell) || marked && s.OtherLevels
		default:
			left = err == nil && (s.Cut == nil || v <= *s.Cut)
		}
		if at = s.Right; left {
			at = s.Left
		}
	}
	leaf := &tree.Leaves[^at]
	if leaf.Linear == nil {
		return leaf.Value
	}
	sum := leaf.Linear.Constant
	for i, f := range leaf.Linear.Features {
		v, err := strconv.ParseFloat(cells[f], 64)
		if err != nil {
			return leaf.Value
		}
		sum += float64(leaf.Linear.Coefficients[i] * float64(float32(v)))
	}
	return sum
}

// markOf is the mark of a name among n: ⌊h·n·2¹²/2⁶⁴⌋ for an FNV-1a hash h, mixed once.
func markOf(name string, n int) uint32 {
	h := fnv.New64a()
	h.Write([]byte(name))
	mixed := (h.Sum64() ^ h.Sum64()>>32) * 0x9e3779b97f4a7c15
	high, _ := bits.Mul64(mixed, uint64(n)<<12)
	return uint32(high)
}

// The keys of --json are promised: all of them are there in every column, null where a
// figure has no meaning.
func TestInspectTableJSON(t *testing.T) {
	inFolder(t)
	file(t, "t.csv", table(300))
	r := must(t, 0, boost(t, "inspect", "t.csv", "--json", "--label", "b"))
	var got map[string]any
	if err := json.Unmarshal([]byte(r.out), &got); err != nil {
		t.Fatal(err)
	}
	keys := func(v any) string { return strings.Join(slices.Sorted(maps.Keys(v.(map[string]any))), " ") }
	if want := "columns duplicate_rows file findings label notes problems rows skipped_rows what"; keys(got) != want {
		t.Errorf("keys %s, want %s", keys(got), want)
	}
	for _, c := range got["columns"].([]any) {
		if want := "dates distinct infinite kind label_score levels max mean min missing missing_share name negative_infinite q01 q25 q50 q75 q99 role whole zeros"; keys(c) != want {
			t.Errorf("a column has the keys %s, want %s", keys(c), want)
		}
	}
	for _, f := range got["findings"].([]any) {
		if want := "code column message other value"; keys(f) != want {
			t.Errorf("a finding has the keys %s, want %s", keys(f), want)
		}
	}
	// y is 3x + city and b reports whether y > 3, so y gives b away; id names the rows.
	says(t, r.out, `"code": "leak",
      "column": "y",`, `"code": "id_like",
      "column": "id",`, `"label": "b"`)
	if again := must(t, 0, boost(t, "inspect", "t.csv", "--json", "--label", "b")).out; again != r.out {
		t.Error("the second run prints something else")
	}
}

func TestInspectLabel(t *testing.T) {
	models(t)
	says(t, must(t, 0, boost(t, "inspect", "t.csv")).out, `label "y" (by its name)`, "R² of ranks")
	says(t, must(t, 0, boost(t, "inspect", "t.csv", "--label", "c")).out, "label \"c\"\n", "share of errors avoided")
	says(t, must(t, 0, boost(t, "inspect", "t.csv", "--label", "b")).out, "AUC", "gives the label away   y (")
	says(t, must(t, 3, boost(t, "inspect", "t.csv", "--label", "B")).errors, `the table has no column "B"`, `did you mean "b"`)
	says(t, must(t, 2, boost(t, "inspect", "y.boost", "--label", "b")).errors, "--label", "is a model")
	// A label without values, or of one class, cannot be predicted: the columns are shown all the same.
	file(t, "odd.csv", "x,none,one\n"+strings.Repeat("1,,a\n2,,a\n", 50))
	for _, label := range []string{"none", "one"} {
		says(t, must(t, 0, boost(t, "inspect", "odd.csv", "--label", label)).out, "100 rows, 3 columns", "one value only")
	}
}

// What is infinite is shown as such, with its sign.
func TestInspectInfinities(t *testing.T) {
	inFolder(t)
	file(t, "t.csv", "up,down,both,none\nInf,-Inf,Inf,1\nInf,-Inf,-Inf,2\n")
	out := strings.Fields(strings.Join(lines(must(t, 0, boost(t, "inspect", "t.csv")).out)[3:7], " "))
	// name, distinct, mean, min, 1 %, 25 %, 50 %, 75 %, 99 %, max
	want := strings.Fields("up 1 ? Inf ? ? ? ? ? Inf down 1 ? -Inf ? ? ? ? ? -Inf both 2 ? -Inf ? ? ? ? ? Inf none 2 1.5 1 1.01 1.25 1.5 1.75 1.99 2")
	if !slices.Equal(out, want) {
		t.Errorf("%q, want %q", out, want)
	}
}

// Lines fit the width, however long names and levels are, and a table of thousands of
// columns is abbreviated.
func TestInspectWidth(t *testing.T) {
	inFolder(t)
	var names, row []string
	for i := range 2000 {
		names = append(names, fmt.Sprint("a_column_with_quite_a_long_name_", i))
		row = append(row, []string{"-123456.789", "some text that is not short", "0.000001234"}[i%3])
	}
	file(t, "wide.csv", strings.Join(names, ",")+"\n"+strings.Repeat(strings.Join(row, ",")+"\n", 3))
	file(t, "t.csv", table(300))
	for _, name := range []string{"wide.csv", "t.csv"} {
		out := must(t, 0, boost(t, "inspect", name)).out
		for _, line := range lines(out) {
			if n := utf8.RuneCountInString(line); n > 100 {
				t.Errorf("%s: %d characters: %s", name, n, line)
			}
		}
		if n := len(lines(out)); n > 200 {
			t.Errorf("%s: %d lines", name, n)
		}
	}
	says(t, must(t, 0, boost(t, "inspect", "wide.csv")).out, "2,000 columns (1,333 of numbers)", "and 1,273 more", "and 607 more", "and 1,988 more")
}
