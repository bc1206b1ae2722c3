package main

import (
	"encoding/csv"
	"encoding/json"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"
)

// calibrated is the JSON of calibrate.
type calibrated struct {
	Rows       int
	Method     string
	Candidates []struct {
		Method  string
		LogLoss float64
	}
	Metrics   map[string]struct{ Before, After float64 }
	Threshold float64
	Cost      struct{ Before, After float64 }
	Intervals struct {
		Kind            string
		Level           float64
		Coverage, Width *float64
		By              string
		Groups          []struct {
			Value           *string
			Rows            int
			Own             bool
			Coverage, Width *float64
		}
	}
}

func calibrateJSON(t *testing.T, args ...string) calibrated {
	t.Helper()
	r := must(t, 0, boost(t, append([]string{"calibrate", "--json", "-q"}, args...)...))
	var c calibrated
	if err := json.Unmarshal([]byte(r.out), &c); err != nil {
		t.Fatal(err)
	}
	return c
}

// heldOut trains y, b and c on the first 500 rows of a noisy table; held.csv has 1,000 others, and new.csv 1,500 more.
func heldOut(t *testing.T) {
	t.Helper()
	inFolder(t)
	head, rows, _ := strings.Cut(noisyTable(3000), "\n")
	all := strings.SplitAfter(rows, "\n")
	for name, part := range map[string][]string{"train.csv": all[:500], "held.csv": all[500:1500], "new.csv": all[1500:3000]} {
		file(t, name, head+"\n"+strings.Join(part, ""))
	}
	for label, others := range map[string]string{"y": "b,c", "b": "y,c", "c": "y,b"} {
		must(t, 0, boost(t, "train", "train.csv", "--label", label, "-q", "-o", label+".boost", "--ignore", others,
			"--set", "train.rounds=60", "--set", "train.early_stopping=0", "--effort", "quick"))
	}
}

// noisyTable is a table whose labels y, a number, b, yes or no, and c, one of three, follow from x and city but for noise,
// which Rome has three times as much of.
func noisyTable(n int) string {
	var s strings.Builder
	s.WriteString("x,city,y,b,c\n")
	state := uint32(777)
	next := func() float64 {
		state = state*1664525 + 1013904223
		return float64(state>>8) / (1 << 24)
	}
	for range n {
		x, city, noise := next(), "Oslo", next()+next()+next()-1.5
		if next() < 0.4 {
			city, noise = "Rome", 3*noise
		}
		y := 3*x + noise
		b, c := "no", "low"
		if y > 1.5 {
			b, c = "yes", "mid"
		}
		if y > 2.5 {
			c = "high"
		}
		s.WriteString(strconv.FormatFloat(x, 'f', 4, 64) + "," + city + "," + strconv.FormatFloat(y, 'f', 4, 64) + "," + b + "," + c + "\n")
	}
	return s.String()
}

// numbers reads the cells of a column.
func numbersOf(t *testing.T, csv, name string) []float64 {
	t.Helper()
	var out []float64
	for _, cell := range column(t, csv, name) {
		x, err := strconv.ParseFloat(cell, 64)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, x)
	}
	return out
}

// An overfitted model has probabilities that are too sure; a calibration makes them better on other rows, and eval and
// predict apply it.
func TestCalibrate(t *testing.T) {
	heldOut(t)
	for _, model := range []string{"b", "c"} {
		found := calibrateJSON(t, model+".boost", "held.csv", "-o", model+"c.boost")
		loss := map[string]string{"b": "logloss", "c": "multi_logloss"}[model]
		before, after := evalJSON(t, model+".boost", "new.csv", "--metric", loss).Metrics[loss], evalJSON(t, model+"c.boost", "new.csv", "--metric", loss).Metrics[loss]
		said := found.Metrics[loss]
		if found.Method == "none" || found.Rows != 1000 || after > 0.95*before || math.Abs(said.After-after) > 0.05 || math.Abs(said.Before-before) > 0.05 {
			t.Errorf("%s: %+v, and on other rows %s is %v before and %v after", model, found, loss, before, after)
		}
		for _, c := range found.Candidates {
			if c.LogLoss < said.After {
				t.Errorf("%s: %s was chosen, though %s has the log loss %v", model, found.Method, c.Method, c.LogLoss)
			}
		}
	}
	// The log loss of what predict prints is that of eval.
	csv := must(t, 0, boost(t, "predict", "bc.boost", "new.csv")).out
	sum := 0.0
	for i, p := range numbersOf(t, csv, "probability_yes") {
		if column(t, readFile(t, "new.csv"), "b")[i] == "no" {
			p = 1 - p
		}
		sum -= math.Log(p) / 1500
	}
	if got := evalJSON(t, "bc.boost", "new.csv", "--metric", "logloss").Metrics["logloss"]; math.Abs(got-sum) > 1e-12 {
		t.Errorf("eval says a log loss of %v, what predict prints has %v", got, sum)
	}
	says(t, must(t, 0, boost(t, "inspect", "bc.boost")).out, "calibrated on", "1,000 rows")
	calibrateJSON(t, "bc.boost", "held.csv", "--method", "none", "-o", "bn.boost")
	if readFile(t, "bn.boost") != readFile(t, "b.boost") {
		t.Error("--method none does not give the model back")
	}
}

func TestCosts(t *testing.T) {
	heldOut(t)
	found := calibrateJSON(t, "b.boost", "held.csv", "--costs", "1,9", "-o", "b9.boost")
	if found.Threshold != 0.1 || !(found.Cost.After < found.Cost.Before) {
		t.Errorf("costs of 1 and 9 give %+v", found)
	}
	values := must(t, 0, boost(t, "predict", "b9.boost", "new.csv", "--kind", "value,class")).out
	classes := column(t, values, "class")
	yes, hits, labelled := 0.0, 0.0, 0.0
	for i, p := range numbersOf(t, values, "probability_yes") {
		if (classes[i] == "yes") != (p > 0.1) {
			t.Fatalf("row %d of probability %v is %s", i, p, classes[i])
		}
		label := column(t, readFile(t, "new.csv"), "b")[i]
		if label == "yes" {
			labelled++
		}
		if classes[i] == "yes" {
			if yes++; label == "yes" {
				hits++
			}
		}
	}
	e := evalJSON(t, "b9.boost", "new.csv", "--confusion", "--metric", "recall", "--metric", "precision", "--metric", "recall@0.9")
	if e.Metrics["recall"] != hits/labelled || e.Metrics["precision"] != hits/yes || e.Metrics["recall@0.9"] >= e.Metrics["recall"] {
		t.Errorf("eval has %v, the classes that predict prints have recall %v and precision %v", e.Metrics, hits/labelled, hits/yes)
	}
	// A number that is given counts, also a half, which is that of the model before.
	names := []string{"error", "precision", "recall", "f1"}
	calibrateJSON(t, "b.boost", "held.csv", "--method", "none", "--threshold", "0.1", "-o", "n1.boost")
	args := []string{"n1.boost", "new.csv"}
	for _, name := range names {
		args = append(args, "--metric", name, "--metric", name+"@0.50", "--metric", name+"@0.1")
	}
	e = evalJSON(t, args...)
	for _, name := range names {
		half := evalJSON(t, "b.boost", "new.csv", "--metric", name).Metrics[name]
		if own := e.Metrics[name]; len(e.Metrics) != 12 || e.Metrics[name+"@0.5"] != half || own != e.Metrics[name+"@0.1"] || own == half {
			t.Errorf("%s is %v at a half: of the model with a threshold %v", name, half, e.Metrics)
		}
	}
	e = evalJSON(t, "b9.boost", "new.csv", "--confusion")
	if got := e.Confusion.Rows[0][1] + e.Confusion.Rows[1][1]; got != yes {
		t.Errorf("the confusion has %v rows of yes, predict %v", got, yes)
	}
	calibrateJSON(t, "b.boost", "held.csv", "--threshold", "0.1", "-o", "b1.boost")
	if readFile(t, "b1.boost") != readFile(t, "b9.boost") {
		t.Error("--threshold 0.1 is not --costs 1,9")
	}
}

// covered counts the labels inside the intervals of new.csv, and of which city they are.
func covered(t *testing.T, csv string) (rows, inside map[string]float64) {
	t.Helper()
	low, high := numbersOf(t, csv, "lower"), numbersOf(t, csv, "upper")
	labels, cities := numbersOf(t, readFile(t, "new.csv"), "y"), column(t, readFile(t, "new.csv"), "city")
	rows, inside = map[string]float64{}, map[string]float64{}
	for i, y := range labels {
		rows[cities[i]]++
		if low[i] <= y && y <= high[i] {
			inside[cities[i]]++
		}
	}
	return rows, inside
}

// With 1,000 rows to calibrate on and 1,500 to count, coverage is off by 3 points once in a hundred; of 600 rows by 5.
func TestIntervals(t *testing.T) {
	heldOut(t)
	plain := calibrateJSON(t, "y.boost", "held.csv", "--intervals", "0.8", "-o", "yi.boost")
	rows, inside := covered(t, must(t, 0, boost(t, "predict", "yi.boost", "new.csv")).out)
	if all := (inside["Oslo"] + inside["Rome"]) / 1500; math.Abs(all-0.8) > 0.03 || math.Abs(*plain.Intervals.Coverage-0.8) > 0.03 {
		t.Errorf("intervals of 0.8 cover %v of new rows, said is %v", all, *plain.Intervals.Coverage)
	}
	if oslo, rome := inside["Oslo"]/rows["Oslo"], inside["Rome"]/rows["Rome"]; oslo < 0.9 || rome > 0.65 {
		t.Fatalf("without groups Oslo is covered by %v and Rome by %v: the table is not made for this test", oslo, rome)
	}
	must(t, 0, boost(t, "calibrate", "yi.boost", "held.csv", "--method", "none", "-q", "-o", "away.boost"))
	if readFile(t, "away.boost") != readFile(t, "y.boost") || readFile(t, "yi.boost") == readFile(t, "y.boost") {
		t.Error("a model without its intervals is not what it was before")
	}
	by := calibrateJSON(t, "y.boost", "held.csv", "--intervals", "0.8", "--by", "city", "-o", "yg.boost")
	rows, inside = covered(t, must(t, 0, boost(t, "predict", "yg.boost", "new.csv")).out)
	for _, city := range []string{"Oslo", "Rome"} {
		if got := inside[city] / rows[city]; math.Abs(got-0.8) > 0.05 {
			t.Errorf("by city, %v of %s is covered", got, city)
		}
	}
	if g := by.Intervals.Groups; by.Intervals.By != "city" || len(g) != 2 || !(*g[0].Width < *g[1].Width) != (*g[0].Value == "Rome") || !g[0].Own {
		t.Errorf("by city: %+v", by.Intervals)
	}
	raw := must(t, 0, boost(t, "predict", "yg.boost", "new.csv", "--kind", "value")).out
	if want := must(t, 0, boost(t, "predict", "y.boost", "new.csv")).out; raw != want {
		t.Error("intervals change the predictions")
	}
	for _, format := range []string{"csv", "jsonl"} {
		whole := must(t, 0, boost(t, "predict", "yg.boost", "new.csv", "--kind", "interval", "--format", format)).out
		if parts := must(t, 0, boostWith(t, readFile(t, "new.csv"), "predict", "yg.boost", "-", "--kind", "interval", "--format", format)).out; parts != whole {
			t.Errorf("%s: standard input has other intervals than the file", format)
		}
	}
}

func TestQuantileIntervals(t *testing.T) {
	heldOut(t)
	must(t, 0, boost(t, "train", "train.csv", "--label", "y", "-q", "-o", "q.boost", "--ignore", "b,c", "--objective", "quantile",
		"--set", "objective.alpha=[0.1,0.5,0.9]", "--set", "train.rounds=40", "--set", "train.early_stopping=0", "--effort", "quick"))
	found := calibrateJSON(t, "q.boost", "held.csv", "--intervals", "80%", "-o", "qi.boost")
	csv := must(t, 0, boost(t, "predict", "qi.boost", "new.csv")).out
	rows, inside := covered(t, csv)
	if all := (inside["Oslo"] + inside["Rome"]) / (rows["Oslo"] + rows["Rome"]); found.Intervals.Kind != "quantiles" || math.Abs(all-0.8) > 0.03 {
		t.Errorf("%+v cover %v of new rows", found.Intervals, all)
	}
	low, lower := numbersOf(t, csv, "quantile_0.1"), numbersOf(t, csv, "lower")
	high, upper := numbersOf(t, csv, "quantile_0.9"), numbersOf(t, csv, "upper")
	for i := range low {
		if d := (low[i] - lower[i]) - (upper[i] - high[i]); math.Abs(d) > 1e-9 {
			t.Fatalf("row %d: quantiles %v and %v, interval %v to %v", i, low[i], high[i], lower[i], upper[i])
		}
	}
	says(t, must(t, 2, boost(t, "calibrate", "q.boost", "held.csv", "--intervals", "0.1")).errors, "objective.alpha = [0.45, 0.55]")
	must(t, 0, boost(t, "train", "train.csv", "--label", "y", "-q", "-o", "high.boost", "--ignore", "b,c", "--objective", "quantile",
		"--set", "objective.alpha=[0.6,0.9]", "--set", "train.rounds=5", "--set", "train.early_stopping=0", "--effort", "quick"))
	says(t, must(t, 2, boost(t, "calibrate", "high.boost", "held.csv", "--intervals", "0.8")).errors,
		"[0.6 0.9] that are nearest to an interval that covers 0.8 are not on both sides of the median", "objective.alpha = [0.1, 0.9]")
}

func TestSets(t *testing.T) {
	heldOut(t)
	found := calibrateJSON(t, "c.boost", "held.csv", "--intervals", "0.9", "-o", "cs.boost")
	out := must(t, 0, boost(t, "predict", "cs.boost", "new.csv")).out
	inside, size := 0.0, 0.0
	labels := column(t, readFile(t, "new.csv"), "c")
	for i, set := range column(t, out, "classes") {
		for _, class := range strings.Split(set, "|") {
			if size++; class == labels[i] {
				inside++
			}
		}
	}
	if got := inside / 1500; math.Abs(got-0.9) > 0.025 || math.Abs(*found.Intervals.Width-size/1500) > 0.1 || found.Intervals.Kind != "sets" {
		t.Errorf("sets of 0.9 cover %v with %v classes, said is %+v", got, size/1500, found.Intervals)
	}
	// Where nothing else is written, an empty set is a cell in quotes: readers skip empty lines.
	calibrateJSON(t, "c.boost", "held.csv", "--intervals", "0.3", "-o", "few.boost")
	few := must(t, 0, boost(t, "predict", "few.boost", "new.csv", "--kind", "interval")).out
	sets, err := csv.NewReader(strings.NewReader(few)).ReadAll()
	if err != nil || len(sets) != 1501 || !strings.Contains(few, "\n\"\"\n") {
		t.Errorf("%d lines of 1,501, %v", len(sets), err)
	}
}

// What changes the trees leaves the calibration out and says so.
func TestChangesAreNotCalibrated(t *testing.T) {
	heldOut(t)
	calibrateJSON(t, "b.boost", "held.csv", "--method", "platt", "--intervals", "0.9", "-o", "bc.boost")
	for name, args := range map[string][]string{
		"rollback": {"rollback", "bc.boost", "--rounds", "60", "-o", "o.boost"},
		"merge":    {"merge", "b.boost", "bc.boost", "-o", "o.boost"},
		"refit":    {"refit", "bc.boost", "new.csv", "-o", "o.boost"},
		"quantize": {"quantize", "bc.boost", "--dtype", "q4_0", "-o", "o.boost"},
		"train":    {"train", "train.csv", "--init-model", "bc.boost", "--rounds", "3", "-o", "o.boost"},
	} {
		says(t, must(t, 0, boost(t, args...)).errors, "boost calibrate")
		if out := must(t, 0, boost(t, "inspect", "o.boost")).out; strings.Contains(out, "calibrated") {
			t.Errorf("%s keeps the calibration:\n%s", name, out)
		}
	}
	says(t, must(t, 0, boost(t, "reproduce", "bc.boost", "train.csv")).out, "same")
	must(t, 0, boost(t, "convert", "bc.boost", "bc.json"))
	must(t, 0, boost(t, "convert", "bc.json", "back.boost"))
	if readFile(t, "back.boost") != readFile(t, "bc.boost") {
		t.Error("the JSON of a calibrated model gives another file back")
	}
}

// TestTrainingRowsOfMadeModels: models that were made of others know the tables of these as tables they were trained on.
func TestTrainingRowsOfMadeModels(t *testing.T) {
	heldOut(t)
	rows := lines(readFile(t, "train.csv"))
	half := len(rows) / 2
	file(t, "one.csv", strings.Join(rows[:half], "\n")+"\n")
	file(t, "two.csv", rows[0]+"\n"+strings.Join(rows[half:], "\n")+"\n")
	train := func(args ...string) {
		must(t, 0, boost(t, append([]string{"train", "--label", "y", "-q", "--rounds", "5", "--set", "train.effort=", "--set", "train.early_stopping=0"}, args...)...))
	}
	train("one.csv", "-o", "one.boost")
	train("two.csv", "-o", "two.boost")
	train("two.csv", "--init-model", "one.boost", "-o", "on.boost")
	must(t, 0, boost(t, "refit", "one.boost", "two.csv", "-o", "refit.boost"))
	must(t, 0, boost(t, "merge", "one.boost", "two.boost", "-o", "merged.boost"))
	must(t, 0, boost(t, "refit", "merged.boost", "held.csv", "-o", "again.boost"))
	must(t, 0, boost(t, "cv", "one.csv", "--label", "y", "--folds", "3", "--rounds", "5", "--effort", "quick", "-q", "-o", "average.boost"))
	for model, tables := range map[string]string{
		"on.boost": "one two", "refit.boost": "one two", "merged.boost": "one two", "again.boost": "one two held", "average.boost": "one",
	} {
		for _, table := range strings.Fields(tables) {
			must(t, 2, boost(t, "calibrate", model, table+".csv", "--intervals", "0.9", "-o", "o.boost"))
			must(t, 2, boost(t, "quantize", model, "--data", table+".csv", "--max-loss", "1%", "-o", "o.boost"))
		}
	}
	calibrateJSON(t, "merged.boost", "held.csv", "--intervals", "0.9", "-o", "o.boost")
	must(t, 0, boost(t, "convert", "again.boost", "again.json"))
	must(t, 0, boost(t, "convert", "again.json", "back.boost"))
	if readFile(t, "back.boost") != readFile(t, "again.boost") {
		t.Error("the JSON of a model that was made of others gives another file back")
	}
}

func TestCalibrateRefuses(t *testing.T) {
	heldOut(t)
	calibrateJSON(t, "b.boost", "held.csv", "--method", "platt", "--intervals", "0.9", "-o", "bc.boost")
	calibrateJSON(t, "y.boost", "held.csv", "--intervals", "0.9", "-o", "yc.boost")
	file(t, "few.csv", strings.Join(lines(readFile(t, "held.csv"))[:8], "\n")+"\n")
	for _, c := range []struct {
		code int
		want string
		args []string
	}{
		{2, "the table is one that the model, or a model that it was made of, was trained on", []string{"calibrate", "b.boost", "train.csv"}},
		{2, "y.boost predicts numbers, which have intervals only: give --intervals 0.9", []string{"calibrate", "y.boost", "held.csv"}},
		{2, `calibration "platt" is for probabilities`, []string{"calibrate", "y.boost", "held.csv", "--method", "platt"}},
		{2, `calibration "beta" is for two classes, and the model has 3`, []string{"calibrate", "c.boost", "held.csv", "--method", "beta"}},
		{2, `calibration "sigmoid" is unknown`, []string{"calibrate", "b.boost", "held.csv", "--method", "sigmoid"}},
		{2, "a threshold is for two classes, and the model has 3", []string{"calibrate", "c.boost", "held.csv", "--costs", "1,2"}},
		{2, "--costs 1: expected two numbers above 0", []string{"calibrate", "b.boost", "held.csv", "--costs", "1"}},
		{2, "--costs 1,-2: expected two numbers above 0", []string{"calibrate", "b.boost", "held.csv", "--costs", "1,-2"}},
		{2, "leave --threshold out", []string{"calibrate", "b.boost", "held.csv", "--costs", "1,2", "--threshold", "0.3"}},
		{2, "--threshold must be above 0 and below 1", []string{"calibrate", "b.boost", "held.csv", "--threshold", "1"}},
		{2, "--intervals must be above 0 and below 1", []string{"calibrate", "b.boost", "held.csv", "--intervals", "90"}},
		{2, "must be a share, such as 0.9 or 90%", []string{"calibrate", "b.boost", "held.csv", "--intervals", "most"}},
		{2, "--by needs intervals", []string{"calibrate", "b.boost", "held.csv", "--by", "city"}},
		{2, `groups of column "x", which has numbers`, []string{"calibrate", "b.boost", "held.csv", "--intervals", "0.9", "--by", "x"}},
		{2, `groups of column "town", which is no feature`, []string{"calibrate", "b.boost", "held.csv", "--intervals", "0.9", "--by", "town"}},
		{3, "7 rows are too few for intervals", []string{"calibrate", "y.boost", "few.csv", "--intervals", "0.9"}},
		{3, "rows: to be calibrated each class needs 5", []string{"calibrate", "b.boost", "few.csv", "--method", "platt"}},
		{2, "--kind interval: b.boost has no intervals", []string{"predict", "b.boost", "new.csv", "--kind", "interval"}},
		{2, "--rounds: bc.boost is calibrated for all its 60 rounds", []string{"predict", "bc.boost", "new.csv", "--rounds", "3"}},
		{2, "--rounds: yc.boost is calibrated for all its 60 rounds", []string{"predict", "yc.boost", "new.csv", "--rounds", "3"}},
		{2, "--staged: bc.boost is calibrated", []string{"predict", "bc.boost", "new.csv", "--staged", "3"}},
		{2, "--early-stop: bc.boost is calibrated", []string{"predict", "bc.boost", "new.csv", "--kind", "class", "--early-stop", "0"}},
		{2, "--rounds: bc.boost is calibrated", []string{"eval", "bc.boost", "new.csv", "--rounds", "3"}},
		{2, "--staged: bc.boost is calibrated", []string{"eval", "bc.boost", "new.csv", "--staged", "3"}},
	} {
		says(t, must(t, c.code, boost(t, c.args...)).errors, c.want)
	}
	must(t, 0, boost(t, "predict", "bc.boost", "new.csv", "--rounds", "3", "--kind", "raw"))
	must(t, 0, boost(t, "predict", "yc.boost", "new.csv", "--rounds", "3", "--kind", "value"))
	must(t, 0, boost(t, "eval", "yc.boost", "new.csv", "--staged", "30"))
	says(t, must(t, 0, boost(t, "calibrate", "b.boost", "train.csv", "--allow-train-data")).errors, "train.csv is the table that the model was trained on")
	must(t, 0, boost(t, "train", "train.csv", "--valid", "held.csv", "--label", "b", "-q", "-o", "v.boost", "--ignore", "y,c", "--effort", "quick"))
	says(t, must(t, 0, boost(t, "calibrate", "v.boost", "held.csv")).errors, "held.csv is a validation set of the model")
	if _, err := os.Stat("m.boost"); err == nil {
		t.Error("without -o a model was written")
	}
}

// A level of few rows has the intervals of all rows, and is named.
func TestGroupsOfFewRows(t *testing.T) {
	heldOut(t)
	rows := lines(readFile(t, "held.csv"))
	few := append([]string{}, rows[0])
	for _, row := range rows[1:] {
		if !strings.Contains(row, "Rome") || len(few) < 6 {
			few = append(few, row)
		}
	}
	file(t, "few.csv", strings.Join(few, "\n")+"\n")
	r := must(t, 0, boost(t, "calibrate", "y.boost", "few.csv", "--intervals", "0.9", "--by", "city", "--json"))
	says(t, r.errors, "levels of city with fewer than 9 rows have the intervals of all rows", ": Rome")
	says(t, r.out, `"own": false`)
}
