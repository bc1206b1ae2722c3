package main

import (
	"strconv"
	"strings"
	"testing"
)

// Cuts that a config forces are in the model, however they are written; what does not
// fit the table is said.
func TestForcedCuts(t *testing.T) {
	inFolder(t)
	rows := []string{"a,b,k,y"}
	for i := range 200 {
		rows = append(rows, strings.Join([]string{strconv.Itoa(i%100) + ".5", strconv.Itoa(i * 7 % 100), "u", strconv.Itoa(i % 3)}, ","))
	}
	file(t, "t.csv", strings.Join(rows, "\n")+"\n")
	file(t, "forced.json", `[{"feature": 1, "bin_upper_bound": [50, 7.25]}, {"feature": 0, "bin_upper_bound": [0.1]}]`)
	file(t, "run.toml", "[data]\ntrain = \"t.csv\"\nlabel = \"y\"\n[train]\nrounds = 3\neffort = \"default\"\n[binning]\nmax_bin = 9\nforced_cuts = {b = [7.25, 50], a = [0.1]}\n")
	args := []string{"train", "t.csv", "--label", "y", "--json", "--set", "train.rounds=3", "--set", "binning.max_bin=9"}
	want := trained(t, must(t, 0, boost(t, append(args, "--set", "binning.forced_cuts={a = [0.1], b = [7.25, 50]}", "-o", "a.boost")...)))
	for name, other := range map[string][]string{
		"order": append(args, "--set", "binning.forced_cuts={b = [7.25, 50.0], a = [0.1]}", "-o", "b.boost"),
		"file":  append(args, "--set", "forcedbins_filename=forced.json", "-o", "c.boost"),
		"toml":  {"train", "run.toml", "--json", "-o", "d.boost"},
	} {
		if got := trained(t, must(t, 0, boost(t, other...))); got.SHA256 != want.SHA256 {
			t.Errorf("%s: sha256 %s, want %s", name, got.SHA256, want.SHA256)
		}
	}
	if plain := trained(t, must(t, 0, boost(t, append(args, "-o", "e.boost")...))); plain.SHA256 == want.SHA256 {
		t.Error("the model is that without forced cuts")
	}
	must(t, 0, boost(t, "reproduce", "a.boost", "t.csv"))

	for set, says := range map[string]struct {
		code int
		text string
	}{
		"binning.forced_cuts={bb = [1]}":              {3, `the table has no feature column "bb", which binning.forced_cuts names (did you mean`},
		"binning.forced_cuts={k = [1]}":               {2, `column "k", which is categorical`},
		"binning.forced_cuts={b = [2, 1]}":            {2, `column "b": 1 does not ascend after 2`},
		"binning.max_bin_by_feature={b = 1}":          {2, "binning.max_bin_by_feature must be 2"},
		"binning.forced_cuts_file=absent.json":        {2, "absent.json"},
		"binning.forced_cuts_file=run.toml":           {2, "run.toml: "},
		"binning.forced_cuts={b=[1,2,3,4,5,6,7,8,9]}": {2, `column "b" has 9 cuts, its max_bin = 9 allows 8`},
	} {
		r := must(t, says.code, boost(t, append(args, "--set", set, "-o", "x.boost")...))
		if !strings.Contains(r.errors, says.text) {
			t.Errorf("%s: %q is missing in:\n%s", set, says.text, r.errors)
		}
	}
}
