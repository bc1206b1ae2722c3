package dataset_test

import (
	"testing"

	"boost/dataset"
)

// What is read from these bytes, by hand. Where a change of the program makes it
// another table, ReaderVersion goes up and the new table takes the place of the old one.
func TestReaderVersion(t *testing.T) {
	const version = 4
	if dataset.ReaderVersion != version {
		t.Fatalf("the tables below are those of version %d, not %d", version, dataset.ReaderVersion)
	}
	for text, want := range map[string]string{
		"n,day,c,m,q,y\n1,1970-01-02,red,NA,\"a, \"\"b\"\"\",1\n+.5,2024-02-29,,?,x,0\r\n-1e3,1970-01-01,green,3,\"\",1\n":
		// 2024-02-29 is day 19,782, of 86,400 s
		`n(feature) 1 0.5 -1000; day(feature) 86400 1.7091648e+09 0; c(feature) red  green; m(feature) NaN NaN 3; q(feature) a, "b" x ; y(feature) 1 0 1`,
		"p,q\nx, y \n\" x\",\tz z\n": `p(feature) x  x; q(feature) y z z`,
		"1;0,5\n2;\n":                `c1(feature) 1 2; c2(feature) 0,5 `,
		"1 1:5 3:2\n0 2:6\n":         `label(label) 1 0; f1(feature) 5 0; f2(feature) 0 6; f3(feature) 2 0`,
	} {
		if got := written(readText(t, text)); got != want {
			t.Errorf("%q is read as\n%s\nwant\n%s", text, got, want)
		}
	}
	levels := written(readText(t, "b,d,t\nTrue,1970-01-02,1\nfalse,1970-01-02T00:00Z,a\n", dataset.Categorical("b", "d", "t")))
	if want := "b(feature) 1 0; d(feature) 86400 86400; t(feature) 1 a"; levels != want {
		t.Errorf("levels %s, want %s", levels, want)
	}
}
