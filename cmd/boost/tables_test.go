package main

import "testing"

func TestStem(t *testing.T) {
	for file, want := range map[string]string{
		"data/train.csv.gz": "train", "a.tsv": "a", "x.v1.csv": "x.v1", "-": "model", "part-*.csv": "model", ".csv": ".csv", "run.toml": "run", "plain": "plain",
	} {
		if got := stem(file); got != want {
			t.Errorf("stem(%q) = %q, want %q", file, got, want)
		}
	}
}
