package dataset_test

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/decimal128"
	"github.com/apache/arrow/go/v17/arrow/memory"
	"gonum.org/v1/gonum/mat"

	"boost/dataset"
	"boost/parallel"
)

// training is the table whose schema the tests below read other tables with.
func training(t *testing.T) *dataset.Table {
	return mustRead(t, "id,num,color,code,w,y\nr1,1,red,1,1,no\nr2,2,blue,02,2,yes\nr3,,red,1.0,1,no\n",
		dataset.Label("y"), dataset.Weight("w"), dataset.ID("id"), dataset.Categorical("code"))
}

func TestReadAsSchema(t *testing.T) {
	schema := dataset.As(training(t).Schema())
	cases := []struct {
		name, text, want string
		opts             []dataset.Option
	}{
		{"order_and_levels", "code,extra,color,num\n7,x,green,5\n2.0,y,blue,6\n1e0,z,red,\n",
			"num:float32=5|6| color:category=green|blue|red code:category=7|2|1", nil},
		{"label_and_weight", "num,color,code,y,w\n1,red,1,yes,3\n1,red,1,,3\n",
			"num:float32=1|1 color:category=red|red code:category=1|1 w:float32=3|3 y:category=yes|", nil},
		{"float64_where_needed", "num,color,code\n0.1,red,1\n", "num:float64=0.1 color:category=red code:category=1", nil},
		{"text_in_numeric_levels", "num,color,code\n1,1,x\n", "num:float32=1 color:category=1 code:category=x", nil},
		{"all_missing", "num,color,code\n,,\n", "num:float32= color:category= code:category=", nil},
		{"model_id", "num,color,code,id\n1,red,1,007\n", "id:text=007 num:float32=1 color:category=red code:category=1", nil},
		{"other_id", "num,color,code,key\n1,red,1,007\n", "num:float32=1 color:category=red code:category=1 key:text=007",
			[]dataset.Option{dataset.ID("key")}},
		{"feature_as_id", "num,color,code\n1,red,01\n", "num:float32=1 color:category=red code:category=1 num:text=1 code:text=01",
			[]dataset.Option{dataset.ID("num", "code")}},
		{"header_by_names", "num,color,code\nnum,color,code\n", "", nil},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			table, err := read(c.text, append(c.opts, schema)...)
			if c.want == "" {
				want := `t.csv:2: column "num": "num" is not a number, and the model has numbers in this column (add "num" to missing = […] if it means no value)`
				if err == nil || err.Error() != want {
					t.Errorf("got  %v\nwant %s", err, want)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got := show(table); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
	t.Run("levels_of_the_model_first", func(t *testing.T) {
		table := mustRead(t, "num,color,code\n1,green,7\n1,blue,2\n", schema)
		if got := table.Column("color"); !slices.Equal(got.Levels(), []string{"red", "blue", "green"}) || !slices.Equal(got.Codes(), []int32{2, 1}) {
			t.Errorf("color: %v of %q", got.Codes(), got.Levels())
		}
		if got := table.Column("code"); !slices.Equal(got.Levels(), []string{"1", "2", "7"}) {
			t.Errorf("code: levels %q", got.Levels())
		}
	})
	for _, c := range []struct {
		name, text, want string
		opts             []dataset.Option
	}{
		{"lacking", "num,y\n1,no\n", `t.csv: the table lacks columns "color", "code", which the model needs; its columns are "num", "y"`, nil},
		{"repeated", "num,color,code,num\n1,red,1,2\n", `t.csv: column "num" stands in the table twice, as columns 1 and 4; rename one`, nil},
		{"retyped", "num,color,code\n1,red,1\nmany,red,1\n",
			`t.csv:3: column "num": "many" is not a number, and the model has numbers in this column (add "many" to missing = […] if it means no value)`, nil},
		{"other_label", "num,color,code,z\n1,red,1,2\n", `t.csv: label = "z" does not agree with the model, whose label is "y"`,
			[]dataset.Option{dataset.Label("z")}},
		{"absent_id", "num,color,code\n1,red,1\n", `t.csv: the table has no column "key", which is named as id; its columns are "num", "color", "code"`,
			[]dataset.Option{dataset.ID("key")}},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := read(c.text, append(c.opts, schema)...)
			if !errors.Is(err, dataset.ErrTable) || err.Error() != c.want {
				t.Errorf("got  %v\nwant %s", err, c.want)
			}
		})
	}
	t.Run("levels_are_not_missing", func(t *testing.T) {
		// A model whose training took "None" for a level must find it there again,
		// whoever reads the table.
		text := "garage,x,y\nNone,1,NA\n NA ,2,b\n?,,b\n"
		trained := mustRead(t, text, dataset.Label("y"), dataset.MissingOnly("", "?"), dataset.KeepBlanks()).Schema()
		if got, want := show(mustRead(t, text, dataset.As(trained))), "garage:category=None| NA | x:float32=1|2| y:category=NA|b|b"; got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
		if got, want := show(mustRead(t, text, dataset.As(trained), dataset.MissingOnly("None", ""))), "garage:category=| NA |? "; !strings.HasPrefix(got, want) {
			t.Errorf("named tokens: got  %s\nwant %s…", got, want)
		}
	})
	t.Run("retyped_skip", func(t *testing.T) {
		table := mustRead(t, "num,color,code\n1,red,1\nmany,red,1\n", schema, dataset.SkipBadRows())
		if table.NumRows() != 1 || table.Skipped() != 1 {
			t.Errorf("%d rows, %d skipped", table.NumRows(), table.Skipped())
		}
	})
}

// A level of white space alone is not the empty cell: a model that has one still reads empty cells as missing. Only spaces and tabs
// around a cell are no part of it.
func TestLevelOfWhiteSpace(t *testing.T) {
	for name, level := range map[string]string{"line_break": "\n", "no_break_space": "\u00a0", "word_behind_it": "\u00a0NA", "form_feed": "\f"} {
		t.Run(name, func(t *testing.T) {
			text := "x,t\n1,k1\n,\"" + level + "\"\nNA,k1\n"
			first := mustRead(t, text)
			again, err := read(text, dataset.As(first.Schema()))
			if err != nil {
				t.Fatal(err)
			}
			want := "x:float32=1|| t:category=k1|" + level + "|k1"
			if got := show(first); got != want {
				t.Errorf("first: got %q, want %q", got, want)
			}
			if got := show(again); got != want {
				t.Errorf("by the schema: got %q, want %q", got, want)
			}
		})
	}
}

// 2⁵³ and 2⁵³+1 are one float64. As levels they are two, by their digits, in a model too.
func TestLevelsBeyondFloat64(t *testing.T) {
	text := "x\n9007199254740992\n9007199254740993\n09007199254740992\n"
	first := mustRead(t, text, dataset.Categorical("x"))
	if got, want := show(first), "x:category=9007199254740992|9007199254740993|09007199254740992"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	again := mustRead(t, "x\n9007199254740993\n9007199254740994\n", dataset.As(first.Schema()))
	if got, want := fmt.Sprint(again.Column("x").Codes()), "[1 3]"; got != want {
		t.Errorf("codes of the model: got %s, want %s", got, want)
	}
	apart := mustRead(t, "x\n9007199254740992\n09007199254740992\n9007199254740994.0\n", dataset.Categorical("x"))
	if got, want := show(apart), "x:category=9007199254740992|9007199254740992|9007199254740994"; got != want {
		t.Errorf("numbers that float64 holds: got %s, want %s", got, want)
	}
}

// A label that is no number is not advised to be missing, as every row needs one.
func TestLabelOfAnotherKind(t *testing.T) {
	model := mustRead(t, "x,y\n1,0\n2,1\n", dataset.Label("y"))
	_, err := read("x,y\n1,no\n2,yes\n", dataset.As(model.Schema()))
	if want := `t.csv:2: column "y": "no" is not a number, and the model has numbers in this column; nor is "yes" in line 3`; err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

// Names of text files are read without blanks around them. A model that has a name with some, as a data frame may give it, finds
// the column all the same, in every file.
func TestNamesWithBlanks(t *testing.T) {
	schema := func(names ...string) dataset.Option {
		var s dataset.Schema
		for _, name := range names {
			s.Columns = append(s.Columns, dataset.ColumnSchema{Name: name, Role: dataset.Feature, Kind: dataset.Float32})
		}
		return dataset.As(s)
	}
	var paths []string
	for i, text := range []string{"a, lead,b \n1,2,3\n", "\" lead\",b,a\n5,6,4\n"} {
		path := filepath.Join(t.TempDir(), fmt.Sprintf("%d.csv", i))
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	table, err := dataset.OpenAll(t.Context(), paths, schema("a", " lead", "b"), dataset.InOrder())
	if err != nil {
		t.Fatal(err)
	}
	if got, want := show(table), "a:float32=1|4  lead:float32=2|5 b:float32=3|6"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if _, err := read("x\n1\n", schema("x", " x")); err == nil || !strings.Contains(err.Error(), `lacks column " x"`) {
		t.Errorf("one column for two: %v", err)
	}
}

func TestCoerce(t *testing.T) {
	train := training(t)
	schema := train.Schema()
	t.Run("identity", func(t *testing.T) {
		same, err := train.As(schema)
		if err != nil {
			t.Fatal(err)
		}
		if show(same) != show(train) {
			t.Errorf("got %s, want %s", show(same), show(train))
		}
		if &same.Column("num").Float32s()[0] != &train.Column("num").Float32s()[0] {
			t.Error("a column that matches was copied")
		}
	})
	t.Run("equals_reading_with_the_schema", func(t *testing.T) {
		text := "code,color,num\n7,green,5\n2,blue,6\n1,red,\n,,0.1\n"
		want := mustRead(t, text, dataset.As(schema))
		got, err := mustRead(t, text).As(schema)
		if err != nil {
			t.Fatal(err)
		}
		if show(got) != show(want) {
			t.Errorf("got %s, want %s", show(got), show(want))
		}
		for i, c := range got.Columns() {
			if !slices.Equal(c.Levels(), want.Columns()[i].Levels()) {
				t.Errorf("levels of %q are %q, want %q", c.Name(), c.Levels(), want.Columns()[i].Levels())
			}
		}
	})
	t.Run("levels_to_numbers", func(t *testing.T) {
		got, err := mustRead(t, "num,color,code\n1.50,red,1\n,red,1\n", dataset.Categorical("num")).As(schema)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := show(got), "num:float32=1.5| color:category=red|red code:category=1|1"; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	})
	for _, c := range []struct{ name, text, want string }{
		{"numbers_to_text", "num,color,code\n1,5,1\n", `column "color" was read as numbers, the model has it as text; read the table with dataset.As(model.Schema())`},
		{"text_to_numbers", "num,color,code\na,red,1\nb,red,1\n",
			`t.csv:2: column "num": "a" is not a number, and the model has numbers in this column (read the table with dataset.As(model.Schema()) and leave the column out of dataset.Categorical)`},
		{"lacking", "num\n1\n", `the table lacks columns "color", "code", which the model needs; its columns are "num"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := mustRead(t, c.text).As(schema)
			if !errors.Is(err, dataset.ErrTable) || err.Error() != c.want {
				t.Errorf("got  %v\nwant %s", err, c.want)
			}
		})
	}
	t.Run("columns_without_names", func(t *testing.T) {
		unnamed := mustRead(t, "1,2\n3,4\n", dataset.Header(false)).Schema()
		named := mustRead(t, "a,c\n1,2\n").Schema()
		for _, c := range []struct {
			columns []dataset.ColumnData
			schema  dataset.Schema
			want    string
		}{
			{[]dataset.ColumnData{{Name: "a", Values: []float64{1}}, {Name: "c", Values: []float64{2}}}, unnamed,
				`the model was trained on columns without names, which it calls "c1", "c2", and this table has names: "a", "c"; give its columns without names, in the order of training`},
			{[]dataset.ColumnData{{Name: "c1", Values: []float64{1}}, {Name: "c2", Values: []float64{2}}}, named,
				`the table has columns without names, which are called "c1" and so on, and the model needs columns with names: "a", "c"`},
			{[]dataset.ColumnData{{Name: "c1", Values: []float64{1}}}, unnamed,
				`the table lacks column "c2", which the model needs (did you mean "c1"?); its columns are "c1"`},
		} {
			if _, err := dataset.FromColumns(c.columns, dataset.As(c.schema)); !errors.Is(err, dataset.ErrTable) || err.Error() != c.want {
				t.Errorf("got  %v\nwant %s", err, c.want)
			}
		}
	})
	t.Run("numeric_levels_to_text", func(t *testing.T) {
		text := mustRead(t, "x\n01\nb\n", dataset.Categorical("x")).Schema()
		_, err := mustRead(t, "x\n01\n1\n", dataset.Categorical("x")).As(text)
		want := `the levels of column "x" were read as numbers, the model has them as text; read the table with dataset.As(model.Schema())`
		if err == nil || err.Error() != want {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	})
	t.Run("id_for_a_feature", func(t *testing.T) {
		_, err := mustRead(t, "num,color,code\n1,red,1\n", dataset.ID("num")).As(schema)
		want := `column "num" was read as an id, the model has it as a feature; read the table with dataset.As(model.Schema())`
		if err == nil || err.Error() != want {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	})
}

func TestClasses(t *testing.T) {
	cases := []struct {
		name, text string
		classes    []string
		numeric    bool
		codes      []float64
		opts       []dataset.Option
	}{
		{"texts", "y\nb\na\nB\nb\n", []string{"B", "a", "b"}, false, []float64{2, 1, 0, 2}, nil},
		{"numbers", "y\n10\n9\n2.50\n10.0\n", []string{"2.5", "9", "10"}, true, []float64{2, 1, 0, 2}, nil},
		{"number_levels", "y\n10\n9\n010\n", []string{"9", "10"}, true, []float64{1, 0, 1}, []dataset.Option{dataset.Categorical("y")}},
		{"negative_zero", "y\n-0\n1\n0\n", []string{"0", "1"}, true, []float64{0, 1, 0}, nil},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			table := mustRead(t, c.text, append(c.opts, dataset.Label("y"))...)
			classes, numeric := dataset.ClassesOf(table.LabelColumn())
			if !slices.Equal(classes, c.classes) || numeric != c.numeric {
				t.Fatalf("classes %q, numeric %v", classes, numeric)
			}
			codes, err := table.EncodeClasses(classes, numeric)
			if err != nil || !slices.Equal(codes, c.codes) {
				t.Errorf("codes %v (%v), want %v", codes, err, c.codes)
			}
		})
	}
	t.Run("numbers_as_levels_and_back", func(t *testing.T) {
		levels := mustRead(t, "y\n1\n2.0\n", dataset.Label("y"), dataset.Categorical("y"))
		if codes, err := levels.EncodeClasses([]string{"1", "2"}, true); err != nil || !slices.Equal(codes, []float64{0, 1}) {
			t.Errorf("%v (%v)", codes, err)
		}
		numbers := mustRead(t, "y\n2\n1\n", dataset.Label("y"))
		if codes, err := numbers.EncodeClasses([]string{"1", "2", "x"}, false); err != nil || !slices.Equal(codes, []float64{1, 0}) {
			t.Errorf("%v (%v)", codes, err)
		}
	})
	t.Run("many_numbers", func(t *testing.T) {
		const n = 1000
		text := strings.Builder{}
		text.WriteString("y\n")
		for i := range 3 * n {
			fmt.Fprintln(&text, i*7%n)
		}
		table := mustRead(t, text.String(), dataset.Label("y"))
		if _, _, ok := dataset.FewClasses(table.LabelColumn(), n-1); ok {
			t.Errorf("%d numbers are taken for at most %d", n, n-1)
		}
		classes, numeric, ok := dataset.FewClasses(table.LabelColumn(), n)
		if !ok || len(classes) != n {
			t.Fatalf("%d classes, ok %v, want %d", len(classes), ok, n)
		}
		codes, err := table.EncodeClasses(classes, numeric)
		if err != nil {
			t.Fatal(err)
		}
		for i, code := range codes {
			if int(code) != i*7%n {
				t.Fatalf("row %d: class %v, want %d", i, code, i*7%n)
			}
		}
	})
	t.Run("unknown", func(t *testing.T) {
		for text, want := range map[string]string{
			"y\na\nc\n": `t.csv:3: column "y": "c" is not one of the classes "a", "b"`,
			"y\n1\n2\n": `t.csv:2: column "y": "1" is not one of the classes "a", "b"`,
		} {
			_, err := mustRead(t, text, dataset.Label("y")).EncodeClasses([]string{"a", "b"}, false)
			if err == nil || err.Error() != want {
				t.Errorf("got  %v\nwant %s", err, want)
			}
		}
	})
	t.Run("missing", func(t *testing.T) {
		schema := mustRead(t, "x,y\n1,a\n", dataset.Label("y")).Schema()
		_, err := mustRead(t, "x,y\n1,a\n1,\n", dataset.As(schema)).EncodeClasses([]string{"a"}, false)
		want := `t.csv:3: column "y": the cell has no value, expected a class`
		if err == nil || err.Error() != want {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	})
	t.Run("no_label", func(t *testing.T) {
		table := mustRead(t, "x\n1\n")
		want := `the table has no label column; its columns are "x"`
		if _, err := table.EncodeClasses(nil, false); err == nil || err.Error() != want {
			t.Errorf("%v", err)
		}
		if _, err := table.NumericLabels(); err == nil || err.Error() != want {
			t.Errorf("%v", err)
		}
		if table.LabelColumn() != nil {
			t.Error("a label column")
		}
	})
}

func TestNumericLabels(t *testing.T) {
	labels, err := mustRead(t, "y\n0.1\n-2\n", dataset.Label("y")).NumericLabels()
	if err != nil || !slices.Equal(labels, []float64{0.1, -2}) {
		t.Errorf("%v (%v)", labels, err)
	}
	labels, err = mustRead(t, "y\n10\n02\n", dataset.Label("y"), dataset.Categorical("y")).NumericLabels()
	if err != nil || !slices.Equal(labels, []float64{10, 2}) {
		t.Errorf("%v (%v)", labels, err)
	}
	for text, want := range map[string]string{
		"y\nred\nblue\n": `t.csv:2: column "y": "red" is not a finite number, which the label of a regression has to be (set train.objective = "multiclass" for classes)`,
		"y\n1\ninf\n":    `t.csv:3: column "y": "inf" is not a finite number, which the label of a regression has to be (leave the row out, or give the largest number that can be)`,
	} {
		_, err := mustRead(t, text, dataset.Label("y")).NumericLabels()
		if err == nil || err.Error() != want {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	}
	schema := mustRead(t, "y\n1\n2\n", dataset.Label("y")).Schema()
	want := `t.csv:3: column "y": the cell has no value, expected a finite number, which the label of a regression has to be (fill it in, or set on_bad_row = "skip" to leave such rows out)`
	if _, err := mustRead(t, "y\n1\nNA\n", dataset.As(schema)).NumericLabels(); err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

func TestWeights(t *testing.T) {
	weights, err := mustRead(t, "x,w\n1,0\n1,2.5\n", dataset.Weight("w")).Weights()
	if err != nil || !slices.Equal(weights, []float64{0, 2.5}) {
		t.Errorf("%v (%v)", weights, err)
	}
	if weights, err := mustRead(t, "x\n1\n").Weights(); weights != nil || err != nil {
		t.Errorf("%v (%v) without a weight column", weights, err)
	}
	for text, want := range map[string]string{
		"x,w\n1,1\n1,-1\n":  `t.csv:3: column "w": "-1" is not a weight: a finite number of at least 0`,
		"x,w\n1,1\n1,\n":    `t.csv:3: column "w": the cell has no value, expected a weight: a finite number of at least 0`,
		"x,w\n1,inf\n1,1\n": `t.csv:2: column "w": "inf" is not a weight: a finite number of at least 0`,
	} {
		_, err := mustRead(t, text, dataset.Weight("w")).Weights()
		if !errors.Is(err, dataset.ErrTable) || err.Error() != want {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	}
}

func print(t *dataset.Table) string {
	pool := parallel.NewPool(3)
	defer pool.Close()
	return t.Fingerprint(pool)
}

func TestFingerprint(t *testing.T) {
	label := dataset.Label("y")
	text := "id,num,cat,y\na,0.5,red,1\nb,0,blue,0\nc,,,1\nd,0.1,red,0\n"
	table := mustRead(t, text, label, dataset.ID("id"))
	want := print(table)
	if len(want) != 32 || strings.Trim(want, "0123456789abcdef") != "" {
		t.Fatalf("%q is not 32 hex digits", want)
	}
	nan := math.NaN()
	same := map[string]*dataset.Table{
		"chunks":          mustRead(t, text, label, dataset.ID("id"), dataset.ChunkSize(1)),
		"without_the_id":  mustRead(t, text, label, dataset.Ignore("id")),
		"negative_zero":   mustRead(t, strings.Replace(text, "0,blue", "-0,blue", 1), label, dataset.ID("id")),
		"semicolons":      mustRead(t, strings.ReplaceAll(text, ",", ";"), label, dataset.ID("id")),
		"taken":           mustRead(t, text+"e,0.1,green,1\n", label, dataset.ID("id")).Take([]int32{0, 1, 2, 3}),
		"with_own_schema": mustRead(t, text, dataset.As(table.Schema())),
		"columns": fromColumns(t, []dataset.ColumnData{{Name: "num", Values: []float64{0.5, 0, nan, 0.1}},
			{Name: "cat", Values: []string{"red", "blue", "", "red"}}, {Name: "y", Values: []bool{true, false, true, false}}}, label),
	}
	for name, other := range same {
		if got := print(other); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	differ := map[string]*dataset.Table{
		"value":        mustRead(t, strings.Replace(text, "0.1", "0.2", 1), label, dataset.ID("id")),
		"level":        mustRead(t, strings.Replace(text, "blue", "bleu", 1), label, dataset.ID("id")),
		"missing":      mustRead(t, strings.Replace(text, "c,,", "c,0,", 1), label, dataset.ID("id")),
		"name":         mustRead(t, strings.Replace(text, "num", "nun", 1), label, dataset.ID("id")),
		"role":         mustRead(t, text, dataset.ID("id")),
		"order":        table.Take([]int32{1, 0, 2, 3}),
		"rows":         table.Take([]int32{0, 1, 2}),
		"a_row_of_0":   mustRead(t, text+"e,0,red,0\n", label, dataset.ID("id")),
		"column_order": mustRead(t, "num,y,cat\n0.5,1,red\n0,0,blue\n,1,\n0.1,0,red\n", label),
	}
	seen := map[string]string{want: "the table"}
	for name, other := range differ {
		got := print(other)
		if first, ok := seen[got]; ok {
			t.Errorf("%s has the fingerprint of %s", name, first)
		}
		seen[got] = name
	}
	t.Run("float32_and_float64", func(t *testing.T) {
		// Taking rows keeps float64; read afresh, the same rows are float32.
		wide := mustRead(t, "x\n1\n0.1\n").Take([]int32{0})
		narrow := mustRead(t, "x\n1\n")
		if wide.Column("x").Kind() == narrow.Column("x").Kind() {
			t.Fatal("both columns are of one kind")
		}
		if print(wide) != print(narrow) {
			t.Error("the fingerprint depends on the kind")
		}
	})
	t.Run("threads", func(t *testing.T) {
		big := mustRead(t, messyTable(40_000))
		want := print(big)
		for _, threads := range []int{1, 2, 8} {
			pool := parallel.NewPool(threads)
			if got := big.Fingerprint(pool); got != want {
				t.Errorf("%d threads: %s, want %s", threads, got, want)
			}
			pool.Close()
		}
	})
}

func TestFromMatrix(t *testing.T) {
	m := mat.NewDense(2, 3, []float64{1, math.NaN(), 0.1, 3, 4, 5})
	table, err := dataset.FromMatrix(m, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := show(table), "c1:float32=1|3 c2:float32=|4 c3:float64=0.1|5"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if _, err := dataset.FromMatrix(m, []string{"a"}); !errors.Is(err, dataset.ErrTable) {
		t.Errorf("one name for three columns: %v", err)
	}
}

func TestFromArrow(t *testing.T) {
	pool := memory.NewGoAllocator()
	var fields []arrow.Field
	var columns []arrow.Array
	add := func(name string, values arrow.Array) {
		fields = append(fields, arrow.Field{Name: name, Type: values.DataType(), Nullable: true})
		columns = append(columns, values)
	}
	ints := array.NewInt64Builder(pool)
	ints.AppendValues([]int64{1, 0, 3}, []bool{true, false, true})
	add("ints", ints.NewArray())
	floats := array.NewFloat32Builder(pool)
	floats.AppendValues([]float32{0.5, 1, float32(math.NaN())}, nil)
	add("floats", floats.NewArray())
	bools := array.NewBooleanBuilder(pool)
	bools.AppendValues([]bool{true, false, true}, nil)
	add("bools", bools.NewArray())
	texts := array.NewStringBuilder(pool)
	texts.AppendValues([]string{"a", "NA", "b"}, nil)
	add("texts", texts.NewArray())
	digits := array.NewLargeStringBuilder(pool)
	digits.AppendValues([]string{"1", "2.5", ""}, nil)
	add("digits", digits.NewArray())
	dates := array.NewDate32Builder(pool)
	dates.AppendValues([]arrow.Date32{0, 1, 19792}, nil)
	add("dates", dates.NewArray())
	stamps := array.NewTimestampBuilder(pool, &arrow.TimestampType{Unit: arrow.Millisecond})
	stamps.AppendValues([]arrow.Timestamp{0, 1500, -500}, nil)
	add("stamps", stamps.NewArray())
	decimals := array.NewDecimal128Builder(pool, &arrow.Decimal128Type{Precision: 5, Scale: 2})
	decimals.AppendValues([]decimal128.Num{decimal128.FromI64(125), decimal128.FromI64(-10), decimal128.FromI64(0)}, nil)
	add("decimals", decimals.NewArray())
	coded := array.NewDictionaryBuilder(pool, &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}).(*array.BinaryDictionaryBuilder)
	for _, s := range []string{"x", "y", "x"} {
		if err := coded.AppendString(s); err != nil {
			t.Fatal(err)
		}
	}
	add("coded", coded.NewArray())
	add("none", array.NewNull(3))
	views := array.NewStringViewBuilder(pool)
	views.AppendValues([]string{"a", "a text of more than twelve bytes", ""}, nil)
	add("views", views.NewArray())
	bytes := array.NewBinaryBuilder(pool, arrow.BinaryTypes.Binary)
	bytes.AppendValues([][]byte{[]byte("u"), nil, []byte("v")}, []bool{true, false, true})
	add("bytes", bytes.NewArray())
	fixed := array.NewFixedSizeBinaryBuilder(pool, &arrow.FixedSizeBinaryType{ByteWidth: 2})
	fixed.AppendValues([][]byte{[]byte("de"), []byte("no"), []byte("de")}, nil)
	add("fixed", fixed.NewArray())
	clocks := array.NewTime32Builder(pool, &arrow.Time32Type{Unit: arrow.Second})
	clocks.AppendValues([]arrow.Time32{0, 3661, 0}, []bool{true, true, false})
	add("clocks", clocks.NewArray())
	parts := array.NewTime64Builder(pool, &arrow.Time64Type{Unit: arrow.Nanosecond})
	parts.AppendValues([]arrow.Time64{1500000000, 86399999999999, 0}, nil)
	add("parts", parts.NewArray())
	record := array.NewRecord(arrow.NewSchema(fields, nil), columns, 3)

	table, err := dataset.FromArrow(record)
	if err != nil {
		t.Fatal(err)
	}
	want := "ints:float32=1||3 floats:float32=0.5|1| bools:float32=1|0|1 texts:category=a||b digits:float32=1|2.5| " +
		"dates:float32=0|86400|1710028800 stamps:float32=0|1.5|-0.5 decimals:float64=1.25|-0.1|0 coded:category=x|y|x none:float32=|| " +
		"views:category=a|a text of more than twelve bytes| bytes:category=u||v fixed:category=de|no|de " +
		"clocks:category=00:00:00|01:01:01| parts:category=00:00:01.5|23:59:59.999999999|00:00:00"
	if got := show(table); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got, want := table.Notes(), []string{`dates in columns "dates", "stamps" are read as seconds since 1970-01-01 UTC`,
		`no row has a value in column "none", which training cannot use`}; !slices.Equal(got, want) {
		t.Errorf("notes %q, want %q", got, want)
	}
	t.Run("slice_equals_take", func(t *testing.T) {
		sliced, err := dataset.FromArrow(record.NewSlice(1, 3), dataset.Categorical("ints"))
		if err != nil {
			t.Fatal(err)
		}
		if got := show(sliced); !strings.HasPrefix(got, "ints:category=|3 floats:float32=1| bools:float32=0|1") {
			t.Errorf("got %s", got)
		}
	})
	t.Run("same_as_csv", func(t *testing.T) {
		// The program writes what Arrow's reader would have made of the file.
		again, err := dataset.FromArrow(record, dataset.Ignore("dates", "stamps", "none", "digits", "decimals"))
		if err != nil {
			t.Fatal(err)
		}
		fromText := mustRead(t, "ints,floats,bools,texts,coded,views,bytes,fixed,clocks,parts\n"+
			"1,0.5,true,a,x,a,u,de,00:00:00,00:00:01.5\n"+
			",1,false,NA,y,a text of more than twelve bytes,,no,01:01:01,23:59:59.999999999\n"+
			"3,,true,b,x,,v,de,,00:00:00\n")
		if print(again) != print(fromText) {
			t.Error("the fingerprint differs from the same table in a file")
		}
	})
	t.Run("errors", func(t *testing.T) {
		lists := array.NewListBuilder(pool, arrow.PrimitiveTypes.Int8)
		lists.AppendNull()
		values := lists.NewArray()
		r := array.NewRecord(arrow.NewSchema([]arrow.Field{{Name: "l", Type: values.DataType(), Nullable: true}}, nil), []arrow.Array{values}, 1)
		_, err := dataset.FromArrow(r)
		want := `column "l" is of the Arrow type list<item: int8, nullable>, which is no number, date or text; leave it out with ignore`
		if !errors.Is(err, dataset.ErrTable) || err.Error() != want {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	})
}
