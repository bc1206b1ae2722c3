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
		"monotone_constraints=[1, 2]":              `constraints.monotone must be -1 … 1, not 2 as for column "#1"`,
		"monotone_constraints=(up,down)":           `like {age = 1}, not "(up,down)": each column by its name`,
		"constraints.first_level=[1, 2]":           "must be a table of integers by column like {age = 64}, not a list: each column by its name",
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

// Lists of the peers are by the number of the feature, in all their spellings.
func TestListsByNumber(t *testing.T) {
	up := map[string]int{"#0": 1, "#1": 0, "#2": -1}
	for _, document := range []string{
		"monotone_constraints = [1, 0, -1]", "monotone_constraints = \"1,0,-1\"", "monotone_constraints = \"(1, 0, -1)\"", "[constraints]\nmonotonic_cst = [1, 0, -1]",
	} {
		if c, _ := mustRead(t, document); !reflect.DeepEqual(c.Params.Tree.Monotone, up) {
			t.Errorf("%s: %v", document, c.Params.Tree.Monotone)
		}
	}
	for _, set := range []string{"mc=[1, 0, -1]", "monotone_constraints=(1,0,-1)", "monotone_constraints=1,0,-1", "constraints.monotone=\"1,0,-1\""} {
		if c, _ := mustRead(t, "", set); !reflect.DeepEqual(c.Params.Tree.Monotone, up) {
			t.Errorf("--set %s: %v", set, c.Params.Tree.Monotone)
		}
	}
	c, _ := mustRead(t, "", "feature_contri=0.5,1", "cegb_penalty_feature_lazy=[1, 2.5]", "cegb_penalty_feature_coupled=3,.5", "sampling.col_weights=[1, 2]")
	two := func(a, b float64) map[string]float64 { return map[string]float64{"#0": a, "#1": b} }
	tree := c.Params.Tree
	for name, pair := range map[string][2]map[string]float64{
		"feature_contri": {tree.FeaturePenalty, two(0.5, 1)}, "cegb_penalty_feature_lazy": {tree.FeatureRowCost, two(1, 2.5)},
		"cegb_penalty_feature_coupled": {tree.FeatureCost, two(3, 0.5)}, "sampling.col_weights": {tree.ColWeights, two(1, 2)},
	} {
		if !reflect.DeepEqual(pair[0], pair[1]) {
			t.Errorf("%s: %v, want %v", name, pair[0], pair[1])
		}
	}
	groups := [][]string{{"#0", "#2"}, {"#1"}}
	for _, set := range []string{"interaction_constraints=[[0, 2], [1]]", "interaction_constraints=[0,2],[1]", "interaction_cst=[[0,2],[1]]", "interaction_constraints=\"[[0, 2], [1]]\""} {
		if c, _ := mustRead(t, "", set); !reflect.DeepEqual(c.Params.Tree.Interaction, groups) {
			t.Errorf("--set %s: %v", set, c.Params.Tree.Interaction)
		}
	}
}
