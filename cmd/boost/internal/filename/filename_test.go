package filename

import (
	"path/filepath"
	"strings"
	"testing"
)

func TestStem(t *testing.T) {
	for file, want := range map[string]string{
		"data/train.csv.gz": "train", "a.tsv": "a", "x.v1.csv": "x.v1", "-": "model", "part-*.csv": "model", ".csv": ".csv", "run.toml": "run", "plain": "plain",
	} {
		if got := Stem(file); got != want {
			t.Errorf("Stem(%q) = %q, want %q", file, got, want)
		}
	}
}

// The name that is advised is the one given, in its own letters, with another ending.
func TestRefuseName(t *testing.T) {
	for file, want := range map[string]string{
		"out/Price.CSV.gz": "name it out/Price.boost",
		"m.parquet":        "name it m.boost",
		"a b/m.JSON":       "name it a b/m.boost here, then boost convert 'a b/m.boost' 'a b/m.JSON'",
		".csv":             "name it .csv.boost",
		"price.boost":      "",
		"csv":              "",
		"table.csv.boost":  "",
	} {
		got := ""
		if err := RefuseName(filepath.FromSlash(file)); err != nil {
			got = filepath.ToSlash(err.Error())
		}
		if (got == "") != (want == "") || !strings.HasSuffix(got, want) {
			t.Errorf("%s: %q, want %q", file, got, want)
		}
	}
}
