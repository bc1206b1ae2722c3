package accuracy_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"boost/benchmarks/harness"
	"boost/booster"
	"boost/dataset"
	"boost/internal/testenv"
)

// Losses on the test rows of real sets beside those of reference.json: 200 rounds at the peers' settings. Two sides are the same loss on
// the same rows, so that seeds, bins and roundings are all that differs; most is how much worse ours may be.
func TestObjectivesBesidePeers(t *testing.T) {
	folder := shared(t)
	text, err := os.ReadFile(filepath.Join(folder, "reference.json"))
	if err != nil {
		t.Fatal(err)
	}
	var reference map[string]map[string]json.RawMessage
	if err := json.Unmarshal(text, &reference); err != nil {
		t.Fatal(err)
	}
	alpha := func(level float64) func(p *booster.Params) {
		return func(p *booster.Params) { p.Loss.Alpha = []float64{level} }
	}
	cases := []struct {
		set, objective string
		change         func(p *booster.Params)
		metric         string // ours
		peer, theirs   string // key and metric of the reference
		most           float64
	}{
		{"nycflights", "quantile", alpha(0.9), "pinball@0.9", "lightgbm:objective=quantile,alpha=0.9", "pinball", 1.01},
		{"nycflights", "quantile", alpha(0.5), "pinball@0.5", "lightgbm:objective=quantile,alpha=0.5", "pinball", 1.01},
		{"cps_earnings", "quantile", alpha(0.9), "pinball@0.9", "lightgbm:objective=quantile,alpha=0.9", "pinball", 1.01},
		{"nycflights", "l1", nil, "mae", "lightgbm:objective=regression_l1", "mae", 1.01},
		{"cps_earnings", "l1", nil, "mae", "lightgbm:objective=regression_l1", "mae", 1.01},
		{"nycflights", "huber", func(p *booster.Params) { p.Loss.Delta = 20 }, "mae", "lightgbm:objective=huber,alpha=20", "mae", 1},
		{"diamonds", "gamma", nil, "mae", "lightgbm:objective=gamma", "mae", 1.01},
		{"diamonds", "mape", nil, "mae", "lightgbm:objective=mape", "mae", 1},
		{"pg15_tweedie", "tweedie", nil, "tweedie_deviance@1.5", "lightgbm:objective=tweedie,tweedie_variance_power=1.5", "tweedie_deviance_p1.5", 1.01},
		{"abalone", "poisson", nil, "poisson_deviance", "lightgbm", "poisson_deviance", 1.02},
		{"motorcycle_ohlsson", "poisson", nil, "poisson_deviance", "lightgbm", "poisson_deviance", 1.02},
		{"msha_injuries", "poisson", nil, "poisson_deviance", "lightgbm", "poisson_deviance", 1.01},
		{"eu_health_visits", "poisson", nil, "poisson_deviance", "lightgbm", "poisson_deviance", 1.01},
		{"bemtpl97", "poisson", nil, "poisson_deviance", "lightgbm", "poisson_deviance", 1.01},
	}
	for _, c := range cases[:testenv.UnlessShort(len(cases), 3)] {
		t.Run(c.set+"/"+c.objective+"/"+c.metric, func(t *testing.T) {
			var want map[string]float64
			if err := json.Unmarshal(reference[c.set][c.peer], &want); err != nil {
				t.Fatal(err)
			}
			loss := lossBeside(t, filepath.Join(folder, c.set), c.metric, func(p *booster.Params) {
				if p.Objective = c.objective; c.change != nil {
					c.change(p)
				}
			})
			ratio := loss / want[c.theirs]
			t.Logf("%.6g, the peer has %.6g: %.4f times", loss, want[c.theirs], ratio)
			if !(ratio <= c.most) {
				t.Errorf("%v is %.4f times the peer's %v, more than %v", loss, ratio, want[c.theirs], c.most)
			}
		})
	}
}

// lossBeside trains on a set with the settings of reference.json and returns a metric of its test rows.
func lossBeside(t *testing.T, folder, metric string, change func(p *booster.Params)) float64 {
	t.Helper()
	ctx := context.Background()
	meta, err := harness.ReadMeta(folder)
	if err != nil {
		t.Fatal(err)
	}
	options, err := meta.Options()
	if err != nil {
		t.Fatal(err)
	}
	train, err := dataset.Open(ctx, filepath.Join(folder, "train.csv.gz"), options...)
	if err != nil {
		t.Fatal(err)
	}
	test, err := dataset.Open(ctx, filepath.Join(folder, "test.csv.gz"), dataset.As(train.Schema()), dataset.MissingOnly(""))
	if err != nil {
		t.Fatal(err)
	}
	p := booster.Defaults()
	p.Rounds, p.Metrics, p.MetricsEvery = 200, []string{metric}, 200
	change(&p)
	var report booster.Report
	if _, err := booster.Train(ctx, p, train, booster.Valid("test", test), booster.WithReport(&report)); err != nil {
		t.Fatal(err)
	}
	for _, value := range report.Metrics["test"] {
		return value
	}
	t.Fatal("no metric")
	return 0
}
