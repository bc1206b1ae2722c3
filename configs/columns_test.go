package configs_test

import (
	"reflect"
	"strings"
	"testing"

	"boost/configs"
)

// Keys that hold a table by column.
func TestTablesByColumn(t *testing.T) {
	wantCuts := map[string][]float64{"age": {18, 65.5}, "a b": {-1e300}}
	wantBins := map[string]int{"age": 64}
	for name, document := range map[string]string{
		"inline":    "[binning]\nforced_cuts = {age = [18, 65.5], \"a b\" = [-1e300]}\nmax_bin_by_feature = {age = 64}\n",
		"table":     "[binning.forced_cuts]\nage = [18, 65.5]\n\"a b\" = [-1e300]\n[binning.max_bin_by_feature]\nage = 64\n",
		"dotted":    "[binning]\nforced_cuts.age = [18, 65.5]\nforced_cuts.\"a b\" = [-1e300]\nmax_bin_by_feature.age = 64\n",
		"two lines": "[binning]\nforced_cuts = {age = [\n18,\n65.5], \"a b\" = [-1e300]}\nmax_bin_by_feature = {age = 64}\n",
	} {
		c, _ := mustRead(t, document)
		if b := c.Params.Binning; !reflect.DeepEqual(b.ForcedCuts, wantCuts) || !reflect.DeepEqual(b.MaxBinByFeature, wantBins) {
			t.Errorf("%s: %v and %v", name, b.ForcedCuts, b.MaxBinByFeature)
		}
	}
	t.Run("set", func(t *testing.T) {
		c, _ := mustRead(t, "[binning]\nforced_cuts = {b = [1]}\nmax_bin_by_feature = {b = 3}\n",
			`binning.forced_cuts={age = [18, 65.5], "a b" = [-1e300]}`, "binning.max_bin_by_feature={}")
		if b := c.Params.Binning; !reflect.DeepEqual(b.ForcedCuts, wantCuts) || b.MaxBinByFeature != nil {
			t.Errorf("%v and %v", b.ForcedCuts, b.MaxBinByFeature)
		}
	})
	t.Run("written_out", func(t *testing.T) {
		c, _ := mustRead(t, "[binning]\nforced_cuts = {b = [1, 2.5], a = []}\nmax_bin_by_feature = {z = 3, \"y \\\"\" = 4}\n")
		toml := string((&configs.Starter{Config: c}).TOML())
		for _, want := range []string{`forced_cuts = {"a" = [], "b" = [1.0, 2.5]}`, `max_bin_by_feature = {"y \"" = 4, "z" = 3}`} {
			if !strings.Contains(toml, want+"\n") {
				t.Errorf("the written config lacks %s:\n%s", want, toml)
			}
		}
		again, _ := mustRead(t, toml)
		if !reflect.DeepEqual(again.Params, c.Params) {
			t.Errorf("read back: %+v", again.Params.Binning)
		}
	})
	for set, want := range map[string]string{
		"binning.forced_cuts=[1, 2]":               "binning.forced_cuts must be a table of lists of numbers by column like {age = [18, 65]}, not a list",
		"binning.forced_cuts=age":                  "binning.forced_cuts must be a table of lists of numbers by column like {age = [18, 65]}",
		"binning.forced_cuts={a = 1}":              `binning.forced_cuts of column "a" must be a list of numbers like [0.5, 2], not 1`,
		"binning.forced_cuts={a = [1, 'x']}":       `binning.forced_cuts of column "a" must be a list of numbers, and "x" in it is none`,
		"binning.forced_cuts={a = [1.0, inf]}":     `binning.forced_cuts of column "a" must hold finite numbers, not +Inf`,
		"binning.max_bin_by_feature={b = 2.5}":     `binning.max_bin_by_feature of column "b" must be an integer, not 2.5`,
		"binning.max_bin_by_feature={b=7, a=1}":    `binning.max_bin_by_feature must be 2 … 16,777,216, not 1 as for column "a"`,
		"max_bin_by_feature=[10, 20]":              "must be a table of integers by column like {age = 64}, not a list: each column by its name",
		"monotone_constraints=[1, -1]":             "must be a table of integers by column like {age = 1}, not a list: each column by its name",
		"monotone_constraints=(1,-1)":              `like {age = 1}, not "(1,-1)": each column by its name`,
		"binning.forced_cuts={a = [1]}\nx = 1":     "binning.forced_cuts must be a table of lists of numbers",
		"binning.forced_cuts={a = [1]}\n[other]\n": "binning.forced_cuts must be a table of lists of numbers",
	} {
		if _, _, err := read(t, "", set); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("--set %s: error %v, want %q", set, err, want)
		}
	}
	t.Run("file_and_table", func(t *testing.T) {
		_, _, err := read(t, "", "binning.forced_cuts={a = [1]}", "forcedbins_filename=f.json")
		if want := "binning.forced_cuts and binning.forced_cuts_file are both set"; err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	})
}
