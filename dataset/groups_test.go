package dataset_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"boost/dataset"
)

func readText(t *testing.T, text string, opts ...dataset.Option) *dataset.Table {
	t.Helper()
	return must(dataset.Read(context.Background(), strings.NewReader(text), "t.csv", opts...))(t)
}

func TestGroups(t *testing.T) {
	nan := math.NaN()
	for name, c := range map[string]struct {
		values any
		want   []int
		err    string
	}{
		"numbers":   {[]float64{7, 7, 1, 0, math.Copysign(0, -1)}, []int{0, 2, 3, 5}, ""},
		"texts":     {[]string{"a", "b", "b", "b", "c"}, []int{0, 1, 4, 5}, ""},
		"sparse":    {dataset.Sparse{Rows: []int32{0, 1}, F32: []float32{4, 3}}, []int{0, 1, 2, 5}, ""},
		"one":       {[]int{3, 3, 3, 3, 3}, []int{0, 5}, ""},
		"apart":     {[]float64{7, 7, 1, 7, 7}, nil, `row 4: column "q": "7" is not one query in one place: its rows begin in row 1, and others stand between (sort the table by this column, or read it into memory: data.out_of_core = "false")`},
		"apart too": {[]string{"a", "b", "a", "b", "c"}, nil, `row 3: column "q": "a" is not one query in one place: its rows begin in row 1, and others stand between (sort the table by this column, or read it into memory: data.out_of_core = "false")`},
		"large":     {[]float64{7, 7, 1<<53 - 1, 1 << 53, 1<<53 + 2}, nil, `row 4: column "q": "9007199254740992" is not the number of a query, below 2⁵³, as 64-bit floats do not tell larger ones apart (set categorical = ["q"] to use the column as text)`},
		"missing":   {[]float64{7, nan, 1, 7, 7}, nil, `row 2: column "q": the cell has no value, expected a query, and every row needs one`},
	} {
		t.Run(name, func(t *testing.T) {
			table := fromColumns(t, []dataset.ColumnData{{Name: "q", Values: c.values}, {Name: "x", Values: []int{1, 2, 3, 4, 5}}}, dataset.Group("q"))
			got, err := table.Groups()
			if c.err != "" {
				if err == nil || err.Error() != c.err || !errors.Is(err, dataset.ErrTable) {
					t.Fatalf("%v, want %s", err, c.err)
				}
				return
			}
			if err != nil || !slices.Equal(got, c.want) {
				t.Errorf("%v %v, want %v", got, err, c.want)
			}
			if role := table.Column("q").Role(); role != dataset.GroupRole || len(table.Features()) != 1 {
				t.Errorf("role %v, %d features", role, len(table.Features()))
			}
		})
	}
	if got, err := fromColumns(t, []dataset.ColumnData{{Name: "x", Values: []int{1}}}).Groups(); got != nil || err != nil {
		t.Errorf("without a group column: %v, %v", got, err)
	}
}

// A Parquet file has rows, text has lines.
func TestGroupsApart(t *testing.T) {
	for file, want := range map[string]string{"types.csv": "its rows begin in line ", "types.none.parquet": "types.none.parquet: row ", "types.plain.arrow": "its rows begin in row "} {
		table := must(dataset.Open(context.Background(), interop(file), dataset.Group("flag")))(t)
		if _, err := table.Groups(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q in it", file, err, want)
		}
	}
}

func TestInitScores(t *testing.T) {
	text := "a,y,b,x\n1,0,4,9\n2,1,5,9\n3,0,6,9\n"
	t.Run("in the order named", func(t *testing.T) {
		table := readText(t, text, dataset.InitScore("b", "a"), dataset.Label("y"))
		scores, outputs, err := table.InitScores()
		if want := []float64{4, 1, 5, 2, 6, 3}; err != nil || outputs != 2 || !slices.Equal(scores, want) {
			t.Errorf("%v × %d, %v; want %v", scores, outputs, err, want)
		}
		// The columns' order is the schema's: other tables follow it, wherever theirs stand.
		again, _, err := readText(t, "x,a,b\n9,1,4\n9,2,5\n9,3,6\n", dataset.As(table.Schema())).InitScores()
		if err != nil || !slices.Equal(again, scores) {
			t.Errorf("with the schema: %v, %v; want %v", again, err, scores)
		}
	})
	t.Run("absent", func(t *testing.T) {
		table := readText(t, text, dataset.InitScore("b"), dataset.Label("y"))
		other := readText(t, "x,a\n9,1\n", dataset.As(table.Schema()))
		if scores, outputs, err := other.InitScores(); scores != nil || outputs != 0 || err != nil {
			t.Errorf("%v × %d, %v", scores, outputs, err)
		}
	})
	for name, c := range map[string]struct {
		text string
		opts []dataset.Option
		want string
	}{
		"text":     {"a,x\nno,1\n2,1\n", []dataset.Option{dataset.InitScore("a")}, `t.csv:2: column "a": "no" is not a number, and an init score has to be one`},
		"twice":    {"a,x\n1,1\n", []dataset.Option{dataset.InitScore("a", "a")}, `t.csv: init_score names a column twice: "a", "a"`},
		"category": {"a,x\n1,1\n", []dataset.Option{dataset.InitScore("a"), dataset.Categorical("a")}, `t.csv: column "a" is named as init_score and as categorical; it can be one of them`},
		"label":    {"a,x\n1,1\n", []dataset.Option{dataset.InitScore("a"), dataset.Label("a")}, `t.csv: column "a" is named as label and as init_score; it can be one of them`},
		"unknown":  {"a,x\n1,1\n", []dataset.Option{dataset.InitScore("b")}, `t.csv: the table has no column "b", which is named as init_score; its columns are "a", "x"`},
	} {
		if _, err := dataset.Read(context.Background(), strings.NewReader(c.text), "t.csv", c.opts...); err == nil || err.Error() != c.want {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
	_, _, err := readText(t, "a,x\n1,1\n,2\n", dataset.InitScore("a")).InitScores()
	if want := `t.csv:3: column "a": the cell has no value, expected an init score: a finite number`; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

// Scores of which a gradient could overflow are refused where they stand.
func TestLargeInitScore(t *testing.T) {
	_, _, err := readText(t, "a,x\n1.7e38,1\n-1.8e38,2\n", dataset.InitScore("a")).InitScores()
	if want := `t.csv:3: column "a": "-1.8e+38" is not an init score: a number up to 1.7e38`; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

// Classes that float64 rounds to one are refused, and told apart as text.
func TestLargeClasses(t *testing.T) {
	text := "y,x\n9007199254740992,1\n9007199254740993,2\n"
	classes := []string{"9007199254740992", "9007199254740993"}
	_, err := readText(t, text, dataset.Label("y")).EncodeClasses(classes[:1], true)
	if err == nil || !strings.Contains(err.Error(), `t.csv:2: column "y": "9007199254740992" is not the number of a class, below 2⁵³`) {
		t.Error(err)
	}
	got, err := readText(t, text, dataset.Label("y"), dataset.Categorical("y")).EncodeClasses(classes, false)
	if err != nil || !slices.Equal(got, []float64{0, 1}) {
		t.Errorf("%v %v", got, err)
	}
}

// A query's name is no level that a model could know.
func TestGroupsInSchemas(t *testing.T) {
	train := readText(t, "q,x\nu1,1\nu1,2\nu2,3\n", dataset.Group("q"))
	for _, c := range train.Schema().Columns {
		if c.Role == dataset.GroupRole && len(c.Levels) > 0 {
			t.Errorf("the schema holds the queries %q", c.Levels)
		}
	}
	for name, text := range map[string]string{"texts": "x,q\n1,u9\n2,u9\n3,u7\n", "numbers": "x,q\n1,5\n2,5\n3,4\n"} {
		read := readText(t, text, dataset.As(train.Schema()))
		coerced := must(readText(t, text, dataset.Group("q")).As(train.Schema()))(t)
		for _, table := range []*dataset.Table{read, coerced} {
			if got, err := table.Groups(); err != nil || !slices.Equal(got, []int{0, 2, 3}) {
				t.Errorf("%s: %v, %v", name, got, err)
			}
		}
	}
}
