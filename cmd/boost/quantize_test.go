package main

import (
	"encoding/json"
	"math"
	"os"
	"strings"
	"testing"

	"boost/booster/model"
	"boost/ptq"
)

// Train, calibrate, morph, save, load and predict, for every form: the small model predicts
// what the full one predicts with the leaf values that its form decodes to.
func TestQuantize(t *testing.T) {
	models(t)
	for _, name := range []string{"y", "b", "c"} {
		full, err := model.Load(name + ".boost")
		if err != nil {
			t.Fatal(err)
		}
		narrow, err := full.Narrowed()
		if err != nil {
			t.Fatal(err)
		}
		for _, form := range ptq.Forms() {
			t.Run("S4.28/"+name+"/"+form.String(), func(t *testing.T) {
				flag := "--dtype"
				if _, typed := form.DType(); !typed && form != ptq.FormQ4_0 {
					flag = "--tiers"
				}
				r := boost(t, "quantize", name+".boost", "-o", "q.boost", flag, strings.ToLower(form.String()))
				must(t, 0, r)
				says(t, r.out, form.String(), "× smaller", "is not known")
				few := form == ptq.FormOf(ptq.Binary) || form == ptq.FormOf(ptq.I2)
				if got := strings.Contains(r.errors, "keeps next to nothing"); got != few {
					t.Errorf("warning: %v\n%s", got, r.errors)
				}
				small, err := model.Load("q.boost")
				if err != nil {
					t.Fatal(err)
				}
				values := make([]float64, len(small.Leaves()))
				small.Compressed().Leaves.DecodeRange(values, 0)
				expanded, err := narrow.WithLeaves(values)
				if err != nil {
					t.Fatal(err)
				}
				if err := expanded.Save("e.boost"); err != nil {
					t.Fatal(err)
				}
				for _, kind := range []string{"raw", "value", "leaf"} {
					got := must(t, 0, boost(t, "predict", "q.boost", "t.csv", "-q", "--kind", kind)).out
					want := must(t, 0, boost(t, "predict", "e.boost", "t.csv", "-q", "--kind", kind)).out
					if got != want {
						t.Errorf("%s predictions differ", kind)
					}
				}
			})
		}
	}
}

func TestQuantizeData(t *testing.T) {
	models(t)
	file(t, "u.csv", table(400))
	args := func(more ...string) []string {
		return append([]string{"quantize", "y.boost", "-o", "q.boost"}, more...)
	}
	r := must(t, 0, boost(t, args("--data", "u.csv", "--max-loss", "5%", "--json")...))
	var out struct {
		Before      int64           `json:"bytes_before"`
		Bytes       int64           `json:"bytes"`
		Certificate json.RawMessage `json:"certificate"`
		Candidates  []candidateJSON `json:"candidates"`
	}
	if err := json.Unmarshal([]byte(r.out), &out); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat("q.boost")
	if err != nil {
		t.Fatal(err)
	}
	if info.Size() != out.Bytes || out.Before <= out.Bytes || len(out.Candidates) < 10 || out.Certificate == nil {
		t.Errorf("%d bytes on disk: %s", info.Size(), r.out)
	}
	r = must(t, 0, boost(t, "inspect", "q.boost"))
	says(t, r.out, "certified", "rmse", "confidence", "raw scores", "compressed from", "left out: no covers and gains", "share of all splits")
	says(t, must(t, 2, boost(t, "inspect", "q.boost", "--importance", "gain")).errors, "no node statistics", "--keep-stats")
	says(t, must(t, 2, boost(t, "reproduce", "q.boost", "t.csv")).errors, "compressed", "full model")
	must(t, 0, boost(t, args("--data", "u.csv", "--max-bytes", "100KB", "--keep-stats")...))
	says(t, must(t, 0, boost(t, "inspect", "q.boost", "--importance", "gain")).out, "%")

	// Pruned models are tried, and the file says so.
	r = must(t, 0, boost(t, args("--data", "u.csv", "--dtype", "F64", "--max-loss", "50%")...))
	says(t, r.out, "pruned to ", " % of leaves")
	says(t, must(t, 0, boost(t, "inspect", "q.boost")).out, "there were ", "pruned from", "compressed from")
	says(t, must(t, 2, boost(t, "reproduce", "q.boost", "t.csv")).errors, "was pruned")
	if r := must(t, 0, boost(t, args("--data", "u.csv", "--dtype", "F64", "--max-loss", "50%", "--prune", "off")...)); strings.Contains(r.out, "pruned") {
		t.Errorf("pruned all the same: %s", r.out)
	}

	// The rows that the model was trained on.
	says(t, must(t, 2, boost(t, args("--data", "t.csv", "--max-loss", "5%")...)).errors, "trained on", "--allow-train-data")
	r = must(t, 0, boost(t, args("--data", "t.csv", "--max-loss", "5%", "--allow-train-data")...))
	says(t, r.out, "say nothing of others")
	says(t, must(t, 0, boost(t, "inspect", "q.boost")).out, "trained on")
	t.Run("S4.38/coarsest_say_what_they_cost", func(t *testing.T) {
		for _, name := range []string{"I2", "Binary"} {
			r := must(t, 0, boost(t, args("--data", "u.csv", "--dtype", name)...))
			says(t, r.errors, name+" keeps next to nothing", "rmse goes from", "I8 or Q4_0 are better first choices")
		}
		if r := must(t, 0, boost(t, args("--data", "u.csv", "--dtype", "I8")...)); strings.Contains(r.errors, "next to nothing") {
			t.Errorf("I8 is warned of: %s", r.errors)
		}
	})
}

func TestQuantizeRefuses(t *testing.T) {
	models(t)
	file(t, "u.csv", table(400))
	must(t, 0, boost(t, "quantize", "y.boost", "-o", "q.boost", "--dtype", "i8"))
	for _, c := range []struct {
		code int
		args string
		says []string
	}{
		{2, "quantize", []string{"MODEL is missing"}},
		{2, "quantize y.boost", []string{"-o is missing"}},
		{2, "quantize y.boost -o y.boost --dtype i8", []string{"is read"}},
		{2, "quantize y.boost -o x.boost", []string{"how small", "--dtype", "--max-loss"}},
		{2, "quantize y.boost -o x.boost --dtype i9", []string{"I8"}},
		{2, "quantize y.boost -o x.boost --dtype warm", []string{"--tiers"}},
		{2, "quantize y.boost -o x.boost --tiers lukewarm", []string{"hot, warm"}},
		{2, "quantize y.boost -o x.boost --dtype i8,i4", []string{"several formats"}},
		{2, "quantize y.boost -o x.boost --max-loss 0.1%", []string{"--data"}},
		{2, "quantize y.boost -o x.boost --max-loss lots --data u.csv", []string{"0.1%"}},
		{2, "quantize y.boost -o x.boost --max-bytes many", []string{"200KB"}},
		{2, "quantize y.boost -o x.boost --tiers warm --by tree", []string{"scale in each block"}},
		{2, "quantize y.boost -o x.boost --dtype q4_0 --calibrate mse", []string{"scale in each block"}},
		{2, "quantize y.boost -o x.boost --dtype i8 --calibrate percentile", []string{"percentile:99.9"}},
		{2, "quantize y.boost -o x.boost --dtype i8 --calibrate magic", []string{"absmax"}},
		{2, "quantize y.boost -o x.boost --dtype i8 --by leaf", []string{"output", "tree", "block"}},
		{2, "quantize y.boost -o x.boost --max-bytes 9KB --prune on", []string{"--prune on", "--data"}},
		{2, "quantize y.boost -o x.boost --dtype i8 --data u.csv --prune on", []string{"--prune on", "--max-loss"}},
		{2, "quantize y.boost -o x.boost --dtype i8 --prune maybe", []string{"auto", "off"}},
		{2, "quantize y.boost -o x.boost --dtype i8 --allow-train-data", []string{"--data"}},
		{2, "quantize q.boost -o x.boost --dtype i8", []string{"compressed already"}},
		{3, "quantize y.boost -o x.boost --dtype i8 --data none.csv", []string{"none.csv"}},
		{4, "quantize u.csv -o x.boost --dtype i8", []string{"u.csv"}},
		{5, "quantize y.boost -o x.boost --max-bytes 100", []string{"smallest"}},
	} {
		says(t, must(t, c.code, boost(t, strings.Fields(c.args)...)).errors, c.says...)
		if _, err := os.Stat("x.boost"); err == nil {
			t.Fatalf("%s wrote a model", c.args)
		}
	}
	for _, args := range []string{"--by tree", "--by block --calibrate mse", "--by output --calibrate percentile:99", "--calibrate absmax"} {
		must(t, 0, boost(t, append(strings.Fields("quantize c.boost -o x.boost --dtype i8"), strings.Fields(args)...)...))
		m, err := model.Load("x.boost")
		if err != nil {
			t.Fatal(err)
		}
		if e := m.Leaves(); len(e) == 0 || math.IsNaN(e[0]) {
			t.Errorf("%s: %v", args, e)
		}
	}
}

// Training writes the small model beside the full one, or neither.
func TestTrainQuantizes(t *testing.T) {
	models(t)
	train := func(more ...string) result {
		return boost(t, append([]string{"train", "t.csv", "--label", "y", "-q", "--set", "data.ignore=b,c", "--set", "data.id=id",
			"--set", "train.rounds=8", "--set", "train.early_stopping=0", "-o", "z.boost"}, more...)...)
	}
	must(t, 0, train("--set", "quantize.dtype=Q4_0"))
	must(t, 0, boost(t, "quantize", "z.boost", "-o", "same.boost", "--dtype", "q4_0", "-q"))
	want, err := os.ReadFile("same.boost")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile("z.q.boost"); err != nil || string(got) != string(want) {
		t.Errorf("training wrote another small model than boost quantize (%v)", err)
	}
	must(t, 0, train("--set", "quantize.dtype=warm", "--set", "quantize.output=other.boost"))
	if m, err := model.Load("other.boost"); err != nil || m.Compressed().Leaves.Form() != ptq.FormWarm {
		t.Errorf("other.boost: %v", err)
	}
	for _, name := range []string{"z.boost", "z.q.boost"} {
		if err := os.Remove(name); err != nil {
			t.Fatal(err)
		}
	}
	says(t, must(t, 2, train("--set", "quantize.output=other.boost")).errors, "quantize.dtype")
	says(t, must(t, 2, train("--set", "quantize.dtype=I8", "--set", "quantize.output=z.boost")).errors, "a name of its own")
	must(t, 1, train("--set", "quantize.dtype=I8", "--set", "quantize.output=none/q.boost"))
	if _, err := os.Stat("z.boost"); err == nil {
		t.Error("the full model was written without the small one")
	}
}
