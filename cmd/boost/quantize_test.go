package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"boost/booster/model"
	"boost/internal/format"
	"boost/internal/report"
	"boost/internal/testenv"
	"boost/ptq"
	"boost/ptq/compress"
)

// Train, calibrate, morph, save, load and predict, for every form: the small model predicts
// what the full one predicts with the leaf values that its form decodes to.
func TestQuantize(t *testing.T) {
	models(t)
	for number, name := range []string{"y", "b", "c"} {
		full, err := model.Load(name + ".boost")
		if err != nil {
			t.Fatal(err)
		}
		narrow, err := full.Narrowed(model.KnownNames)
		if err != nil {
			t.Fatal(err)
		}
		for i, form := range ptq.Forms() {
			if number > 0 && i%4 != number && !testenv.Soak() {
				continue // every form of one model, some of the others
			}
			t.Run("S4.28/"+name+"/"+form.String(), func(t *testing.T) {
				flag := "--dtype"
				if _, typed := form.DType(); !typed && form != ptq.FormQ4_0 {
					flag = "--tiers"
				}
				r := boost(t, "quantize", name+".boost", "-o", "q.boost", flag, strings.ToLower(form.String()))
				must(t, 0, r)
				says(t, r.out, form.String(), "× smaller", "is not known")
				few := form == ptq.FormOf(ptq.Binary) || form == ptq.FormOf(ptq.I2)
				if got := strings.Contains(r.errors, "keeps very little"); got != few {
					t.Errorf("warning: %v\n%s", got, r.errors)
				}
				small, err := model.Load("q.boost")
				if err != nil {
					t.Fatal(err)
				}
				c := compared(t, name+".boost", "q.boost")
				cosine := math.NaN()
				if c.Cosine != nil {
					cosine = *c.Cosine
				}
				says(t, r.out, fmt.Sprintf("leaves: cosine %s, mean squared difference %s, largest difference %s\n",
					format.Cosine(cosine), format.SixDigits(*c.MSE), format.SixDigits(*c.MaxLeaf)))
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
		Before      int64              `json:"bytes_before"`
		Bytes       int64              `json:"bytes"`
		Certificate json.RawMessage    `json:"certificate"`
		Candidates  []report.Candidate `json:"candidates"`
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
	must(t, 0, boost(t, args("--data", "u.csv", "--max-bytes", "100KB", "--keep-stats")...))
	says(t, must(t, 0, boost(t, "inspect", "q.boost", "--importance", "gain")).out, "%")
	says(t, must(t, 0, boost(t, "predict", "q.boost", "u.csv", "--kind", "contrib")).out, "contribution_")

	// Pruned models are tried, and the file says so.
	r = must(t, 0, boost(t, args("--data", "u.csv", "--dtype", "F64", "--max-loss", "50%")...))
	says(t, r.out, "pruned to ", " % of leaves")
	says(t, must(t, 0, boost(t, "inspect", "q.boost")).out, "there were ", "pruned from", "compressed from")
	says(t, must(t, 2, boost(t, "reproduce", "q.boost", "t.csv")).errors, "was pruned")
	if r := must(t, 0, boost(t, args("--data", "u.csv", "--dtype", "F64", "--max-loss", "50%", "--prune", "off")...)); strings.Contains(r.out, "pruned") {
		t.Errorf("pruned all the same: %s", r.out)
	}
	says(t, must(t, 2, boost(t, "reproduce", "q.boost", "t.csv")).errors, "compressed", "full model")

	// The rows that the model was trained on.
	says(t, must(t, 2, boost(t, args("--data", "t.csv", "--max-loss", "5%")...)).errors, "trained on", "--allow-train-data")
	r = must(t, 0, boost(t, args("--data", "t.csv", "--max-loss", "5%", "--allow-train-data")...))
	says(t, r.out, "say nothing of others")
	says(t, must(t, 0, boost(t, "inspect", "q.boost")).out, "trained on")

	// The metric is that of the objective, whatever training watched (docs/compression.md).
	must(t, 0, boost(t, "train", "t.csv", "--label", "y", "-q", "-o", "mae.boost", "--rounds", "3", "--set", "metrics.names=mae"))
	says(t, must(t, 0, boost(t, "quantize", "mae.boost", "-o", "q.boost", "--data", "u.csv", "--max-loss", "5%")).out, "\nrmse on ")
	t.Run("S4.38/coarsest_say_what_they_cost", func(t *testing.T) {
		for _, name := range []string{"I2", "Binary"} {
			r := must(t, 0, boost(t, args("--data", "u.csv", "--dtype", name)...))
			says(t, r.errors, name+" keeps very little", "rmse goes from", "I8 or Q4_0 are better first choices")
		}
		if r := must(t, 0, boost(t, args("--data", "u.csv", "--dtype", "I8")...)); strings.Contains(r.errors, "very little") {
			t.Errorf("I8 is warned of: %s", r.errors)
		}
	})
}

func TestQuantizeRefuses(t *testing.T) {
	models(t)
	file(t, "u.csv", table(400))
	file(t, "two.csv", table(2)) // both of one half
	must(t, 0, boost(t, "quantize", "y.boost", "-o", "q.boost", "--dtype", "i8"))
	for _, c := range []struct {
		code int
		args string
		says []string
	}{
		{2, "quantize", []string{"MODEL is missing"}},
		{2, "quantize y.boost", []string{"-o is missing"}},
		{2, "quantize y.boost -o y.boost --dtype i8", []string{"is read"}},
		{2, "quantize y.boost -o x.boost", []string{"name a form with --dtype", "--dtype", "--max-loss"}},
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
		{3, "quantize y.boost -o x.boost --dtype i8 --data two.csv", []string{"two.csv", "too few rows (2)", "give more rows"}},
		{2, "quantize y.boost -o x.boost --dtype i8 --data t.csv", []string{"t.csv", "trained on", "--allow-train-data"}},
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

// Rows of one class say nothing of the others, and that is said.
func TestQuantizeOneClass(t *testing.T) {
	models(t)
	rows := lines(table(400))
	one := rows[:1]
	for _, row := range rows[1:] {
		if strings.Contains(row, ",no,") {
			one = append(one, row)
		}
	}
	file(t, "u.csv", table(400))
	file(t, "no.csv", strings.Join(one, "\n")+"\n")
	r := must(t, 0, boost(t, "quantize", "b.boost", "-o", "q.boost", "--dtype", "q4_0", "--data", "no.csv"))
	says(t, r.errors, "no.csv", fmt.Sprintf("all %d rows are of the class \"no\"", len(one)-1))
	if r := must(t, 0, boost(t, "quantize", "b.boost", "-o", "q.boost", "--dtype", "q4_0", "--data", "u.csv")); strings.Contains(r.errors, "class") {
		t.Errorf("rows of both classes: %s", r.errors)
	}
}

// Few rows that certify are said to be few, and enough are not.
func TestQuantizeFewRows(t *testing.T) {
	models(t)
	file(t, "few.csv", table(60))
	file(t, "u.csv", table(400))
	r := must(t, 0, boost(t, "quantize", "y.boost", "-o", "q.boost", "--dtype", "q4_0", "--data", "few.csv"))
	says(t, r.errors, "rows certify the loss", "pass 200 rows or more")
	if r := must(t, 0, boost(t, "quantize", "y.boost", "-o", "q.boost", "--dtype", "q4_0", "--data", "u.csv")); strings.Contains(r.errors, "certify") {
		t.Errorf("400 rows: %s", r.errors)
	}
}

// Training writes the small model beside the full one, or neither.
// TestQuantizeNegativeMetric: a loss that is below 0 changes by a share of its size.
func TestQuantizeNegativeMetric(t *testing.T) {
	inFolder(t)
	rows := "a,t,ev\n"
	for i := range 400 {
		rows += fmt.Sprintf("%d,%.8f,1\n", i%20, math.Exp(0.2*float64(i%20)-8)*(1+0.05*math.Sin(float64(i))))
	}
	file(t, "aft.csv", rows)
	must(t, 0, boost(t, "train", "aft.csv", "--label", "t", "--event", "ev", "--objective", "aft", "--set", "objective.scale=0.1",
		"--set", "train.effort=", "--set", "train.early_stopping=0", "--rounds", "20", "-q", "-o", "x.boost"))
	var got struct {
		Certificate struct {
			Before, After float64
			Bound         float64 `json:"loss_bound"`
		}
		Candidates []struct{ Loss float64 }
	}
	out := must(t, 0, boost(t, "quantize", "x.boost", "--data", "aft.csv", "--allow-train-data", "--dtype", "i4", "-o", "z.boost", "--json")).out
	if err := json.Unmarshal([]byte(out), &got); err != nil {
		t.Fatal(err)
	}
	c := got.Certificate
	if share := (c.After - c.Before) / -c.Before; !(c.Before < -7 && share > 0 && share < c.Bound && c.Bound < 0.1) {
		t.Errorf("aft_nloglik went from %v to %v, by %v, at most %v", c.Before, c.After, share, c.Bound)
	}
}

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

// Training searches for the small model within bounds, over rows that no tree was grown on.
func TestTrainQuantizesWithin(t *testing.T) {
	models(t)
	file(t, "u.csv", table(400))
	train := func(more ...string) result {
		return boost(t, append([]string{"train", "t.csv", "--label", "y", "-q", "--set", "data.ignore=b,c", "--set", "data.id=id",
			"--set", "train.rounds=8", "--set", "train.early_stopping=0", "-o", "z.boost"}, more...)...)
	}
	certificate := func(name string) *compress.Certificate {
		t.Helper()
		m, err := model.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		c, err := compress.CertificateOf(m)
		if err != nil || c == nil {
			t.Fatalf("%s: %v, certificate %v", name, err, c)
		}
		return c
	}
	t.Run("as_quantize", func(t *testing.T) {
		for _, how := range [][2]string{
			{"--set quantize.max_loss=5%", "--max-loss 5%"},
			{"--set quantize.max_loss=0.05 --set quantize.tiers=hot,warm --set quantize.dtype=I8", "--max-loss 5% --tiers hot,warm --dtype I8"},
			{"--set quantize.max_bytes=100KB", "--max-bytes 100KB"},
			{"--set quantize.dtype=I8 --set quantize.calibrate=percentile:99.9 --set quantize.by=tree", "--dtype I8 --calibrate percentile:99.9 --by tree"},
			{"--set quantize.tiers=warm5", "--tiers warm5"},
		} {
			must(t, 0, train(append(strings.Fields(how[0]), "--valid", "u.csv")...))
			// Types and tiers are tried in one order by both.
			must(t, 0, boost(t, append(strings.Fields("quantize z.boost -q -o same.boost --data u.csv "), strings.Fields(how[1])...)...))
			want, err := os.ReadFile("same.boost")
			if err != nil {
				t.Fatal(err)
			}
			if got, err := os.ReadFile("z.q.boost"); err != nil || !bytes.Equal(got, want) {
				t.Errorf("%s: another small model than that of boost quantize %s (%v)", how[0], how[1], err)
			}
			if c := certificate("z.q.boost"); c.Method != compress.ByBootstrap || c.TrainingData || c.Rows < 150 || c.Rows > 250 {
				t.Errorf("%s: certificate %+v", how[0], c)
			}
		}
	})
	t.Run("held_out", func(t *testing.T) {
		r := must(t, 0, boost(t, "train", "t.csv", "--label", "y", "--set", "data.ignore=b,c", "--set", "data.id=id",
			"--set", "train.rounds=8", "-o", "h.boost", "--set", "quantize.max_loss=50%", "--json", "-v"))
		var out report.Training
		if err := json.Unmarshal([]byte(r.out), &out); err != nil {
			t.Fatal(err)
		}
		c := certificate("h.q.boost")
		held := 0 // a tenth of the rows, of which one half certifies
		for line := range strings.Lines(r.errors) {
			if strings.Contains(line, "held out") {
				if _, err := fmt.Sscanf(line[strings.Index(line, "(rows ")+6:], "%d", &held); err != nil {
					t.Fatal(err)
				}
			}
		}
		if c.Rows == 0 || c.Rows >= held || c.TrainingData || out.Quantized == nil || out.Quantized.Certificate.Rows != c.Rows {
			t.Errorf("%d rows held out, certificate %+v, summary %+v", held, c, out.Quantized)
		}
	})
	t.Run("feedback_is_what_training_saw", func(t *testing.T) {
		for _, form := range []string{"I4", "Q4_0"} {
			must(t, 0, train("--valid", "u.csv", "--set", "quantize.error_feedback=true", "--set", "quantize.dtype="+form))
			full := must(t, 0, boost(t, "predict", "z.boost", "u.csv", "-q", "--kind", "raw")).out
			small := must(t, 0, boost(t, "predict", "z.q.boost", "u.csv", "-q", "--kind", "raw")).out
			if full != small {
				t.Errorf("%s: the trees were grown on other leaf values than are stored", form)
			}
		}
	})
	t.Run("full_model_is_not_lost", func(t *testing.T) {
		for _, name := range []string{"z.boost", "z.q.boost"} {
			if err := os.Remove(name); err != nil {
				t.Fatal(err)
			}
		}
		r := must(t, 5, train("--set", "quantize.max_bytes=100"))
		says(t, r.errors, "bounds", "z.boost.partial", "boost quantize")
		for _, name := range []string{"z.boost", "z.q.boost"} {
			if _, err := os.Stat(name); err == nil {
				t.Errorf("%s was written", name)
			}
		}
		if _, err := model.Load("z.boost.partial"); err != nil {
			t.Error(err)
		}
	})
	t.Run("refuses", func(t *testing.T) {
		for _, c := range []struct {
			args string
			says string
		}{
			{"quantize.max_loss=lots", "0.1%"},
			{"quantize.max_loss=101%", "quantize.max_loss"},
			{"quantize.max_loss=1%", "train.early_stopping"}, // no rows to certify on
			{"quantize.calibrate=mse", "quantize.dtype"},
			{"quantize.by=tree", "quantize.dtype"},
			{"quantize.tiers=lukewarm", "hot"},
			{"quantize.tiers=hot,warm", "several forms"},
			{"quantize.tiers=hot quantize.by=tree", "scale in each block"},
			{"quantize.dtype=I8 quantize.calibrate=magic", "absmax"},
			{"quantize.dtype=F32 quantize.calibrate=mse", "F32"},
			{"quantize.dtype=I8 quantize.tiers=hot quantize.max_bytes=9KB quantize.error_feedback=true", "quantize.tiers"},
			{"quantize.error_feedback=true quantize.max_bytes=9KB", "quantize.dtype"},
		} {
			var sets []string
			for _, set := range strings.Fields(c.args) {
				sets = append(sets, "--set", set)
			}
			says(t, must(t, 2, train(sets...)).errors, c.says)
		}
		says(t, must(t, 2, train("--set", "quantize.max_loss=1%", "--valid", "-")).errors, "standard input")
		says(t, must(t, 5, train("--set", "quantize.max_loss=1%", "--valid", "u.csv", "--set", "data.out_of_core=true", "--set", "quantize.max_bytes=10")).errors, "--data")
	})
}

// A model whose metric is no mean over rows is compressed without a certificate, and a bound on its loss is refused before it is trained.
func TestTrainCompressesWithoutACertificate(t *testing.T) {
	inFolder(t)
	var ranking, survival strings.Builder
	ranking.WriteString("q,x,y\n")
	survival.WriteString("x,time,event\n")
	for row := range 400 {
		fmt.Fprintf(&ranking, "%d,%d,%d\n", row/10, row%7, row%7/3)
		fmt.Fprintf(&survival, "%d,%d,%d\n", row%7, 1+row%7+row%3, row%2)
	}
	file(t, "ranking.csv", ranking.String())
	file(t, "survival.csv", survival.String())
	for metric, args := range map[string]string{
		"ndcg@10":     "ranking.csv --label y --group q --objective lambdarank --valid ranking.csv",
		"cox_nloglik": "survival.csv --label time --set data.event=event --objective cox --valid survival.csv",
	} {
		train := append([]string{"train", "-o", "m.boost", "--rounds", "3", "--set", "train.early_stopping=0"}, strings.Fields(args)...)
		says(t, must(t, 2, boost(t, append(train, "--set", "quantize.max_loss=0.5")...)).errors, "quantize.max_loss", metric+", by which objective")
		if _, err := os.Stat("m.boost.partial"); err == nil {
			t.Errorf("%s: a model was trained before max_loss was refused", metric)
		}
		for _, set := range []string{"quantize.dtype=I8", "quantize.max_bytes=1MB"} {
			says(t, must(t, 0, boost(t, append(train, "--set", set)...)).errors, "not measured: "+metric)
			if small, err := model.Load("m.q.boost"); err != nil || small.Rounds() != 3 {
				t.Errorf("%s: %v", metric, err)
			}
			_ = os.Remove("m.q.boost")
		}
		for _, bound := range []string{"--dtype=I8", "--max-loss=1%", "--max-bytes=1MB"} {
			r := must(t, 2, boost(t, "quantize", "m.boost", "-o", "q.boost", "--data", args[:strings.Index(args, " ")], "--allow-train-data", bound))
			says(t, r.errors, metric+", by which objective", "leave --data and --max-loss out")
		}
	}
}

// Models of losses without second derivatives are compressed within a bound without pruning, and that is said; asking for it is wrong use.
func TestQuantizeWithoutHessians(t *testing.T) {
	inFolder(t)
	file(t, "t.csv", table(400))
	file(t, "u.csv", table(800))
	const why = "pruning needs the second derivative of the loss, and that of objective "
	for _, objective := range []string{"l1", "mape", "quantile"} {
		r := must(t, 0, boost(t, "train", "t.csv", "--label", "y", "--set", "data.ignore=b,c", "--set", "data.id=id", "--effort", "quick", "--rounds", "8",
			"--objective", objective, "--valid", "u.csv", "-o", "l.boost", "--set", "quantize.max_loss=20%"))
		says(t, r.errors, "pruned models were not tried: "+why+objective)
		r = must(t, 0, boost(t, "quantize", "l.boost", "-o", "q.boost", "--data", "u.csv", "--max-loss", "20%"))
		says(t, r.errors, "pruned models were not tried: "+why+objective)
		if readFile(t, "l.q.boost") != readFile(t, "q.boost") {
			t.Errorf("%s: training wrote another small model than boost quantize", objective)
		}
		r = must(t, 2, boost(t, "quantize", "l.boost", "-o", "q.boost", "--data", "u.csv", "--max-loss", "20%", "--prune", "on"))
		says(t, r.errors, "pruned models cannot be tried: "+why+objective)
	}
}

// Models with monotone constraints are compressed within a bound. What breaks them is not among the candidates; where all do, the error says what helps.
func TestQuantizeMonotone(t *testing.T) {
	inFolder(t)
	file(t, "t.csv", table(4000))
	file(t, "u.csv", table(800))
	must(t, 0, boost(t, "train", "t.csv", "--label", "y", "-q", "--set", "data.ignore=b,c", "--set", "data.id=id", "--effort", "quick", "--rounds", "8",
		"--set", "tree.leaves=100", "--set", "constraints.monotone={x=1}", "--valid", "u.csv", "-o", "l.boost", "--set", "quantize.max_loss=20%"))
	quantize := func(more ...string) result {
		return boost(t, append([]string{"quantize", "l.boost", "-o", "q.boost", "--data", "u.csv", "--max-loss", "20%"}, more...)...)
	}
	says(t, must(t, 0, quantize()).out, "I16")
	if readFile(t, "l.q.boost") != readFile(t, "q.boost") {
		t.Error("training wrote another small model than boost quantize")
	}
	must(t, 0, quantize("--dtype", "I4"))
	r := must(t, 1, quantize("--dtype", "I4", "--error-feedback", "on"))
	says(t, r.errors, "error: the leaves of tree ", `would no longer keep constraints.monotone of column "x": leave error feedback out`)
	must(t, 0, quantize("--dtype", "I4", "--error-feedback", "off"))
}

// The picture of a search is drawn also where nothing keeps the bounds.
func TestQuantizePlot(t *testing.T) {
	models(t)
	file(t, "u.csv", table(400))
	for _, c := range []struct {
		code int
		args string
		want string
	}{
		{0, "--max-loss 5% --data u.csv", "at most 5 %"},
		{0, "--max-bytes 100KB", "raw scores change by at most"},
		{5, "--max-bytes 100", "candidates"},
	} {
		must(t, c.code, boost(t, append(strings.Fields("quantize y.boost -o q.boost --plot p.svg"), strings.Fields(c.args)...)...))
		svg, err := os.ReadFile("p.svg")
		if err != nil {
			t.Fatal(err)
		}
		says(t, string(svg), "<svg", c.want)
		if err := os.Remove("p.svg"); err != nil {
			t.Fatal(err)
		}
	}
	for args, want := range map[string]string{
		"--plot p.png": ".svg", "--plot t.csv": ".svg", "--plot q.svg -o q.svg": "a name of its own", "--plot u.svg --data u.svg": "a name of its own",
	} {
		file(t, "u.svg", table(10))
		says(t, must(t, 2, boost(t, append(strings.Fields("quantize y.boost -o q.boost --dtype i8"), strings.Fields(args)...)...)).errors, want)
	}
	must(t, 1, boost(t, strings.Fields("quantize y.boost -o other.boost --dtype i8 --plot none/p.svg")...))
	if _, err := os.Stat("other.boost"); err == nil {
		t.Error("a model was written, and its picture could not be")
	}
}

// titles makes rows of 200 titles, five of which matter, and so does that there is none.
func titles(n, seed int) string {
	var b strings.Builder
	b.WriteString("title,y\n")
	for i := range n {
		k := (i*7919 + seed) % 200
		title, y := fmt.Sprintf("title %x", k*2654435761), 0
		if k < 5 {
			y = 10 // five titles matter, and that there is none
		}
		if i%20 == 0 {
			title, y = "", 10
		}
		fmt.Fprintf(&b, "%s,%d.%d\n", title, y, i%7)
	}
	return b.String()
}

// Names that are left out are said to be: by quantize, by inspect, and where new levels are asked for.
func TestQuantizeLeavesNamesOut(t *testing.T) {
	inFolder(t)
	file(t, "t.csv", titles(4000, 0))
	file(t, "u.csv", titles(1500, 1))
	file(t, "new.csv", fmt.Sprintf("title\ntitle %x\ntitle %x\nnobody\n\"\"\n", 3*2654435761, 150*2654435761))
	must(t, 0, boost(t, "train", "t.csv", "--label", "y", "-q", "-o", "y.boost", "--set", "train.effort=quick", "--set", "train.rounds=20", "--set", "data.categorical=title", "--set", "categorical.min_per_group=5"))
	r := must(t, 0, boost(t, "quantize", "y.boost", "-o", "q.boost", "--data", "u.csv", "--max-loss", "1%"))
	says(t, r.out, "some levels of title are without names", "--keep-levels")
	says(t, must(t, 0, boost(t, "inspect", "q.boost")).out, "some levels of title are without names")
	says(t, must(t, 0, boost(t, "quantize", "y.boost", "-o", "b.boost", "--max-bytes", "100KB")).out, "some levels of title are without names")
	must(t, 0, boost(t, "quantize", "y.boost", "-o", "all.boost", "--data", "u.csv", "--max-loss", "1%", "--keep-levels"))
	small, all := readFile(t, "q.boost"), readFile(t, "all.boost")
	if len(small) > len(all)-100 {
		t.Errorf("%d bytes, with all names %d", len(small), len(all))
	}
	for _, load := range []string{"fast", "compact"} {
		says(t, must(t, 2, boost(t, "predict", "q.boost", "new.csv", "--on-unseen", "error", "--load", load)).errors,
			`does not name all levels of column "title"`, "full model", "--keep-levels")
		says(t, must(t, 3, boost(t, "predict", "all.boost", "new.csv", "--on-unseen", "error", "--load", load)).errors, `training did not have "nobody"`)
		r := must(t, 0, boost(t, "predict", "q.boost", "new.csv", "--load", load))
		lines := strings.Split(strings.TrimSpace(r.out), "\n")
		if strings.Contains(r.errors, "nobody") || len(lines) != 5 || lines[3] != lines[4] || lines[3] == lines[2] || lines[1] == lines[2] {
			t.Errorf("%s: predictions %q, %s", load, lines, r.errors)
		}
	}
	says(t, must(t, 2, boost(t, "train", "t.csv", "--label", "y", "-o", "more.boost", "--init-model", "q.boost")).errors, `does not name all levels of column "title"`)
}
