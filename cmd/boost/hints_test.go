package main

import (
	"regexp"
	"slices"
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
		a := &app{command: c.command}
		if got := a.hint(c.text); !strings.HasPrefix(got, strings.TrimSuffix(c.want, `, or add "forty" to missing`)) {
			t.Errorf("%s: %s\ngot  %s\nwant %s", c.command, c.text, got, c.want)
		}
		a.hasConfig = true
		if got := a.hint(c.text); got != c.text {
			t.Errorf("with a config: got %s, want %s", got, c.text)
		}
	}
	if got := (&app{command: "train"}).hint(`add "?" to missing = […] if it means no value`); got != `give --set 'data.missing=?' if it means no value` {
		t.Errorf("got %s", got)
	}
}

// flagsIn finds the flags that a message says to type.
var flagsIn = regexp.MustCompile(`(--[a-z-]+) ((?:'[^']*'|\\'|=,|[^\s'),;])+)`)

// advice returns the flags of a message, as a shell would hand them over.
func advice(text string) (flags [][]string) {
	for _, found := range flagsIn.FindAllStringSubmatch(text, -1) {
		value := strings.ReplaceAll(strings.ReplaceAll(found[2], `'\''`, "\x00"), "'", "")
		flags = append(flags, []string{found[1], strings.ReplaceAll(value, "\x00", "'")})
	}
	return flags
}

// follow runs a command, then with each piece of advice that its error gives, until nothing is wrong.
// errors are those before.
func follow(t *testing.T, args []string, errors ...string) {
	t.Helper()
	r := boost(t, args...)
	if r.code == 0 {
		return
	}
	flags := advice(r.errors)
	if len(flags) == 0 || len(errors) == 3 || slices.Contains(errors, r.errors) {
		t.Errorf("%q ends with exit code %d after the advice of\n%s\nthe last one is\n%s", args, r.code, strings.Join(errors, ""), r.errors)
		return
	}
	for _, f := range flags {
		key, _, isSet := strings.Cut(f[1], "=")
		next := slices.Clone(args)
		for i := len(next) - 2; i >= 0; i-- { // another value of a flag takes its place
			if next[i] == f[0] && (!isSet || strings.HasPrefix(next[i+1], key+"=")) {
				next = slices.Delete(next, i, i+2)
			}
		}
		follow(t, append(next, f...), append(slices.Clone(errors), r.errors)...)
	}
}

// Following the advice of an error never makes the next error: each piece of advice, applied to the
// command line as it is printed, lets the run go further.
func TestAdvice(t *testing.T) {
	inFolder(t)
	rows := func(head, usual string, odd ...string) string {
		return head + "\n" + strings.Repeat(usual+"\n", 60) + strings.Join(odd, "\n") + "\n"
	}
	file(t, "good.csv", rows("x,city,y", "1,Oslo,3", "2,Rome,4", "5,Kyiv,3.5"))
	must(t, 0, boost(t, "train", "good.csv", "--label", "y", "-q", "--rounds", "2", "--set", "early_stopping=0", "-o", "good.boost"))
	for _, c := range []struct{ name, content, args string }{
		{"mixed.csv", rows("x,y", "1,2", "forty,3", "2,5"), "train FILE --label y"},
		{"name.csv", rows("x of it,y", "1,2", "for't y,3", "2,5"), "train FILE --label y"},
		{"latin1.csv", rows("x,y", "a,2", "caf\xe9,3", "b,4"), "train FILE --label y"},
		{"latin1_name.csv", rows("x\xe9,y", "1,2", "2,3"), "train FILE --label y"},
		{"ragged.csv", rows("x,y", "1,2", "1,2,3", "2,3"), "train FILE --label y"},
		{"quote.csv", rows("x,y", "1,2", "\"a\"b,3", "2,3"), "train FILE --label y"},
		{"no_label.csv", rows("x,y", "1,2", "3,", "2,3"), "train FILE --label y"},
		{"label_text.csv", rows("x,y", "1,2", "3,many", "2,3"), "train FILE --label y"},
		{"classes.csv", rows("x,y", "1,1", "2,2", "3,3"), "train FILE --label y --objective binary"},
		{"predict.csv", rows("x,city,y", "1,Oslo,3", "much,Rome,4"), "predict good.boost FILE"},
		{"comma.csv", rows("x;city;y", "1,5;Oslo;3", "2,5;Rome;4"), "predict good.boost FILE"},
		{"eval.csv", rows("x,city,y", "1,Oslo,3", "much,Rome,4"), "eval good.boost FILE"},
		{"predict_latin1.csv", rows("x,city,y", "1,Oslo,3", "1,Malm\xf6,4"), "predict good.boost FILE"},
		{"index.svm", "1 0:1 1:2\n2 0:3 1:1\n", "train FILE --set data.index_base=1"},
	} {
		file(t, c.name, c.content)
		args := strings.Fields(strings.ReplaceAll(c.args, "FILE", c.name))
		if args[0] == "train" {
			args = append(args, "-o", "new.boost", "--rounds", "2")
		}
		if r := boost(t, args...); r.code == 0 {
			t.Errorf("%s: no error", c.name)
		}
		follow(t, args)
	}
}

// All columns of which something is wrong are reported by one run, each with what to do.
func TestProblemsTogether(t *testing.T) {
	inFolder(t)
	file(t, "t.csv", "a,b,y\n"+strings.Repeat("1,2,3\n4,5,6\n", 30)+"x,2,3\n1,z,3\n1,2,\n")
	r := must(t, 3, boost(t, "train", "t.csv", "--label", "y"))
	says(t, r.errors, `t.csv:62: column "a": "x" is not a number`, `--categorical a`, `t.csv:63: column "b": "z" is not a number`, "--categorical b",
		`t.csv:64: column "y": the cell is empty, expected a label`, "--set data.on_bad_row=skip")
	must(t, 0, boost(t, "train", "t.csv", "--label", "y", "-q", "--rounds", "2", "--categorical", "a", "--categorical", "b", "--set", "data.on_bad_row=skip"))
}
