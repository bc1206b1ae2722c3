package configs_test

import (
	"slices"
	"testing"
)

// Ranks may have files, threads and layouts of their own, and nothing else.
func TestOfAllRanks(t *testing.T) {
	one, _ := mustRead(t, "[data]\ntrain = \"t.csv\"\n")
	for set, want := range map[string]string{
		"data.train=u.csv": "", "data.test=u.csv": "", "data.out_of_core=true": "", "train.threads=3": "", "binning.layout=row": "",
		"output.model=m.boost": "", "output.checkpoint=folder": "", "quantize.output=q.boost": "",
		"data.valid=u.csv": "of 1 files", "data.missing=-": `["-"]`, "tree.leaves=15": "15", "train.time_limit=10s": `"10s"`, "train.objective=poisson": `"poisson"`,
		"train.init_model=m.boost": "given", "quantize.max_loss=0.01": "0.01", "gradients.l2_bytes=1MiB": "1048576", "metrics.every=5": "5",
	} {
		other, _ := mustRead(t, "[data]\ntrain = \"t.csv\"\n", set)
		all := other.OfAllRanks()
		var differ []string
		for name, value := range one.OfAllRanks() {
			if all[name] != value {
				differ = append(differ, all[name])
			}
		}
		if expected := slices.DeleteFunc([]string{want}, func(s string) bool { return s == "" }); !slices.Equal(differ, expected) {
			t.Errorf("%s: values %q differ, want %q (of %d keys)", set, differ, want, len(all))
		}
	}
}
