package filename

import "testing"

func TestStem(t *testing.T) {
	for file, want := range map[string]string{
		"data/train.csv.gz": "train", "a.tsv": "a", "x.v1.csv": "x.v1", "-": "model", "part-*.csv": "model", ".csv": ".csv", "run.toml": "run", "plain": "plain",
	} {
		if got := Stem(file); got != want {
			t.Errorf("Stem(%q) = %q, want %q", file, got, want)
		}
	}
}
