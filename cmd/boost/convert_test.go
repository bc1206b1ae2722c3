package main

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"boost/ptq"
)

// There and back, for full models and for every form of leaf values.
func TestConvert(t *testing.T) {
	models(t)
	back := func(t *testing.T, file string) {
		t.Helper()
		must(t, 0, boost(t, "convert", file, "m.json"))
		must(t, 0, boost(t, "convert", "m.json", "again.boost"))
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile("again.boost"); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s came back as other bytes (%v)", file, err)
		}
	}
	for _, name := range []string{"y", "b", "c"} {
		t.Run("S4.41/"+name, func(t *testing.T) { back(t, name+".boost") })
	}
	t.Run("JSON as the model of other commands", func(t *testing.T) {
		must(t, 0, boost(t, "convert", "b.boost", "m.json"))
		want, got := must(t, 0, boost(t, "predict", "b.boost", "t.csv")), must(t, 0, boost(t, "predict", "m.json", "t.csv"))
		if got.out != want.out || got.out == "" {
			t.Errorf("predictions of the model in JSON are %q, want %q", got.out, want.out)
		}
		if r := must(t, 0, boost(t, "inspect", "m.json")); !strings.Contains(r.out, "objective") {
			t.Errorf("inspect printed %q", r.out)
		}
		for args, says := range map[string]string{
			"predict t.csv m.json":                "m.json is a model, and t.csv is not: give the model first",
			"predict m.json t.csv --load compact": "m.json is a full one",
			"train m.json --label y":              "m.json is a model: expected a table",
		} {
			if r := boost(t, strings.Fields(args)...); r.code == 0 || !strings.Contains(r.errors, says) {
				t.Errorf("%s: exit %d, %q, want %q", args, r.code, r.errors, says)
			}
		}
	})
	for _, form := range ptq.Forms() {
		t.Run("S4.41/"+form.String(), func(t *testing.T) {
			flag := "--dtype"
			if _, typed := form.DType(); !typed && form != ptq.FormQ4_0 {
				flag = "--tiers"
			}
			must(t, 0, boost(t, "quantize", "c.boost", "-o", "q.boost", flag, form.String()))
			back(t, "q.boost")
			_, want, _ := strings.Cut(must(t, 0, boost(t, "inspect", "q.boost")).out, "loaded fast, ")
			if _, got, _ := strings.Cut(must(t, 0, boost(t, "inspect", "m.json")).out, "loaded fast, "); got != want || want == "" {
				t.Errorf("inspect prints of the model in JSON\n%s\nwant\n%s", got, want)
			}
		})
	}
	// What is advised works: another name, and a model file in the place of JSON.
	must(t, 0, boost(t, "convert", "q.boost", "m.json"))
	if r := must(t, 2, boost(t, "convert", "m.json", "m.json")); !strings.HasSuffix(r.errors, "give another name\n") {
		t.Errorf("advice is %q", r.errors)
	}
	_, advised, _ := strings.Cut(must(t, 2, boost(t, "predict", "m.json", "t.csv", "--load", "compact")).errors, "m.json is in JSON: leave the flag out, or write a model file from it: boost ")
	must(t, 0, boost(t, strings.Fields(advised)...))
	must(t, 0, boost(t, "predict", "m.boost", "t.csv", "--load", "compact"))
	file(t, "other.json", `{"learner": {}}`)
	for _, c := range []struct {
		code int
		args string
		says string
	}{
		{2, "convert y.boost y.txt", "expected a name that ends in .boost or .json"},
		{2, "convert y.boost y.boost", "is read"},
		{2, "convert y.boost", "OUT is missing"},
		{4, "convert none.boost x.json", "none.boost"},
		{4, "convert other.json x.boost", "it looks like an XGBoost model in JSON"},
		{4, "convert t.csv x.boost", "not a boost model"},
	} {
		says(t, must(t, c.code, boost(t, strings.Fields(c.args)...)).errors, c.says)
	}
}
