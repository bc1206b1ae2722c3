package format

import (
	"math"
	"strings"
	"testing"
)

func TestFormat(t *testing.T) {
	for want, got := range map[string]string{
		"0": Count(0), "999": Count(999), "1,000": Count(1000), "1,234,567": Count(1234567), "-1,234": Count(-1234), "-123": Count(-123),
		"1 row": Counted(1, "row"), "2,000 rows": Counted(2000, "row"), "0 rows": Counted(0, "row"),
		"0.276229": Metric(0.2762291), "undefined": Metric(math.NaN()), "1484705": Metric(1484705), "12.5": Metric(12.5),
		"0.2762": People(0.2762291), "0 of rounding": People(-4.6e-14) + " of rounding", "1.2e-08": People(1.2e-8), "1,484,705": People(1484705.4), "12.35": People(12.345678), "999.9": People(999.91), "-1,235": People(-1234.5001),
		"0.000362": Significant(3.62e-4, 3), "0.000361813": Metric(3.6181305e-4), "0.03457": People(0.034567), "0.1": Significant(0.09996, 3), "0.01": Metric(0.01), "-0.00041": Significant(-4.1e-4, 3), "0 exactly": Metric(0) + " exactly",
		"+0.000 %": Share(0), "+0.001 %": Share(5e-6), "-0.0004 %": Share(-4.1e-6), "+2e-07 %": Share(2e-9), "unknown": Share(math.NaN()),
		"1e-05": Metric(1e-5), "1.7e+308": Metric(1.7e308), "+Inf": Metric(math.Inf(1)), "-38.5816": Metric(-38.58164),
		"999 B": Bytes(999), "1 KB": Bytes(1000), "170 KB": Bytes(170234), "26.1 MB": Bytes(26_112_000), "1 MB": Bytes(999_900),
		"41.3 ms": Seconds(0.0413), "2.05 s": Seconds(2.05), "1m31s": Seconds(91),
		"< 0.1 %": Percent(1, 100000), "5.6 %": Percent(1836, 32561), "99.9 %": Percent(9999, 10000),
		"a…": Shorten("abc", 2), "abc": Shorten("abc", 3),
		`a\x1b[2Jb` + "\n": Printable("a\x1b[2Jb\n"), `é\x9b`: Printable("é\u009b"), `"\u009b"`: OneLine("\u009b"),
		"plain": OneLine("plain"), `"a\nb"`: OneLine("a\nb"),
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	var b strings.Builder
	if err := Table(&b, [][]string{{"é", "1"}, {"abc", "22"}, {"x", ""}}, "lr"); err != nil || b.String() != "é     1\nabc  22\nx\n" {
		t.Errorf("table is %q, %v", b.String(), err)
	}
}
