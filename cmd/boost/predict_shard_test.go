package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	pqfile "github.com/apache/arrow/go/v17/parquet/file"

	"boost/dataset"
)

// shards predicts all shards of a table and returns what they write, one behind the other.
func shards(t *testing.T, n int, args ...string) string {
	t.Helper()
	var all strings.Builder
	for i := range n {
		all.WriteString(must(t, 0, boost(t, slices.Concat([]string{"predict"}, args, []string{"--shard", fmt.Sprintf("%d/%d", i, n)})...)).out)
	}
	return all.String()
}

// The parts of a table one behind the other are the whole, whatever form the table has.
func TestShardsOfAllForms(t *testing.T) {
	models(t)
	plain, err := dataset.Open(context.Background(), "t.csv")
	if err != nil {
		t.Fatal(err)
	}
	var numbers strings.Builder
	numbers.WriteString("label,f1,f2\n")
	for i := range 300 {
		fmt.Fprintf(&numbers, "%d,%d,%d\n", i%3, i%7, i%5/4)
	}
	file(t, "n.csv", numbers.String())
	must(t, 0, boost(t, "train", "n.csv", "--label", "label", "-q", "-o", "n.boost", "--set", "train.rounds=4", "--set", "train.early_stopping=0"))
	sparse, err := dataset.Open(context.Background(), "n.csv")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range svmForms(t, sparse) {
		for _, ids := range [][]string{nil, {"--id", "f2"}} {
			args := slices.Concat([]string{"n.boost"}, f.args, f.set, ids)
			if f.file == "" && shards(t, 3, args...) != must(t, 0, boost(t, append([]string{"predict"}, args...)...)).out {
				t.Errorf("%s, ids %q: parts differ from the whole", f.name, ids)
			}
		}
	}
	forms := append(csvForms(t, table(300)), arrowForms(t, plain)...)
	if testing.Short() {
		forms = forms[:6]
	}
	for i, f := range forms {
		if f.file != "" {
			continue
		}
		format := []string{"csv", "jsonl"}[i%2]
		args := slices.Concat([]string{[]string{"y.boost", "b.boost", "c.boost"}[i%3], "--format", format}, f.args, f.set)
		want := must(t, 0, boost(t, append([]string{"predict"}, args...)...)).out
		if got := shards(t, 1+i%4, args...); got != want {
			t.Errorf("%s, %d parts as %s: they differ from the whole", f.name, 1+i%4, format)
		}
	}
}

// Parts may begin within a block of rows, or have no rows. Several tables are one.
func TestShardsCutAnywhere(t *testing.T) {
	models(t)
	file(t, "long.csv", table(60_000)) // several blocks
	file(t, "two.csv", table(2))
	for _, c := range []struct {
		n    int
		args []string
	}{
		{3, []string{"long.csv"}},
		{7, []string{"t.csv", "long.csv", "t.csv", "--kind", "class"}},
		{5, []string{"two.csv"}},
		{4, []string{"two.csv", "--pass-through"}},
		{3, []string{"t.csv", "--kind", "leaf,contrib"}},
		{3, []string{"t.csv", "--staged", "3"}},
	} {
		args := append([]string{"b.boost"}, c.args...)
		want := must(t, 0, boost(t, append([]string{"predict"}, args...)...)).out
		if got := shards(t, c.n, args...); got != want {
			t.Errorf("%d parts of %q: %d lines, %d in the whole", c.n, c.args, strings.Count(got, "\n"), strings.Count(want, "\n"))
		}
	}
	if got := must(t, 0, boost(t, "predict", "y.boost", "t.csv", "--shard", "1/7")).out; strings.Count(got, "\n") != 43 || !strings.HasPrefix(got, "r42,") {
		t.Errorf("of 300 rows, part 1 of 7 has ⌊300/7⌋ = 42 to ⌊600/7⌋ - 1 = 84, not %d lines from %.10q on", strings.Count(got, "\n"), got)
	}
}

// A rows format has its types from the whole table in each part, also where the part's own rows, or none, would give others.
func TestShardsHaveTheTypesOfTheWhole(t *testing.T) {
	models(t)
	text := "id,x,city\n1,0.5,Oslo\n2,0.1,Rome\n3,0.7,Kyiv\nlast,0.2,Oslo\n"
	file(t, "ids.csv", text)
	want := schemaOf(t, "ids.csv")
	for i := range 6 {
		if got := schemaOf(t, "ids.csv", "--shard", fmt.Sprintf("%d/6", i)); got != want {
			t.Errorf("part %d has %s, the whole %s", i, got, want)
		}
	}
	file(t, "ids.csv", strings.Replace(text, "last", "4", 1))
	if numbers := schemaOf(t, "ids.csv", "--shard", "0/6"); numbers == want || numbers != schemaOf(t, "ids.csv") {
		t.Errorf("whole numbers are %s", numbers)
	}
}

// schemaOf returns the types of a Parquet file of predictions.
func schemaOf(t *testing.T, args ...string) string {
	t.Helper()
	must(t, 0, boost(t, append([]string{"predict", "y.boost", "-o", "p.parquet"}, args...)...))
	f, err := pqfile.OpenParquetFile("p.parquet", false)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	return f.MetaData().Schema.String()
}

// What is judged by all rows is judged so in each part.
func TestShardsJudgeCategoriesByAllRows(t *testing.T) {
	models(t)
	file(t, "new.csv", "id,x,city\n1,0.5,Oslo\n2,0.1,Rome\n3,0.7,Bern\n4,0.2,Zug\n")
	want := must(t, 0, boost(t, "predict", "y.boost", "new.csv")).out
	if got := shards(t, 2, "y.boost", "new.csv"); got != want { // the second part has no known category
		t.Errorf("got %q, want %q", got, want)
	}
	file(t, "none.csv", "id,x,city\n1,0.5,Bern\n2,0.1,Zug\n3,0.7,Bern\n4,0.2,Zug\n")
	for i := range 4 { // one row alone is no reason to end
		r := must(t, 3, boost(t, "predict", "y.boost", "none.csv", "--shard", fmt.Sprintf("%d/4", i)))
		says(t, r.errors, `none.csv: column "city": training had none of its categories`)
	}
}

func TestShardsRefused(t *testing.T) {
	models(t)
	for shard, words := range map[string]string{
		"4/4": "expected I/N, from 0/4 for the first of four to 3/4 for the last", "-1/4": "expected I/N", "1": "expected I/N", "a/b": "expected I/N",
	} {
		says(t, must(t, 2, boost(t, "predict", "y.boost", "t.csv", "--shard="+shard)).errors, "--shard "+shard, words)
	}
	says(t, must(t, 2, boostWith(t, table(10), "predict", "y.boost", "-", "--shard", "0/2")).errors, "standard input can be read once: name a file")
	must(t, 3, boost(t, "predict", "y.boost", "absent.csv", "--shard", "0/2"))
	if strings.Contains(must(t, 0, boost(t, "predict", "y.boost", "t.csv", "--shard", "0/2", "-o", "p.csv")).out, ",") || !exists("p.csv") {
		t.Error("-o p.csv: no file")
	}
}
