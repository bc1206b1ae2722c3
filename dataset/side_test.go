package dataset_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"boost/dataset"
	"boost/parallel"
)

// folder writes files into a folder of their own and returns its path.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestSideFiles(t *testing.T) {
	table := "y,x\n1,5\n0,6\n1,7\n"
	cases := map[string]struct {
		files map[string]string
		opts  []dataset.Option
		want  string
		note  string
	}{
		"weights": {map[string]string{"t": table, "t.weight": "0.5\n1\n2\n"}, nil,
			"y(feature) 1 0 1; x(feature) 5 6 7; weight(weight) 0.5 1 2", `weights are read from "DIR/t.weight"`},
		"queries": {map[string]string{"t": table, "t.query": "2\r\n1\r\n\r\n"}, nil,
			"y(feature) 1 0 1; x(feature) 5 6 7; qid(group) 1 1 2", `queries are read from "DIR/t.query"`},
		"init scores": {map[string]string{"t": table, "t.init": "0.1\n-0.2\n3"}, nil,
			"y(feature) 1 0 1; x(feature) 5 6 7; init_score(init_score) 0.1 -0.2 3", `init scores are read from "DIR/t.init"`},
		"init scores of two outputs": {map[string]string{"t": table, "t.init": "1\t2\n3\t4\n5\t6\n"}, nil,
			"y(feature) 1 0 1; x(feature) 5 6 7; init_score1(init_score) 1 3 5; init_score2(init_score) 2 4 6", ""},
		"without a header": {map[string]string{"t": "1\t5\n0\t6\n1\t7\n", "t.weight": "1\n2\n3\n"}, nil,
			"c1(label) 1 0 1; c2(feature) 5 6 7; weight(weight) 1 2 3", "DIR/t has no header line and files of LightGBM's beside it: its first column, c1, is taken for the label"},
		"without a header, with a label": {map[string]string{"t": "1\t5\n0\t6\n1\t7\n", "t.weight": "1\n2\n3\n"}, []dataset.Option{dataset.Label("c2")},
			"c1(feature) 1 0 1; c2(label) 5 6 7; weight(weight) 1 2 3", ""},
		"LibSVM": {map[string]string{"t": "1 1:5\n0 1:6\n1 1:7\n", "t.weight": "1\n2\n3\n", "t.query": "3\n"}, nil,
			"label(label) 1 0 1; f1(feature) 5 6 7; weight(weight) 1 2 3; qid(group) 1 1 1", ""},
		"LibSVM with qid": {map[string]string{"t": "1 qid:4 1:5\n0 qid:4 1:6\n1 qid:5 1:7\n", "t.query": "3\n"}, nil,
			"label(label) 1 0 1; qid(group) 4 4 5; f1(feature) 5 6 7", `DIR/t.query is not read, as group = "qid" names a column of the table`},
		"another column": {map[string]string{"t": table, "t.weight": "1\n"}, []dataset.Option{dataset.Weight("x")},
			"y(feature) 1 0 1; x(weight) 5 6 7", `DIR/t.weight is not read, as weight = "x" names a column of the table`},
		"left aside": {map[string]string{"t": table, "t.weight": "no number\n"}, []dataset.Option{dataset.NoSideFiles()}, "y(feature) 1 0 1; x(feature) 5 6 7", ""},
		"several files": {map[string]string{"t": "y,x\n1,5\n", "t.query": "1\n", "t2": "y,x\n0,6\n1,7\n", "t2.query": "1\n1\n"}, nil,
			"y(feature) 1 0 1; x(feature) 5 6 7; qid(group) 1 2 3", ""},
		"skipped label": {map[string]string{"t": "y,x\n1,5\n,6\n1,7\n", "t.weight": "1\n2\n3\n"}, []dataset.Option{dataset.Label("y"), dataset.SkipBadRows()},
			"y(label) 1 1; x(feature) 5 7; weight(weight) 1 3", ""},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			dir := folder(t, c.files)
			paths := []string{filepath.Join(dir, "t")}
			if _, more := c.files["t2"]; more {
				paths = append(paths, filepath.Join(dir, "t2"))
			}
			for _, size := range []int{1, 8, 1 << 20} {
				got, err := dataset.OpenAll(context.Background(), paths, append(slices.Clone(c.opts), dataset.ChunkSize(size), dataset.Threads(3))...)
				if err != nil {
					t.Fatal(err)
				}
				if text := written(got); text != c.want {
					t.Errorf("%s\nwant %s", text, c.want)
				}
				if note := strings.ReplaceAll(c.note, "DIR", dir); note != "" && !slices.Contains(got.Notes(), note) {
					t.Errorf("notes %q, want %q", got.Notes(), note)
				}
			}
		})
	}
}

func TestSideFileErrors(t *testing.T) {
	table := "y,x\n1,5\n0,6\n1,7\n"
	for name, c := range map[string]struct {
		files map[string]string
		opts  []dataset.Option
		want  string
	}{
		"fewer weights":  {map[string]string{"t": table, "t.weight": "1\n2\n"}, nil, "DIR/t.weight:2: the file is for 2 rows, DIR/t has 3 (write it anew for this table, or set side_files = \"ignore\")"},
		"more queries":   {map[string]string{"t": table, "t.query": "2\n2\n"}, nil, "DIR/t.query:2: the file is for 4 rows, DIR/t has 3 (write it anew for this table, or set side_files = \"ignore\")"},
		"a long query":   {map[string]string{"t": table, "t.query": "1\n5\n1\n"}, nil, "DIR/t.query:2: the file is for 7 rows, DIR/t has 3 (write it anew for this table, or set side_files = \"ignore\")"},
		"no init scores": {map[string]string{"t": table, "t.init": ""}, nil, "DIR/t.init:1: the file is for 0 rows, DIR/t has 3 (write it anew for this table, or set side_files = \"ignore\")"},
		"LibSVM":         {map[string]string{"t": "1 1:5\n0 1:6\n", "t.weight": "1\n2\n3\n"}, nil, "DIR/t.weight:3: the file is for 3 rows, DIR/t has 2 (write it anew for this table, or set side_files = \"ignore\")"},
		"text":           {map[string]string{"t": table, "t.weight": "1\nheavy\n3\n"}, nil, `DIR/t.weight:2: column "weight": "heavy" is not a number, and each line holds the weight of one row`},
		"blank line":     {map[string]string{"t": table, "t.weight": "1\n\n3\n"}, nil, `DIR/t.weight:2: column "weight": the cell has no value, expected a number, and each line holds the weight of one row`},
		"half a row":     {map[string]string{"t": table, "t.query": "1.5\n1.5\n"}, nil, `DIR/t.query:1: column "qid": "1.5" is not a whole number of rows, and each line holds how many rows a query has`},
		"huge query":     {map[string]string{"t": table, "t.query": "3000000000\n"}, nil, `DIR/t.query:1: column "qid": "3000000000" is not a whole number of rows, and each line holds how many rows a query has`},
		"two weights":    {map[string]string{"t": table, "t.weight": "1 2\n"}, nil, "DIR/t.weight:1: 2 numbers, expected 1"},
		"ragged":         {map[string]string{"t": table, "t.init": "1 2\n1\n"}, nil, "DIR/t.init:2: 1 numbers, expected 2"},
		"name taken":     {map[string]string{"t": "weight,x\n1,5\n", "t.weight": "1\n"}, nil, `DIR/t.weight gives the table a column "weight", and it has one; rename that one, or set side_files = "ignore"`},
		"some files":     {map[string]string{"t": table, "t2": table, "t2.weight": "1\n2\n3\n"}, nil, `DIR/t2.weight stands beside one of the files that are read as one, and others have none like it; give each one, or set side_files = "ignore"`},
		"rows left out": {map[string]string{"t": "y,x\n1,5\n0\n1,7\n", "t.weight": "1\n2\n3\n"}, []dataset.Option{dataset.SkipBadRows()},
			`1 row of DIR/t cannot be read, so the rows of DIR/t.weight do not stand for those that are left; correct them, or set side_files = "ignore"`},
		"a bad row first": {map[string]string{"t": "y,x\n1,5\n0\n1,7\n", "t.weight": "1\n"}, nil,
			`DIR/t:3: 1 cell, expected 2 as in the header (quote cells that contain the separator, or set on_bad_row = "skip" to leave such rows out)`},
	} {
		t.Run(name, func(t *testing.T) {
			dir := folder(t, c.files)
			paths := []string{filepath.Join(dir, "t")}
			if _, more := c.files["t2"]; more {
				paths = append(paths, filepath.Join(dir, "t2"))
			}
			_, err := dataset.OpenAll(context.Background(), paths, c.opts...)
			if want := strings.ReplaceAll(c.want, "DIR", dir); err == nil || err.Error() != want || !errors.Is(err, dataset.ErrTable) {
				t.Errorf("%v, want\n%s", err, want)
			}
		})
	}
}

// With a model's schema the columns are called as the model calls them, and files that
// it has no use for are not looked at.
func TestSideFilesAsSchema(t *testing.T) {
	train := readText(t, "y,w,x\n1,2,3\n0,1,1\n", dataset.Label("y"), dataset.Weight("w"))
	dir := folder(t, map[string]string{"t": "x\n5\n6\n", "t.weight": "0.5\n2\n", "t.init": "no numbers"})
	table := must(dataset.Open(context.Background(), filepath.Join(dir, "t"), dataset.As(train.Schema())))(t)
	if got, want := written(table), "w(weight) 0.5 2; x(feature) 5 6"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestNeedLabel(t *testing.T) {
	_, err := dataset.Read(context.Background(), strings.NewReader("a,b\n1,2\n"), "t.csv", dataset.NeedLabel())
	want := fmt.Sprintf("t.csv: the columns are %q, %q: no column is named as the label", "a", "b")
	if !errors.Is(err, dataset.ErrNoLabel) || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	if label := readSVM(t, "1 1:1\n", dataset.NeedLabel()).LabelColumn(); label == nil {
		t.Error("LibSVM text has a label of its own")
	}
}

// LightGBM's own examples, read as they are, are the tables that stand beside them as CSV.
func TestRealSideFiles(t *testing.T) {
	shared := os.Getenv("BOOST_SHARED")
	if shared == "" {
		t.Skip("BOOST_SHARED is not set: the real data sets are not at hand")
	}
	data := filepath.Join(shared, "data")
	t.Run("weights", func(t *testing.T) {
		original := must(dataset.Open(context.Background(), filepath.Join(data, "lightgbm_binary/original/binary.train")))(t)
		twin := must(dataset.Open(context.Background(), filepath.Join(data, "lightgbm_binary/train.csv.gz"), dataset.Label("label"), dataset.Weight("weight")))(t)
		if !slices.Equal(must(original.Weights())(t), must(twin.Weights())(t)) || !slices.Equal(must(original.NumericLabels())(t), must(twin.NumericLabels())(t)) {
			t.Error("weights or labels differ")
		}
		for f, c := range twin.Features() {
			read := original.Features()[f]
			same := read.Kind() == c.Kind()
			switch {
			case !same:
			case c.Kind() == dataset.Float32:
				same = slices.Equal(read.Float32s(), c.Float32s())
			default:
				same = slices.Equal(read.Float64s(), c.Float64s())
			}
			if !same {
				t.Errorf("column %s differs", c.Name())
			}
		}
	})
	t.Run("queries", func(t *testing.T) {
		for _, part := range []string{"train", "test"} {
			original := must(dataset.Open(context.Background(), filepath.Join(data, "lightgbm_lambdarank/original/rank."+part)))(t)
			twin := must(dataset.Open(context.Background(), filepath.Join(data, "lightgbm_lambdarank", part+".csv.gz"), dataset.Label("label"), dataset.Group("qid")))(t)
			if got, want := must(original.Groups())(t), must(twin.Groups())(t); !slices.Equal(got, want) {
				t.Errorf("%s: queries begin at %v, want %v", part, got, want)
			}
		}
	})
	t.Run("init scores", func(t *testing.T) {
		original := must(dataset.Open(context.Background(), filepath.Join(data, "lightgbm_regression/original/regression.train")))(t)
		scores, outputs, err := original.InitScores()
		if err != nil || outputs != 1 || len(scores) != 7000 || !slices.Equal(scores[:3], []float64{0.375, 0.951, 0.732}) {
			t.Errorf("%d scores × %d, %v", len(scores), outputs, err)
		}
	})
}

// The columns of side files are those of the table too where it is read in chunks.
func TestSideFilesInChunks(t *testing.T) {
	var rows, weights strings.Builder
	for i := range 500 {
		fmt.Fprintf(&rows, "%d\t%d\n", i%2, i*i)
		fmt.Fprintf(&weights, "%d\n", i%7)
	}
	dir := folder(t, map[string]string{"t": rows.String(), "t.weight": weights.String(), "t.query": "100\n400\n"})
	file := filepath.Join(dir, "t")
	ctx := context.Background()
	table := must(dataset.Open(ctx, file))(t)
	scan := must(dataset.OpenChunked(ctx, []string{file}, dataset.ChunkSize(300), dataset.Threads(3)))(t)
	defer scan.Close()
	var mutex sync.Mutex
	seen := 0
	for range 2 {
		if err := scan.Chunks(ctx, func(_ int, features *dataset.Table) error {
			mutex.Lock()
			defer mutex.Unlock()
			seen += features.NumRows()
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	pool := parallel.NewPool(2)
	defer pool.Close()
	if got, want := scan.Fingerprint(), table.Fingerprint(pool); got != want || seen != 1000 {
		t.Errorf("fingerprint %s of %d rows, want %s of 1000", got, seen, want)
	}
	if got, want := must(scan.MetaColumns().Weights())(t), must(table.Weights())(t); !slices.Equal(got, want) {
		t.Errorf("weights %v, want %v", got, want)
	}
	if got := must(scan.MetaColumns().Groups())(t); !slices.Equal(got, []int{0, 100, 500}) {
		t.Errorf("queries begin at %v", got)
	}
	if err := os.WriteFile(filepath.Join(dir, "t.weight"), []byte("1\n2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := dataset.OpenChunked(ctx, []string{file}, dataset.ChunkSize(300))
	if want := fmt.Sprintf("%s.weight:2: the file is for 2 rows, %s has 500 (write it anew for this table, or set side_files = \"ignore\")", file, file); err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}
