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
	for _, form := range ptq.Forms() {
		t.Run("S4.41/"+form.String(), func(t *testing.T) {
			flag := "--dtype"
			if _, typed := form.DType(); !typed && form != ptq.FormQ4_0 {
				flag = "--tiers"
			}
			must(t, 0, boost(t, "quantize", "c.boost", "-o", "q.boost", flag, form.String()))
			back(t, "q.boost")
		})
	}
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
		{4, "convert other.json x.boost", "boost_model"},
		{4, "convert t.csv x.boost", "not a boost model"},
	} {
		says(t, must(t, c.code, boost(t, strings.Fields(c.args)...)).errors, c.says)
	}
}
