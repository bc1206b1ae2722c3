package main

import "testing"

// A preset is said with the values that stand, and the model keeps these: those given on
// the command line, and what training from a table starts from, stay.
func TestPreset(t *testing.T) {
	inFolder(t)
	file(t, "t.csv", table(300))
	file(t, "c.toml", "[data]\ntrain = \"t.csv\"\nlabel = \"b\"\n[train]\npreset = \"fast\"\n")
	r := must(t, 0, boost(t, "train", "c.toml", "-o", "m.boost", "--set", "train.learning_rate=0.3"))
	says(t, r.errors, `preset "fast": train.rounds = 50, train.gradients = "i8"`)
	out := must(t, 0, boost(t, "inspect", "m.boost", "--json")).out
	says(t, out, `"train.gradients": "i8"`, `"train.learning_rate": 0.3`, `"train.rounds": 50`)
	r = must(t, 0, boost(t, "train", "t.csv", "--label", "b", "-o", "n.boost", "--set", "train.preset=fast"))
	says(t, r.errors, `preset "fast": train.learning_rate = 0.2, train.gradients = "i8"`)
	says(t, must(t, 0, boost(t, "inspect", "n.boost", "--json")).out, `"train.rounds": 1000`)
	says(t, must(t, 2, boost(t, "train", "t.csv", "--label", "b", "--set", "train.preset=slow")).errors, `train.preset must be "" or "fast", not "slow"`)
}
