package main

import (
	"archive/zip"
	"boost/cmd/boost/internal/keyflags"
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// flagsIn finds the flags that a message says to type.
var flagsIn = regexp.MustCompile(`(--[a-z-]+) ((?:'[^']*'|\\'|=,|[^\s'),;])+)`)

// advice returns what a message says to type, as a shell would hand it over: flags, or those that it
// joins by "and".
func advice(text string) (ways [][]string) {
	for _, found := range flagsIn.FindAllStringSubmatchIndex(text, -1) {
		value := strings.ReplaceAll(strings.ReplaceAll(text[found[4]:found[5]], `'\''`, "\x00"), "'", "")
		flags := []string{text[found[2]:found[3]], strings.ReplaceAll(value, "\x00", "'")}
		if last := len(ways) - 1; last >= 0 && strings.HasSuffix(text[:found[0]], " and ") {
			ways[last] = append(ways[last], flags...)
		} else {
			ways = append(ways, flags)
		}
	}
	return ways
}

// walk is a walk from advice to advice. said has all that was printed on the way.
type walk struct {
	*testing.T
	said strings.Builder
}

// follow runs a command, then with each piece of advice that its error or its notes give, until nothing is
// wrong and the notes that advise something are gone. before are the errors and the notes so far.
func (w *walk) follow(stdin string, args []string, before ...string) {
	w.Helper()
	r := boostWith(w.T, stdin, args...)
	w.said.WriteString(r.errors + r.out)
	texts := strings.Split(strings.TrimSpace(r.errors), "\n")
	if at := strings.Index(r.errors, "error: "); r.code != 0 {
		texts = []string{r.errors[at:]}
	}
	for _, text := range texts {
		ways := advice(text)
		switch {
		case len(ways) == 0 && r.code == 0:
			continue
		case len(ways) == 0 || len(before) == 3 || slices.Contains(before, text):
			w.Errorf("%q ends with exit code %d after the advice of\n%s\nthe last one is\n%s", args, r.code, strings.Join(before, "\n"), text)
			continue
		}
		for _, flags := range ways {
			next := slices.Clone(args)
			for f := 0; f < len(flags); f += 2 {
				key, _, isSet := strings.Cut(flags[f+1], "=")
				for i := len(next) - 2; i >= 0; i-- { // another value of a flag takes its place
					if next[i] == flags[f] && (!isSet || strings.HasPrefix(next[i+1], key+"=")) {
						next = slices.Delete(next, i, i+2)
					}
				}
			}
			w.follow(stdin, append(next, flags...), append(slices.Clone(before), text)...)
		}
	}
}

// titledWorkbook returns a workbook of Excel with a title in row 1 and columns x and y from row 3 on.
func titledWorkbook(t *testing.T) string {
	t.Helper()
	cells := `<row r="1"><c t="inlineStr"><is><t>Of 2025</t></is></c></row><row r="3"><c t="inlineStr"><is><t>x</t></is></c><c t="inlineStr"><is><t>y</t></is></c></row>`
	for i := range 60 {
		cells += fmt.Sprintf("<row><c><v>%d</v></c><c><v>%d</v></c></row>", i%7, i%5)
	}
	var b strings.Builder
	w := zip.NewWriter(&b)
	for _, part := range [][2]string{
		{"_rels/.rels", `<Relationships><Relationship Id="a" Type="x/officeDocument" Target="xl/workbook.xml"/></Relationships>`},
		{"xl/workbook.xml", `<workbook xmlns:r="x"><sheets><sheet name="S" sheetId="1" r:id="b"/></sheets></workbook>`},
		{"xl/_rels/workbook.xml.rels", `<Relationships><Relationship Id="b" Type="x/worksheet" Target="/xl/s.xml"/></Relationships>`},
		{"xl/s.xml", `<worksheet><sheetData>` + cells + `</sheetData></worksheet>`},
	} {
		f, err := w.Create(part[0])
		if err == nil {
			_, err = f.Write([]byte(part[1]))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// Following the advice of an error or a note never makes the next error: each piece of advice, applied to
// the command line as it is printed, lets the run go further. All advice in the sources is on the way.
func TestAdvice(t *testing.T) {
	interop, err := filepath.Abs("../../dataset/testdata/interop")
	if err != nil {
		t.Fatal(err)
	}
	literals := adviceOfSources(t)
	inFolder(t)
	rows := func(head, usual string, odd ...string) string {
		return head + "\n" + strings.Repeat(usual+"\n", 60) + strings.Join(odd, "\n") + "\n"
	}
	numbered := func(head string, n int, line func(i int) string) string {
		var b strings.Builder
		b.WriteString(head + "\n")
		for i := range n {
			b.WriteString(line(i) + "\n")
		}
		return b.String()
	}
	file(t, "good.csv", rows("x,city,y", "1,Oslo,3", "2,Rome,4", "5,Kyiv,3.5"))
	must(t, 0, boost(t, "train", "good.csv", "--label", "y", "-q", "--rounds", "2", "--set", "train.early_stopping=0", "-o", "good.boost"))
	must(t, 0, boost(t, "predict", "good.boost", "good.csv", "--pass-through", "-o", "wide.parquet"))
	file(t, "one_side.csv.weight", strings.Repeat("1\n", 62))
	file(t, "no_side.csv", rows("x,y", "1,2", "2,3", "3,5"))
	for _, name := range []string{"short.csv.weight", "named.csv.weight", "skipped.csv.weight"} {
		file(t, name, strings.Repeat("1\n", map[string]int{"short.csv.weight": 1, "named.csv.weight": 62, "skipped.csv.weight": 63}[name]))
	}
	sparse := numbered("0 1:1", 300, func(i int) string {
		return fmt.Sprintf("%d %d:1 %d:2 %d:1", i%5, 1+i, 1000+7*i, 4000+13*i)
	})
	const regress = " --objective regression"
	w := &walk{T: t}
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
		{"texts.csv", rows("x,y", "1,a", "2,b", "3,c"), "train FILE --label y --objective binary"},
		{"names.csv", rows("x,y", "1,a", "2,b", "3,c"), "train FILE --label y" + regress},
		{"many_classes.csv", numbered("x,y", 10_001, func(i int) string { return fmt.Sprintf("%d,%d", i%7, i) }), "train FILE --label y --objective multiclass"},
		{"whole.csv", numbered("x,y", 90, func(i int) string { return fmt.Sprintf("%d,%d", i%7, i%5) }), "train FILE --label y"},
		{"mostly_whole.csv", numbered("x,y", 30, func(i int) string { return fmt.Sprintf("%d,%d", i%7, i*2/3) }), "train FILE --label y"},
		{"predict.csv", rows("x,city,y", "1,Oslo,3", "much,Rome,4"), "predict good.boost FILE"},
		{"comma.csv", rows("x;city;y", "1,5;Oslo;3", "2,5;Rome;4"), "predict good.boost FILE"},
		{"comma_train.csv", numbered("x;y", 90, func(i int) string { return fmt.Sprintf("%d,5;%d", i%7, i%3) }), "train FILE --label y" + regress},
		{"comma_weight.csv", numbered("x;w;y", 90, func(i int) string { return fmt.Sprintf("%d,5;%d,5;%d", i%7, i%2, i%3) }), "train FILE --label y --weight w" + regress},
		{"eval.csv", rows("x,city,y", "1,Oslo,3", "much,Rome,4"), "eval good.boost FILE"},
		{"predict_latin1.csv", rows("x,city,y", "1,Oslo,3", "1,Malm\xf6,4"), "predict good.boost FILE"},
		{"unseen.csv", rows("x,city,y", "1,oslo,3", "2,rome,4"), "predict good.boost FILE"},
		{"index.svm", "1 0:1 1:2\n2 0:3 1:1\n", "train FILE --set data.index_base=1"},
		{"unlabelled.svm", strings.Repeat("1 0:1 1:2\nnan 0:3 1:1\n", 30), "train FILE --set data.out_of_core=true --set data.on_bad_row=skip"},
		{"disguised.csv", numbered("x,y", 90, func(i int) string { return fmt.Sprintf("$%d,%d", i%7, i%3) }), "train FILE --label y" + regress},
		{"no_day.csv", numbered("x,z,y", 90, func(i int) string {
			return fmt.Sprintf("%s,%d,%d", []string{"2024-02-28", "2024-02-29", "2024-02-30"}[i%3], i%7, i%5)
		}), "train FILE --label y" + regress},
		{"short_dates.csv", rows("x,y", "03-Jan-24,1", "04-Jan-24,2", "05-Feb-24,3"), "train FILE --label y --set data.parse={x=\"date\"}" + regress},
		{"disguised_one_odd.csv", numbered("x,y", 90, func(i int) string {
			if i == 40 {
				return "many,2"
			}
			return fmt.Sprintf("$%d,%d", i%17, i%3)
		}), "train FILE --label y" + regress},
		{"disguised_odd.csv", rows("x,y", "$ 1,2", "$ 2,3", "many,3"), "train FILE --label y --set data.parse={x=\"number\"}" + regress},
		{"six.csv", numbered("a,b,c,d,e,f,y", 90, func(i int) string {
			return strings.Repeat(fmt.Sprintf("%d kg,", i%7), 6) + strconv.Itoa(i%3)
		}), "train FILE --label y" + regress},
		{"text.csv", numbered("x,name,y", 190, func(i int) string { return fmt.Sprintf("%d,n%d,%d.5", i%7, i, i%5) }), "train FILE --label y"},
		{"leak.csv", numbered("x,z,y", 190, func(i int) string { return fmt.Sprintf("%d,%d,%d.5", i%7, i%5*3, i%5) }), "train FILE --label y"},
		{"list.jsonl", strings.Repeat("{\"x\":1,\"l\":[1],\"y\":2}\n{\"x\":1,\"l\":[],\"y\":3}\n", 30), "train FILE --label y" + regress},
		{"short.csv", rows("x,y", "1,2", "2,3", "3,5"), "train FILE --label y" + regress},
		{"one_side.csv", rows("x,y", "1,2", "2,3", "3,5"), "train FILE no_side.csv --label y" + regress},
		{"named.csv", rows("x,weight,y", "1,1,2", "2,2,3", "3,1,5"), "train FILE --label y" + regress},
		{"skipped.csv", rows("x,y", "1,2", "2,3", "3,5,5", "4,4"), "train FILE --label y --set data.on_bad_row=skip" + regress},
		{"late.csv", numbered("x,y", 400000, func(i int) string { return fmt.Sprintf("%s%d,%d", []string{"", "w"}[i/200000], i%97, i%5) }), "train - --label y --no-spool" + regress},
		{"memory.csv", numbered("a,b,c,d,y", 900, func(i int) string { return fmt.Sprintf("%d,%d,%d,%d,%d", i, i%7, i%11, i%13, i%5) }), "train FILE --label y --set train.memory_limit=4KB --set data.out_of_core=false" + regress},
		{"memory_of_folds.csv", numbered("a,b,c,d,y", 900, func(i int) string { return fmt.Sprintf("%d,%d,%d,%d,%d", i, i%7, i%11, i%13, i%5) }), "cv FILE --label y --folds 3 --rounds 5 --set train.memory_limit=500KB" + regress},
		{"folds.svm", sparse, "cv FILE --folds 3 --rounds 2 --set train.memory_limit=5MB --set binning.layout=row --set tree.min_data_in_leaf=1 --leaves 2" + regress},
		{"memory.svm", sparse, "train FILE --set train.memory_limit=4KB --set data.out_of_core=false" + regress},
		{"", "", "train wide.parquet --label y --set train.memory_limit=1KB --set data.out_of_core=false" + regress},
		{"", "", "train INTEROP/pandas.index.parquet --label flag"},
		{"", "", "train INTEROP/../xlsx/pandas.xlsx --label y" + regress},
		{"", "", "inspect INTEROP/../xlsx/pandas.xlsx --set data.sheet=Data"},
		{"titled.csv", "Of 2025\n\n" + rows("x,y", "1,2", "2,3", "3,5"), "train FILE --label y" + regress},
		{"titled_whole.csv", "Of 2025\n\n" + rows("x,y", "1,2", "2,3", "3,5"), "inspect FILE"},
		{"titled.xlsx", titledWorkbook(t), "train FILE --label y" + regress},
		{"titled_whole.xlsx", titledWorkbook(t), "inspect FILE"},
		{"ids.csv", numbered("x,y", 60, func(i int) string { return fmt.Sprintf("%d,n%d", i%7, i) }), "train FILE --label y"},
		{"few.csv", numbered("x,y", 15, func(i int) string { return fmt.Sprintf("%d,%d.5", i, i) }), "train FILE --label y --rounds 12"},
		{"words_of_text.csv", numbered("z,x,y", 190, func(i int) string {
			return fmt.Sprintf("1,%s,%d.5", cmp.Or(map[int]string{0: "none", 1: "unknown"}[i%11], strconv.Itoa(i)), i)
		}), "train FILE --label y" + regress},
		{"blanks.csv", rows("x,z,y", "1,a ,2", "2, b,3", "3,a ,5"), "train FILE --label y" + regress},
		{"words.csv", numbered("x,y", 90, func(i int) string {
			return fmt.Sprintf("%s,%d.5", cmp.Or(map[int]string{20: "none", 40: "?!", 60: "n.a.", 80: "x y"}[i], strconv.Itoa(i%7)), i)
		}), "train FILE --label y" + regress},
		{"layout.svm", sparse, "train FILE --set train.memory_limit=1500KB --set binning.layout=row --set tree.min_data_in_leaf=1 --leaves 2" + regress},
		{"forced_zone.csv", rows("x,z,y", "1,a,2", "2,b,3", "3,c,5"), `train FILE --label y --set categorical.splits=target --set tree.forced_splits={"feature":"z","threshold":"a"}` + regress},
		{"folds.csv", numbered("x,y", 60, func(i int) string { return fmt.Sprintf("%d,%d.5", i%7, i%5) }), "train FILE --label y --effort best --valid 0.2"},
		{"folds_saved.csv", numbered("x,y", 60, func(i int) string { return fmt.Sprintf("%d,%d.5", i%7, i%5) }), "train FILE --label y --effort best --valid FILE"},
		{"folds_files.csv", numbered("x,y", 60, func(i int) string { return fmt.Sprintf("%d,%d.5", i%7, i%5) }), "train FILE --label y --effort best --set data.out_of_core=true"},
		{"blend_symmetric.csv", numbered("x,y", 60, func(i int) string { return fmt.Sprintf("%d,%d.5", i%7, i%5) }), "train FILE --label y --set train.blend=2 --set tree.growth=symmetric"},
		{"blend_valid.csv", numbered("x,y", 60, func(i int) string { return fmt.Sprintf("%d,%d.5", i%7, i%5) }), "train FILE --label y --set train.blend=2 --set train.retrain=false"},
		{"blend_bounds.csv", numbered("x,y", 60, func(i int) string { return fmt.Sprintf("%d,%d.5", i%7, i%5) }), `train FILE --label y --set train.blend=2 --set constraints.monotone={"x"=1} --set constraints.monotone_method=advanced`},
		{"budget_files.csv", numbered("x,y", 60, func(i int) string { return fmt.Sprintf("%d,%d.5", i%7, i%5) }), "train FILE --label y --budget 1s --set data.out_of_core=true"},
		{"times.csv", rows("x,y", "a,2", "b,-3", "a,5"), "train FILE --label y --set categorical.splits=target --objective cox"},
		{"goss.csv", rows("x,y", "1,2", "2,3", "3,5"), "train FILE --label y --set sampling.goss_top=0.2 --set sampling.goss_other=0.1 --set sampling.row_fraction=0.5" + regress},
		{"dart.csv", rows("x,y", "1,2", "2,3", "3,5"), "train FILE --label y --set dart.drop_rate=0.2" + regress},
		{"forest.csv", rows("x,y", "1,2", "2,3", "3,5"), "train FILE --label y --set train.boosting=rf --set sampling.row_fraction=0.5 --set sampling.row_every=2" + regress},
		{"lines.csv", rows("x,y", "1,2", "2,3", "3,5"), "train FILE --label y --set tree.linear_lambda=1" + regress},
		{"group.csv", rows("x,g,y", "1,a,2", "2,b,3", "3,c,5"), "train FILE --label y --set sampling.row_by=g --set sampling.row_fraction=0.5 --set data.out_of_core=true" + regress},
		{"mvs.csv", rows("x,y", "1,2", "2,3", "3,5"), "train FILE --label y --set sampling.mvs_fraction=0.5 --set sampling.row_fraction=0.5" + regress},
		{"both.csv", rows("x,y", "1,2", "2,3", "3,5"), "train FILE --label y --set sampling.goss_top=0.2 --set sampling.goss_other=0.1 --set sampling.mvs_fraction=0.5" + regress},
		{"people.csv", numbered("x,name,y", 190, func(i int) string { return fmt.Sprintf("%d,n%d,%d.5", i%7, i/3*2-i%2, i%5) }), "cv FILE --label y --group-by name --folds 2 --rounds 2" + regress},
		{"keys.csv", numbered("x,key,y", 60, func(i int) string { return fmt.Sprintf("%d,%d,%d.5", i%7, 1<<53+i/6*2, i%5) }), "cv FILE --label y --group-by key --folds 2 --rounds 2" + regress},
		{"queries.csv", numbered("x,q,y", 60, func(i int) string { return fmt.Sprintf("%d,%d,%d", i%7, 1<<53+i/6*2, i%3) }), "train FILE --label y --group q --objective lambdarank --rounds 2"},
		{"codes.csv", numbered("x,y", 90, func(i int) string { return fmt.Sprintf("%04d,%d.5", i%70, i%5) }), "train FILE --label y"},
		{"row_ids.csv", numbered("id,x,y", 90, func(i int) string { return fmt.Sprintf("%d,%d,%d.5", i, i%7, i%5) }), "train FILE --label y"},
		{"nines.csv", numbered("x,y", 90, func(i int) string { return fmt.Sprintf("%d,%d.5", []int{i % 7, -999}[i%30/29], i%5) }), "train FILE --label y"},
	} {
		stdin := ""
		if strings.Contains(c.args, " - ") {
			stdin = c.content
		} else if c.name != "" {
			file(t, c.name, c.content)
		}
		args := strings.Fields(strings.NewReplacer("FILE", c.name, "INTEROP", interop).Replace(c.args))
		if args[0] == "train" {
			if args = append(args, "-o", "new.boost"); !slices.Contains(args, "--rounds") {
				args = append(args, "--rounds", "2")
			}
		}
		said := w.said.Len()
		w.follow(stdin, args)
		if len(advice(w.said.String()[said:])) == 0 {
			t.Errorf("%s: no advice: %s", c.args, w.said.String()[said:])
		}
	}
	for _, l := range literals {
		if !l.isIn(w.said.String()) {
			t.Errorf("%s: no table of this test gives this advice:\n%s", l.place, l.text)
		}
	}
}

// An adviceText is a text in a source that advises settings.
type adviceText struct{ place, text string }

// notWalked are texts that no command line of a test gives, with the reason.
var notWalked = map[string]string{
	`%s is for the rows of a whole file, and a rank reads a part: make it a column of the table, or set side_files = "ignore"`: "needs several processes",
	`leave the column out with ignore = [%q]`:                      "needs a Parquet file whose text is not UTF-8",
	`set train.gradients = "i16"`:                                  "the switch that binning.layout is walked for",
	`set gradients.mode = "symmetric"`:                             "the same",
	`set train.builder = "auto"`:                                   "the same",
	`set binning.missing_as = "sentinel"`:                          "the same",
	`set binning.bundle = "auto" and binning.bundle_conflicts = 0`: "the same",
	`objective binary needs 2 classes, there are %d (set train.objective = "multiclass" or "regression")`:            "of the Go API: training checks the label before",
	`%s is a config file, which names the tables itself: give it alone (--set data.train=TABLE replaces its tables)`: "TABLE is a file of the reader's own",
}

// adviceOfSources finds the texts that advise settings in the sources of what a command prints.
func adviceOfSources(t *testing.T) (all []adviceText) {
	t.Helper()
	for _, dir := range []string{"dataset", "configs", "booster", "objectives", "binning", "tree", "cmd/boost", "internal/profile", "internal/unseen"} {
		err := filepath.WalkDir(filepath.Join("../..", dir), func(path string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			set := token.NewFileSet()
			parsed, err := parser.ParseFile(set, path, nil, 0)
			if err != nil {
				return err
			}
			ast.Inspect(parsed, func(n ast.Node) bool {
				literal, ok := n.(*ast.BasicLit)
				if !ok || literal.Kind != token.STRING {
					return true
				}
				text, err := strconv.Unquote(literal.Value)
				l := adviceText{set.Position(n.Pos()).String(), text}
				if err == nil && notWalked[text] == "" && !strings.HasPrefix(text, "  boost ") && (l.as("train") != filled(text) || strings.Contains(text, "--set ") && strings.Contains(text, "=")) {
					all = append(all, l)
				}
				return true
			})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if len(all) < 30 {
		t.Errorf("only %d texts are found", len(all))
	}
	return all
}

var verbs = regexp.MustCompile(`%(?:\[\d\])?[-+.\d]*[a-zA-Z]`)

// filled puts a word into a format where values stand.
func filled(format string) string {
	return strings.ReplaceAll(verbs.ReplaceAllStringFunc(format, func(verb string) string {
		if strings.HasSuffix(verb, "q") {
			return `"zzz"`
		}
		return "zzz"
	}), "%%", "%")
}

// as returns the text as a command prints it.
func (l *adviceText) as(command string) string {
	return (&keyflags.Command{Name: command}).Hint(filled(l.text))
}

// isIn reports whether a command has printed the text, with any values.
func (l *adviceText) isIn(said string) bool {
	for _, command := range []string{"train", "predict", "inspect"} {
		pattern := strings.ReplaceAll(regexp.QuoteMeta(l.as(command)), "--set ", "--set '?")
		pattern = regexp.MustCompile(`['"]*zzz['"]*`).ReplaceAllString(pattern, `.*?`)
		if regexp.MustCompile(pattern).MatchString(said) {
			return true
		}
	}
	return false
}

// All columns of which something is wrong are reported by one run, each with what to do.
func TestProblemsTogether(t *testing.T) {
	inFolder(t)
	file(t, "t.csv", "a,b,y\n"+strings.Repeat("1,2,3\n4,5,6\n", 30)+"x,2,3\n1,z,3\n1,2,\n")
	r := must(t, 3, boost(t, "train", "t.csv", "--label", "y"))
	says(t, r.errors, `t.csv:62: column "a": "x" is not a number`, `--categorical a`, `t.csv:63: column "b": "z" is not a number`, "--categorical b",
		`t.csv:64: column "y": the cell has no value, expected a label`, "--set data.on_bad_row=skip")
	must(t, 0, boost(t, "train", "t.csv", "--label", "y", "-q", "--rounds", "2", "--categorical", "a", "--categorical", "b", "--set", "data.on_bad_row=skip"))
}
