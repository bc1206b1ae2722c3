package main

import (
	"strings"
	"testing"
)

// A column without any category that training had is an error that shows three of each, streamed or
// whole; --on-unseen missing goes on, and one row may be new.
func TestAllUnseen(t *testing.T) {
	inFolder(t)
	file(t, "t.csv", table(90))
	must(t, 0, boost(t, "train", "t.csv", "--label", "y", "-q", "--rounds", "3", "--ignore", "id,b,c"))
	lower := strings.NewReplacer("Oslo", "oslo", "Rome", "rome", "Kyiv", "kyiv").Replace(table(90))
	file(t, "new.csv", lower)
	for _, args := range [][]string{
		{"predict", "t.boost", "new.csv", "-o", "p.csv"}, {"predict", "t.boost", "new.csv", "-o", "p.parquet", "--id", "id"},
		{"predict", "t.boost", "new.csv"}, {"eval", "t.boost", "new.csv"}, {"refit", "t.boost", "new.csv", "-o", "p.boost"},
	} {
		r := must(t, 3, boost(t, args...))
		says(t, r.errors, `new.csv: column "city": training had none of its categories`, `here "`, `"oslo"`, `"rome"`, `"kyiv"`,
			`; in training "Oslo", "Kyiv", "Rome" (--on-unseen missing`)
		if exists("p.csv") || exists("p.parquet") || exists("p.boost") {
			t.Errorf("%q wrote its output", args)
		}
		says(t, must(t, 0, boost(t, append(args, "--on-unseen", "missing")...)).errors, "treated as missing")
		for _, name := range []string{"p.csv", "p.parquet", "p.boost"} {
			remove(t, name)
		}
	}
	says(t, must(t, 3, boostWith(t, lower, "predict", "t.boost", "-")).errors, `standard input: column "city": training had none of its categories`)
	says(t, must(t, 3, boostWith(t, "[{\"x\":1}]", "predict", "t.boost", "-")).errors, "standard input is a JSON array; jq -c '.[]' FILE writes it as JSON lines")
	// An object over several lines, not the columns that its first line lacks.
	says(t, must(t, 3, boostWith(t, "{\"x\":1,\n\"city\":\"Oslo\"}\n", "predict", "t.boost", "-")).errors, "standard input:1: a key in quotes was expected before the end of the line")
	says(t, must(t, 3, boostWith(t, "{\"x\":1}\n", "predict", "t.boost", "-")).errors, `lacks column "city"`)
	// Some are known, or there is one row.
	head, rest, _ := strings.Cut(lower, "\n")
	first, _, _ := strings.Cut(rest, "\n")
	file(t, "some.csv", table(90)+rest)
	file(t, "one.csv", head+"\n"+first+"\n")
	for _, name := range []string{"some.csv", "one.csv"} {
		must(t, 0, boost(t, "predict", "t.boost", name))
	}
}
