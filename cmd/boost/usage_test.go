package main

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// What is wrong with a command line is exit 2, with the remedy in the message.
func TestUsage(t *testing.T) {
	inFolder(t)
	file(t, "t.csv", table(50))
	must(t, 0, boost(t, "train", "t.csv", "--label", "y", "--set", "train.rounds=2", "-q"))
	file(t, "bad.toml", "[data]\ntrain = \"t.csv\"\nlabel = \"y\"\n[tree]\nleavs = 3\nmax_depth = \"deep\"\n")
	file(t, "nolabel.toml", "[data]\ntrain = \"t.csv\"\n")
	file(t, "scores.toml", "[registry]\nblock_size = 128\nhot_score = 9\n")
	file(t, "notable.toml", "[data]\nlabel = \"y\"\n")
	cases := []struct {
		args  string
		words []string
	}{
		{"trian t.csv", []string{`unknown command "trian" (did you mean "train"?)`}},
		{"monitor t.csv", []string{`unknown command "monitor"; boost --help lists the commands`}},
		{"serve", []string{`unknown command "serve"`}},
		{"trian t.csv --label y", []string{`unknown command "trian" (did you mean "train"?)`}},
		{"train t.csv --leafs 7", []string{`unknown flag --leafs (did you mean "--leaves"?)`}},
		{"help trian", []string{`unknown command "trian" (did you mean "train"?)`}},
		{"help registry lst", []string{`unknown command "lst" (did you mean "list"?); boost registry --help`}},
		{"registry list", []string{"DIR is missing: boost registry list DIR"}},
		{"registry list a b", []string{`unexpected argument "b": the usage is boost registry list DIR`}},
		{"help nothing", []string{`unknown command "nothing"; boost --help lists the commands`}},
		{"train", []string{"CONFIG.toml or TABLE is missing"}},
		{"train t.csv bad.toml --label y", []string{"bad.toml is a config file, which names the tables itself"}},
		{"train t.csv --label y --valid 0.2 --valid t.csv", []string{"--valid t.csv is a validation set, and rows are to be held out as one too"}},
		{"train t.csv --label y --valid 2", []string{"--valid 2: a share of the rows is less than 1, as 0.2 or 20%"}},
		{"train t.csv --label y --valid 0", []string{"--valid 0: early stopping needs rows to judge by", "train.early_stopping = 0"}},
		{"train t.csv --label y --valid 0.2 --valid-by id", []string{"both say which rows are held out"}},
		{"train t.csv --label y --rounds 5 --set train.rounds=6", []string{"train.rounds has two values: --rounds 5 and --set train.rounds=6"}},
		{"train t.csv --label y --leaves three", []string{`--leaves three: tree.leaves must be an integer, not "three"`}},
		{"train t.csv --label y --set label=x", []string{"data.label has two values: --label y and --set label=x (leave one of them out)"}},
		{"train t.csv --label y --objective binray", []string{`--objective binray: train.objective must be`, `did you mean "binary"?`}},
		{"train t.csv", []string{"which column is to be predicted? Give --label NAME", "boost inspect t.csv"}},
		{"train t.csv --lable y", []string{`unknown flag --lable (did you mean "--label"?)`}},
		{"train t.csv --label y --resume", []string{"name their folder with --checkpoint"}},
		{"train t.csv --label y --threads many", []string{`--threads many: train.threads must be an integer, not "many"`}},
		{"train t.csv --label y --threads -3", []string{"--threads -3: train.threads must be ≥ 0, not -3"}},
		{"train t.csv --label y --set tree.leavs=3", []string{`--set tree.leavs=3: unknown key "tree.leavs" (did you mean "tree.leaves"?)`}},
		{"train t.csv --label y --set tree.leaves=three", []string{`tree.leaves must be an integer, not "three"`}},
		{"train t.csv --label y --set alpha=1", []string{"tree.lambda_l1", "objective.alpha"}},
		{"train t.csv --label y --set train.gradients=i17", []string{`"i16", "i8", "i4" or "auto"`}},
		{"train t.csv --label y --set output.predictions=p.csv", []string{"output.predictions needs a test set"}},
		{"train t.csv --label y --set metrics.names=auc", []string{`metric "auc" does not fit`, "rmse, mae, r2"}},
		{"train t.csv --label y --set data.positive_class=yes", []string{"data.positive_class", "no classes"}},
		{"train t.csv --label b --set data.positive_class=maybe", []string{"data.positive_class", `"maybe"`, "no, yes"}},
		{"train t.csv --label y -o t.csv", []string{"t.csv is read, and cannot be written over by the same run: give another name with output.model (-o)"}},
		{"train t.csv --label y --set data.cache=t.csv", []string{"t.csv is read, and cannot be written over by the same run: give another name with data.cache"}},
		{"train - --label y --valid -", []string{"standard input (-) can be one table only"}},
		{"train t.csv --label y -o -", []string{"a model cannot be written to standard output"}},
		{"train --version", []string{"boost --version prints it"}},
		{"train none.toml", []string{"config file none.toml: no such file"}},
		{"train t.csv --label y --test t.csv --set output.predictions=-", []string{"output.predictions cannot be standard output"}},
		{"train t.csv --label y --set train.quorum=3", []string{`unknown key "train.quorum": boost init TABLE --all lists the keys`}},
		{"train bad.toml", []string{`bad.toml:5: unknown key "tree.leavs" (did you mean "tree.leaves"?)`, `bad.toml:6: tree.max_depth must be an integer, not "deep"`}},
		{"train nolabel.toml", []string{"nolabel.toml names no label: set data.label, or give --label NAME"}},
		{"train notable.toml", []string{"notable.toml names no table: set data.train"}},
		{"predict t.boost", []string{"TABLE is missing"}},
		{"predict t.boost t.csv --kind values", []string{`--kind must be value, raw, class, leaf, interval, contrib, not "values"`}},
		{"predict t.boost t.csv --kind class", []string{"t.boost predicts numbers, not classes"}},
		{"predict t.boost t.csv --format orc", []string{"--format must be csv, jsonl, parquet, arrow"}},
		{"predict t.boost t.csv --on-unseen stop", []string{"--on-unseen must be missing, error"}},
		{"predict t.boost t.csv --set data.on_bad_row=skip", []string{"--set data.on_bad_row cannot be used here"}},
		{"predict t.boost t.csv -o t.boost", []string{"-o t.boost: predictions are not written in this format"}},
		{"predict t.boost t.csv -o t.boost --format csv", []string{"t.boost is read, and cannot be written over"}},
		{"eval t.boost t.csv --metric logloss", []string{`metric "logloss" does not fit this model: take rmse, mae, r2`}},
		{"eval t.boost t.csv --metric rsme", []string{`unknown metric "rsme" (did you mean "rmse"?)`}},
		{"eval t.boost t.csv --metric Pinbal@0.9", []string{`unknown metric "Pinbal@0.9" (did you mean "pinball"?)`}},
		{"eval t.boost t.csv --metric quantile", []string{`metric "pinball" needs a level above 0 and below 1, as in "pinball@0.9"`}},
		{"init t.csv -o t.boost", []string{"t.boost: the name of a config file ends in .toml", "name it t.toml"}},
		{"init t.csv -o run", []string{"name it run.toml"}},
		{"tune t.csv --label y -o t.cfg", []string{"name it t.toml"}},
		{"tune t.csv --label y -o -", []string{"standard output is for the summary"}},
		{"inspect t.csv --set data.label=y", []string{"--set data.label cannot be used here: give --label NAME"}},
		{"init t.csv --set data.label=y", []string{"give --label NAME"}},
		{"eval t.boost t.csv --set data.label=y", []string{"--set data.label cannot be used here: this command takes data.format"}},
		{"eval t.boost t.csv --set tree.leaves=3", []string{"--set tree.leaves cannot be used here"}},
		{"inspect t.csv --trees", []string{"--trees and --importance are for models, and t.csv is a table"}},
		{"inspect t.boost --importance weight", []string{"--importance must be gain, split, cover"}},
		{"inspect t.boost --set data.header=true", []string{"t.boost is a model"}},
		{"reproduce t.boost t.csv --valid t.csv", []string{"0 validation sets, and 1 given"}},
		{"predict t.boost t.csv --rounds 3", []string{"--rounds must be 0 … 2, the rounds of t.boost, not 3"}},
		{"predict t.boost t.csv --rounds -1", []string{"--rounds must be 0 … 2"}},
		{"eval t.boost t.csv --rounds 3", []string{"--rounds must be 0 … 2"}},
		{"predict t.boost t.csv --staged 0", []string{"--staged must be 1 or more rounds, not 0"}},
		{"eval t.boost t.csv --staged -2", []string{"--staged must be 1 or more rounds, not -2"}},
		{"predict t.boost t.csv --staged 1 --kind leaf", []string{"--staged cannot go with --kind leaf"}},
		{"predict t.boost t.csv --rounds 0 --kind leaf", []string{"there are no trees"}},
		{"predict t.boost t.csv --load compact", []string{"--load compact is for compressed models with constant leaves, and t.boost is a full one"}},
		{"eval t.boost t.csv --load compact", []string{"t.boost is a full one"}},
		{"predict t.boost t.csv --load small", []string{"--load must be fast, compact, not \"small\""}},
		{"predict t.boost t.csv --load compact --staged 1", []string{"--staged needs all trees at once"}},
		{"predict t.boost t.csv --load compact --early-stop 1", []string{"--early-stop needs all trees at once"}},
		{"eval t.boost t.csv --load compact --staged 1", []string{"--staged needs all trees at once"}},
		{"predict t.boost t.csv --early-stop 0", []string{"--early-stop must be above 0"}},
		{"predict t.boost t.csv --early-stop NaN", []string{"--early-stop must be above 0"}},
		{"predict t.boost t.csv --early-stop 1 --kind class", []string{"--early-stop must be 0 with --kind class"}},
		{"predict t.boost t.csv --early-stop 0 --kind leaf", []string{"--kind leaf needs all"}},
		{"predict t.boost t.csv --early-stop 1 --staged 1", []string{"--staged needs all"}},
		{"eval t.boost t.csv --early-stop 1", []string{"unknown flag --early-stop"}},
		{"rollback t.boost -o o.boost", []string{"--rounds is missing"}},
		{"rollback t.boost --rounds 1", []string{"-o is missing"}},
		{"rollback t.boost --rounds 3 -o o.boost", []string{"--rounds must be 0 … 2"}},
		{"rollback t.boost --rounds 1 -o t.boost", []string{"t.boost is read, and cannot be written over"}},
		{"rollback t.boost --rounds 1 -o -", []string{"cannot be written to standard output"}},
		{"merge t.boost -o o.boost", []string{"give two models or more"}},
		{"merge t.boost t.boost", []string{"-o is missing"}},
		{"merge t.boost t.boost -o t.boost", []string{"t.boost is read, and cannot be written over"}},
		{"compare t.boost", []string{"B is missing"}},
		{"compare t.boost t.boost t.csv t.csv", []string{`unexpected argument "t.csv"`}},
		{"compare t.boost t.boost --metric rmse", []string{"--metric and --set need a table"}},
		{"compare t.boost t.boost --set data.decimal=,", []string{"--metric and --set need a table"}},
		{"compare t.boost t.boost t.csv --metric auc", []string{`metric "auc" does not fit this model: take rmse, mae, r2`}},
		{"bench tensors", []string{`unknown command "tensors" (did you mean "tensorq"?)`}},
		{"bench tensorq now", []string{`unexpected argument "now"`}},
		{"bench tensorq --set tree.leaves=3", []string{"--set tree.leaves cannot be used here: this command takes keys of [registry]"}},
		{"bench tensorq --set registry.block_sise=3", []string{`unknown key "registry.block_sise" (did you mean "registry.block_size"?)`}},
		{"bench tensorq --set registry.block_size=0", []string{"registry.block_size must be 1 … 65,536, not 0"}},
		{"bench tensorq --set registry.warm_score=600", []string{"--set registry.warm_score=600: registry.hot_score 512: expected more than warm_score, 600"}},
		{"bench tensorq --config scores.toml", []string{"scores.toml:3: registry.hot_score 9: expected more than warm_score, 64"}},
		{"bench tensorq --config none.toml", []string{"config file none.toml: no such file"}},
		{"completion tcsh", []string{`no completion script for "tcsh"`}},
		{"version now", []string{`unexpected argument "now"`}},
		{"version -q -v", []string{"-q and -v contradict each other"}},
		{"version --log-format xml", []string{`--log-format must be text or json, not "xml"`}},
	}
	for _, c := range cases {
		t.Run(c.args, func(t *testing.T) {
			r := must(t, 2, boost(t, strings.Fields(c.args)...))
			says(t, r.errors, c.words...)
			if r.out != "" {
				t.Errorf("words on standard output: %q", r.out)
			}
		})
	}
}

// Files that a pattern names, and those beside a table, are read and never written over.
func TestReadAndWritten(t *testing.T) {
	inFolder(t)
	for _, name := range []string{"part1.csv", "part2.csv", "t.csv"} {
		file(t, name, table(50))
	}
	file(t, "cuts.json", `{"a": [1]}`)
	weights := strings.Repeat("1\n", 50)
	file(t, "t.csv.weight", weights)
	must(t, 0, boost(t, "train", "part1.csv", "--label", "y", "--set", "train.rounds=2", "-q", "-o", "m.boost"))
	for _, args := range []string{
		"predict m.boost part*.csv -o part2.csv",
		"predict m.boost t.csv -o t.csv.weight --format csv",
		"train part*.csv --label y -o part2.csv",
		"train t.csv --label y -o t.csv.weight",
		"train t.csv --label y -o cuts.json --set binning.forced_cuts_file=cuts.json",
		"train t.csv --label y --valid part*.csv --set data.cache=part1.csv",
		"init part*.csv --label y -o part1.csv",
	} {
		says(t, must(t, 2, boost(t, strings.Fields(args)...)).errors, "is read, and cannot be written over")
	}
	for name, want := range map[string]string{"part1.csv": table(50), "part2.csv": table(50), "t.csv.weight": weights} {
		if got, err := os.ReadFile(name); err != nil || string(got) != want {
			t.Errorf("%s was written over: %v", name, err)
		}
	}
	// What is not read may be written over.
	must(t, 0, boost(t, "predict", "m.boost", "t.csv", "-o", "t.csv.weight", "--format", "csv", "--set", "data.side_files=ignore"))
}

// BOOST_CPU takes three words; another is exit 2.
func TestBoostCPU(t *testing.T) {
	t.Setenv("BOOST_CPU", "sse9")
	r := must(t, 2, boost(t, "version"))
	says(t, r.errors, "sse9", "generic", "avx2", "avx512")
	t.Setenv("BOOST_CPU", "generic")
	says(t, must(t, 0, boost(t, "version")).out, "generic")
}

// Help is data, and shows what works only.
func TestHelp(t *testing.T) {
	for _, args := range [][]string{{}, {"--help"}, {"help"}} {
		r := must(t, 0, boost(t, args...))
		says(t, r.out, "train", "cv", "tune", "predict", "eval", "inspect", "init", "reproduce", "refit", "rollback", "merge", "quantize", "calibrate", "convert", "compare", "registry", "version", "completion")
		for _, later := range []string{"explain", "serve", "checkpoint"} {
			if strings.Contains(r.out, "\n  "+later) {
				t.Errorf("%s is in the help of this version", later)
			}
		}
		if r.errors != "" {
			t.Errorf("help on standard error: %q", r.errors)
		}
	}
	r := must(t, 0, boost(t, "predict", "--help"))
	says(t, r.out, "value, raw, class, leaf, interval or contrib", "csv, jsonl, parquet or arrow", "--on-unseen", "--id")
}

func TestCompletion(t *testing.T) {
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		if r := must(t, 0, boost(t, "completion", shell)); len(r.out) < 500 {
			t.Errorf("%s: no script: %q", shell, r.out)
		}
	}
	says(t, boost(t, "__complete", "train", "--set", "tree.l").out, "tree.leaves=")
	says(t, boost(t, "__complete", "predict", "--kind", "").out, "value", "leaf")
	inFolder(t)
	file(t, "t.csv", table(20))
	must(t, 0, boost(t, "train", "t.csv", "--label", "y", "--rounds", "1", "-q"))
	for _, line := range []string{"train t.csv --label", "train t.csv --ignore", "train t.csv --valid-by", "inspect t.csv --label", "init t.csv --weight",
		"predict t.boost t.csv --id"} {
		says(t, boost(t, append(append([]string{"__complete"}, strings.Fields(line)...), "")...).out, "city\n", "id\n")
	}
	says(t, boost(t, "__complete", "train", "t.csv", "--set", "data.label=").out, "data.label=city\n")
	says(t, boost(t, "__complete", "train", "t.csv", "--set", "metrics.names=").out, "metrics.names=auc\n", "metrics.names=pinball@0.9\n")
	says(t, boost(t, "__complete", "train", "t.csv", "--objective", "").out, "binary\n")
	says(t, boost(t, "__complete", "eval", "t.boost", "t.csv", "--metric", "").out, "rmse\n", "ndcg\n", "ndcg@10\n", "pinball@0.9\n")
}

// Messages in JSON are one object a line.
func TestLogFormat(t *testing.T) {
	inFolder(t)
	file(t, "t.csv", table(200))
	r := must(t, 0, boost(t, "train", "t.csv", "--label", "y", "--set", "train.rounds=3", "--set", "train.retrain=false", "--log-format", "json", "--json", "-v"))
	rounds := 0
	for line := range strings.Lines(r.errors) {
		var message struct{ Level, Msg string }
		if err := json.Unmarshal([]byte(line), &message); err != nil || message.Level == "" {
			t.Errorf("not a message: %q", line)
		}
		if message.Msg == "histogram builder" && !strings.Contains(line, `"strategy":"sequential"`) {
			t.Errorf("the strategy has no name: %s", line)
		}
		if message.Msg == "round" {
			rounds++
		}
	}
	if rounds != 3 {
		t.Errorf("%d rounds logged with -v, want 3:\n%s", rounds, r.errors)
	}
	r = must(t, 2, boost(t, "train", "t.csv", "--log-format", "json"))
	says(t, r.errors, `"level":"ERROR"`)
	says(t, must(t, 2, boost(t, "train", "--log-format", "json", "--bogus")).errors, `"level":"ERROR"`)
	r = must(t, 0, boost(t, "train", "t.csv", "--label", "y", "--set", "train.rounds=3", "-q"))
	if r.errors != "" || r.out != "" {
		t.Errorf("-q says %q %q", r.out, r.errors)
	}
}

// A model in the place of a table is called one, and so is a table in the place of a model.
func TestModelsAndTablesMixedUp(t *testing.T) {
	inFolder(t)
	file(t, "t.csv", table(50))
	must(t, 0, boost(t, "train", "t.csv", "--label", "y", "--rounds", "2", "-q"))
	file(t, "xgb.json", `{"learner":{"attributes":{}}}`)
	file(t, "lgb.txt", "tree\nversion=v4\nnum_class=1\n")
	for args, c := range map[string]struct {
		code int
		want string
	}{
		"inspect xgb.json":                                {3, "xgb.json is not a table: it looks like an XGBoost model in JSON, and boost reads its own models only"},
		"predict t.boost lgb.txt":                         {3, "lgb.txt is not a table: it looks like a LightGBM model, and boost reads its own models only"},
		"predict t.csv t.boost":                           {4, "t.boost is a model, and t.csv is not: give the model first, as in boost predict t.boost t.csv"},
		"eval t.csv t.boost":                              {4, "as in boost eval t.boost t.csv"},
		"reproduce t.csv t.boost":                         {4, "as in boost reproduce t.boost t.csv"},
		"refit t.csv t.boost -o o.boost":                  {4, "as in boost refit t.boost t.csv"},
		"predict t.csv t.csv":                             {4, "t.csv: not a boost model"},
		"predict t.boost t.boost":                         {3, "t.boost is a model: expected a table"},
		"eval t.boost t.boost":                            {3, "t.boost is a model: expected a table"},
		"train t.boost --label y -o o.boost":              {3, "t.boost is a model: expected a table"},
		"init t.boost":                                    {3, "t.boost is a model: expected a table"},
		"train t.csv --label y --test t.boost -o o.boost": {3, "t.boost is a model: expected a table"},
	} {
		says(t, must(t, c.code, boost(t, strings.Fields(args)...)).errors, c.want)
	}
}

// A log file gets all messages, those of -v too, after what is in it.
func TestLogFile(t *testing.T) {
	inFolder(t)
	file(t, "t.csv", table(90))
	file(t, "run.log", "before\n")
	r := must(t, 0, boost(t, "train", "t.csv", "--label", "y", "--rounds", "3", "-q", "--log-file", "run.log"))
	must(t, 3, boost(t, "predict", "t.boost", "none.csv", "--log-file", "run.log"))
	log := readFile(t, "run.log")
	says(t, log, "before\n", " 90 rows × 5 features\n", "bin matrix", "round 3/3", " error: none.csv cannot be read")
	if r.errors != "" {
		t.Errorf("-q prints %s", r.errors)
	}
	must(t, 0, boost(t, "train", "t.csv", "--label", "y", "--rounds", "3", "--log-file", "j.log", "--log-format", "json"))
	for line := range strings.Lines(readFile(t, "j.log")) {
		if !json.Valid([]byte(line)) {
			t.Errorf("%q is no JSON", line)
		}
	}
	says(t, must(t, 2, boost(t, "train", "t.csv", "--label", "y", "--log-file", "t.csv")).errors, "--log-file t.csv is read or written by the same run")
	says(t, must(t, 1, boost(t, "version", "--log-file", "no/such.log")).errors, "cannot write no/such.log: no such file")
	if _, err := os.Stat("/dev/full"); err != nil {
		return
	}
	// The work is done all the same; another error keeps its code.
	for _, c := range []struct {
		code int
		args []string
	}{
		{1, []string{"train", "t.csv", "--label", "y", "--rounds", "3", "-q", "-o", "full.boost"}},
		{1, []string{"predict", "full.boost", "t.csv", "-o", "full.csv"}},
		{3, []string{"predict", "full.boost", "none.csv"}},
	} {
		says(t, must(t, c.code, boost(t, append(c.args, "--log-file", "/dev/full")...)).errors, "error: cannot write /dev/full: no space left on device")
	}
	if !exists("full.boost") || !exists("full.csv") {
		t.Error("without room for messages nothing is written")
	}
}

// A run says at most ten lines, and where its time went.
func TestTrainSaysTenLines(t *testing.T) {
	inFolder(t)
	file(t, "t.csv", table(400))
	r := must(t, 0, boost(t, "train", "t.csv", "--label", "b"))
	if n := strings.Count(r.errors, "\n") + strings.Count(r.out, "\n"); n > 10 {
		t.Errorf("%d lines:\n%s%s", n, r.errors, r.out)
	}
	says(t, r.errors, "400 rows × 4 features\n", `predicting "b" with objective binary, because`, `"yes" is the positive class`, `column "id" is ignored`)
	says(t, r.out, "rows held out", "logloss", "model  t.boost, ", "time   ", ": load ", ", bin ", ", train ", ", score ", ", save ")
	for _, word := range []string{"layout", "strategy", "sha256"} {
		if strings.Contains(r.errors+r.out, word) {
			t.Errorf("%q is said without -v:\n%s%s", word, r.errors, r.out)
		}
	}
	r = must(t, 0, boost(t, "train", "t.csv", "--label", "b", "-v"))
	says(t, r.errors+r.out, "layout", "strategy", "sha256", "memory")
}

// No output of a run is written over by another one.
func TestWrittenTwice(t *testing.T) {
	inFolder(t)
	file(t, "t.csv", table(60))
	must(t, 0, boost(t, "train", "t.csv", "--label", "y", "--rounds", "2", "-q"))
	for _, args := range []string{
		"train t.csv --label y -o m.out --test t.csv --set output.predictions=./m.out",
		"train t.csv --label y -o m.out --checkpoint m.out",
		"train t.csv --label y -o m.out --set data.cache=m.out",
		"train t.csv --label y -o m.out --set quantize.dtype=I8 --set quantize.output=./m.out",
		"train t.csv --label y -o m.out --log-file m.out",
		"train t.csv --label y --set output.model=m.out --log-file=./m.out",
		"predict t.boost t.csv -o m.out --log-file m.out",
		"cv t.csv --label y --oof m.out -o m.out",
		"cv t.csv --label y --oof m.out --checkpoint ./m.out",
		"tune t.csv --label y --trials 1 -o m.out --plot m.out",
		"tune t.csv --label y --trials 1 -o m.out --study ./m.out",
		"quantize t.boost --dtype I8 -o m.svg --plot ./m.svg",
	} {
		r := must(t, 2, boost(t, strings.Fields(args)...))
		if !strings.Contains(r.errors, "m.out") && !strings.Contains(r.errors, "m.svg") || exists("m.out") || exists("m.svg") {
			t.Errorf("%s: %s", args, r.errors)
		}
	}
	must(t, 0, boost(t, "train", "t.csv", "--label", "y", "--rounds", "2", "-q", "--log-file", "run.log"))
	must(t, 0, boost(t, "train", "t.csv", "--label", "y", "--rounds", "2", "-q", "--log-file=run.log")) // again, after what is in it
}
