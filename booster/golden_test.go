package booster_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"boost/booster"
	"boost/internal/testenv"
)

var update = flag.Bool("update", false, "write testdata/golden_models.json anew; what it holds changes with booster.NumericsVersion only")

// goldenFile holds the hashes that a release promises (docs/architecture.md, Numerics 9).
type goldenFile struct {
	NumericsVersion int               `json:"numerics_version"`
	Models          map[string]string `json:"models"` // name → sha256 of the model file
}

// goldenModels lists the models: every shipped objective × gradients × sampling.
func goldenModels(visit func(name, set string, p booster.Params)) {
	names, params := lossesOfNumbers()
	for _, name := range append(names, "focal", "one_vs_all") {
		set := map[string]string{"focal": "adult", "one_vs_all": "wine_quality"}[name]
		if set == "" {
			set = "ames_housing"
		}
		p := booster.Defaults()
		p.Objective, p.Loss, p.Rounds = name, params[name], 8
		if name != "regression" && !strings.HasPrefix(name, "cross_entropy") { // one is below, and prices are no chances
			visit(name+"/i16/all", set, p)
		}
	}
	for _, c := range rankingLosses {
		p := booster.Defaults()
		p.Objective, p.Loss, p.Rounds = c.objective, c.p, 8
		visit(c.name+"/i16/all", rankedSet, p)
	}
	for _, set := range shipped {
		p := booster.Defaults()
		p.Objective, p.Rounds, p.Boosting = set.objective, 8, booster.DartBoosting
		p.Dart.DropRate, p.Dart.SkipDrop = 0.5, 0.2
		visit(set.objective+"/dart/all", set.name, p)
		p.Dart.Normalize, p.Dart.Sample, p.Dart.OneDrop = booster.TreeNormalize, booster.UniformDrop, true
		p.RowFraction = 0.7
		visit(set.objective+"/dart/sampled", set.name, p)
		p = booster.Defaults()
		p.Objective, p.Rounds, p.Boosting, p.RowFraction, p.Tree.ColNode = set.objective, 8, booster.RandomForest, 0.7, 0.7
		visit(set.objective+"/rf/sampled", set.name, p)
	}
	for name, change := range map[string]func(p *booster.Params){
		"classes":    func(p *booster.Params) { p.PositiveFraction, p.NegativeFraction = 0.9, 0.4 },
		"stratified": func(p *booster.Params) { p.Stratified, p.RowFraction = true, 0.5 },
		"replace":    func(p *booster.Params) { p.Replace, p.RowFraction, p.RowEvery = true, 0.8, 2 },
		"bayesian":   func(p *booster.Params) { p.BaggingTemperature = 0.7 },
		"linear":     func(p *booster.Params) { p.RateSchedule, p.RateEnd = booster.LinearRate, 0.02 },
		"cosine":     func(p *booster.Params) { p.RateSchedule = booster.CosineRate },
	} {
		p := booster.Defaults()
		p.Objective, p.Rounds = "binary", 8
		change(&p)
		visit("binary/i16/"+name, "adult", p)
	}
	for _, set := range shipped {
		for _, mode := range []string{"i16", "i32", "f32", "i8", "i4", "asymmetric", "goss", "mvs", "reuse"} {
			for _, sampled := range []bool{false, true} {
				p := booster.Defaults()
				p.Objective, p.Rounds = set.objective, 8
				switch mode {
				case "asymmetric":
					p.GradientMode = mode
				case "goss":
					if sampled {
						continue
					}
					p.GossTop, p.GossOther, p.LearningRate = 0.2, 0.1, 0.3
				case "mvs":
					if sampled {
						continue
					}
					p.MvsFraction = 0.3
				case "reuse":
					p.Tree.ReuseFeature, p.Tree.ReuseCut = 0.1, 0.3
				default:
					p.Gradients = mode
				}
				name := fmt.Sprintf("%s/%s/all", set.objective, mode)
				if sampled {
					name = fmt.Sprintf("%s/%s/sampled", set.objective, mode)
					p.RowFraction, p.RowEvery, p.Tree.ColTree, p.Tree.ColNode = 0.7, 2, 0.8, 0.9
				}
				visit(name, set.name, p)
			}
		}
	}
}

func TestGoldenModels(t *testing.T) {
	testenv.Unraced(t)
	path := filepath.Join("testdata", "golden_models.json")
	var want goldenFile
	b, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(b, &want)
	}
	if err != nil && !*update {
		t.Fatal(err)
	}
	short := testing.Short() && !*update
	got := goldenFile{booster.NumericsVersion, map[string]string{}}
	goldenModels(func(name, set string, p booster.Params) {
		if short && p.RowFraction < 1 {
			return
		}
		got.Models[name] = hash(t, p, openShipped(t, set))
	})
	changed, others := false, len(want.Models) != len(got.Models) && !short
	for name, sum := range got.Models {
		old, known := want.Models[name]
		changed, others = changed || known && old != sum, others || !known
		if old != sum && !*update {
			t.Errorf("%s: model %s, want %s", name, sum, old)
		}
	}
	if others && !*update {
		t.Errorf("%d models, the file holds %d", len(got.Models), len(want.Models))
	}
	if !*update || !changed && !others {
		return
	}
	if changed && want.NumericsVersion == booster.NumericsVersion {
		t.Fatalf("models changed under numerics version %d: raise booster.NumericsVersion and say why under Numerics in CHANGELOG.md", want.NumericsVersion)
	}
	out, err := json.MarshalIndent(got, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, append(out, '\n'), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestNumericsVersionIsInTheChangelog holds docs/architecture.md, Numerics 9: whoever changes model bytes
// says so.
func TestNumericsVersionIsInTheChangelog(t *testing.T) {
	b, err := os.ReadFile(filepath.Join("..", "CHANGELOG.md"))
	if err != nil {
		t.Fatal(err)
	}
	entry := regexp.MustCompile(fmt.Sprintf(`(?s)### Numerics\n.*?[Nn]umerics version %d\b`, booster.NumericsVersion))
	if !entry.Match(b) {
		t.Errorf("CHANGELOG.md has no Numerics heading with an entry for numerics version %d", booster.NumericsVersion)
	}
}
