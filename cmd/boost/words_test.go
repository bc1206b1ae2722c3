package main

import (
	"math"
	"strings"
	"testing"
)

func TestWords(t *testing.T) {
	for want, got := range map[string]string{
		"0": count(0), "999": count(999), "1,000": count(1000), "1,234,567": count(1234567), "-1,234": count(-1234), "-123": count(-123),
		"1 row": counted(1, "row"), "2,000 rows": counted(2000, "row"), "0 rows": counted(0, "row"),
		"0.276229": metricText(0.2762291), "undefined": metricText(math.NaN()), "1484705": metricText(1484705), "12.5": metricText(12.5),
		"1e-05": metricText(1e-5), "1.7e+308": metricText(1.7e308), "+Inf": metricText(math.Inf(1)), "-38.5816": metricText(-38.58164),
		"999 B": bytesText(999), "1 KB": bytesText(1000), "170 KB": bytesText(170234), "26.1 MB": bytesText(26_112_000), "1 MB": bytesText(999_900),
		"41.3 ms": secondsText(0.0413), "2.05 s": secondsText(2.05), "1m31s": secondsText(91),
		"< 0.1 %": percent(1, 100000), "5.6 %": percent(1836, 32561), "99.9 %": percent(9999, 10000),
		"a…": shorten("abc", 2), "abc": shorten("abc", 3),
		`a\x1b[2Jb` + "\n": printable("a\x1b[2Jb\n"), `é\x9b`: printable("é\u009b"), `"\u009b"`: oneLine("\u009b"),
		"plain": oneLine("plain"), `"a\nb"`: oneLine("a\nb"),
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	var b strings.Builder
	if err := writeTable(&b, [][]string{{"é", "1"}, {"abc", "22"}, {"x", ""}}, "lr"); err != nil || b.String() != "é     1\nabc  22\nx\n" {
		t.Errorf("table is %q, %v", b.String(), err)
	}
}

func TestStem(t *testing.T) {
	for file, want := range map[string]string{
		"data/train.csv.gz": "train", "a.tsv": "a", "x.v1.csv": "x.v1", "-": "model", "part-*.csv": "model", ".csv": ".csv", "run.toml": "run", "plain": "plain",
	} {
		if got := stem(file); got != want {
			t.Errorf("stem(%q) = %q, want %q", file, got, want)
		}
	}
}
