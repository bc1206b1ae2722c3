package configs_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"boost/configs"
)

var update = flag.Bool("update", false, "write docs/config.md anew")

func TestMarkdown(t *testing.T) {
	file := "../docs/config.md"
	want := markdown()
	if *update {
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Errorf("%s is not what the table of keys says: run go test ./configs -run TestMarkdown -update", file)
	}
}

// markdown returns docs/config.md.
func markdown() string {
	var b strings.Builder
	b.WriteString(`# Config

` + "`boost train CONFIG.toml`" + ` reads one TOML file. Every key can be left out, and every key can be given on the
command line as ` + "`--set section.key=value`" + `, which wins over the file. Relative paths in the file are relative
to the file. ` + "`boost init TABLE`" + ` writes a file to start with, ` + "`boost init TABLE --all`" + ` one with every key.

In ` + "`--set`" + ` the value is all after the first ` + "`=`" + `: text as it is (one pair of quotes is removed), a list
as a TOML array or as names separated by commas, anything else as a TOML value. The last part of a key's name is
enough where it has one meaning: ` + "`--set encoding=latin1`" + `. Lists and tables that are given several times are joined;
any other key with two values is an error.

Names of LightGBM, XGBoost, CatBoost and scikit-learn are understood where one is listed below, with or without a
section, and reported once. ` + "`alpha`, `gamma`, `lambda` and `l2`" + ` mean different things in different places and are
refused with the keys to choose from. -1 means no limit where 0 does. A frequency of 0 in ` + "`bagging_freq`" + `
switches row sampling off, and a ` + "`max_leaves`" + ` of 0 lifts the limit, as they do in LightGBM and XGBoost.
Names of losses (` + "`reg:squarederror`, `l2`, `binary:logistic`, `multi:softprob`, `Logloss`" + `, …) and of metrics
are understood the same way.

The keys of ` + "`[registry]`" + ` are for ` + "`boost registry`" + `, whose models have a tensor of leaves each, and for the store of
tensors that ` + "`boost bench tensorq`" + ` measures; ` + "`boost train`" + ` takes them and leaves them alone.

This page is made from the settings that stand beside the parameters by ` + "`go test ./configs -run TestMarkdown -update`" + `.
`)
	section := ""
	keys := configs.Keys()
	for i := range keys {
		k := &keys[i]
		if k.Section() != section {
			section = k.Section()
			fmt.Fprintf(&b, "\n## [%s]\n\n| key | type | default | values | meaning | other names |\n| --- | --- | --- | --- | --- | --- |\n", section)
		}
		fmt.Fprintf(&b, "| `%s` | %s | `%s` | %s | %s | %s |\n", k.Leaf(), k.Type(), k.Default(),
			strings.ReplaceAll(k.Allowed(), "|", `\|`), k.Doc, codeList(k.Aliases))
	}
	return b.String()
}

func codeList(words []string) string {
	if len(words) == 0 {
		return ""
	}
	return "`" + strings.Join(words, "`, `") + "`"
}
