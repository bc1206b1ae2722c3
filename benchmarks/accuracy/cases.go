package accuracy

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"boost/benchmarks/harness"
	"boost/booster"
)

// Case is a set that is trained with another objective or mode than its usual one.
type Case struct {
	Set, Objective string // the objective, or a mode of mode's, with its argument behind an @

	key string // of the same run in reference.json; "" = only the record of the peers has it
}

// Name is SET/OBJECTIVE@ARGUMENT.
func (c Case) Name() string { return c.Set + "/" + c.Objective }

// distances are where huber and fair turn from squares to sizes, in the unit of the set's label.
var distances = map[string]string{
	"ames_housing": "20000", "california_housing": "30000", "cps_earnings": "5", "diamonds": "300", "insteval": "1",
	"lightgbm_regression": "0.5", "loans": "2", "nycflights": "20", "pg15_tweedie": "100", "protein_casp": "3", "sgemm": "20", "taxis": "3",
}

// Cases lists every objective with every set of its task that it is defined for and a peer has it too, then the modes of reference.json.
func Cases() []Case {
	var list []Case
	add := func(sets string, names ...string) {
		for _, set := range strings.Fields(sets) {
			for _, name := range names {
				if name == "huber" || name == "fair" {
					name += "@" + distances[set]
				}
				list = append(list, Case{Set: set, Objective: name, key: keys[name]})
			}
		}
	}
	const positive = "ames_housing california_housing cps_earnings diamonds loans sgemm taxis" // labels above 0, amounts
	const counts = "abalone bemtpl97 eu_health_visits motorcycle_ohlsson msha_injuries"
	add(positive+" insteval lightgbm_regression nycflights pg15_tweedie protein_casp",
		"l1", "mape", "quantile@0.1", "quantile@0.5", "quantile@0.9", "huber", "fair")
	add(positive, "gamma", "squared_log")
	add(positive+" "+counts+" pg15_tweedie", "tweedie@1.5")
	add(positive+" "+counts+" insteval", "poisson")
	add("covtype_15k diabetes_readmit digits letter lightgbm_multiclass wine_quality", "one_vs_all")
	add("car_choice lightgbm_lambdarank", "lambdarank", "rank_xendcg", "pairwise")
	add("car_choice", "lambdarank_map")
	add("flchain veteran", "cox", "aft@normal", "aft@logistic", "aft@extreme")
	for _, m := range modes {
		list = append(list, Case{Set: m.set, Objective: m.name, key: "lightgbm:" + m.key})
	}
	return list
}

// keys of objectives in reference.json, of the runs that are judged by the same loss as here.
var keys = map[string]string{
	"quantile@0.1": "lightgbm:objective=quantile,alpha=0.1", "quantile@0.5": "lightgbm:objective=quantile,alpha=0.5",
	"quantile@0.9": "lightgbm:objective=quantile,alpha=0.9", "l1": "lightgbm:objective=regression_l1",
	"one_vs_all": "lightgbm:objective=multiclassova", "rank_xendcg": "lightgbm:objective=rank_xendcg",
	"tweedie@1.5": "lightgbm:objective=tweedie,tweedie_variance_power=1.5", "lambdarank": "lightgbm", "poisson": "lightgbm",
	"pairwise": "xgboost:objective=rank:pairwise",
}

// mode is a way to train that reference.json has LightGBM's loss of.
type mode struct {
	set, name, key string
	change         func(p *booster.Params)
}

var modes = []mode{
	{"adult", "dart", "boosting=dart", dart},
	{"california_housing", "dart", "boosting=dart", dart},
	{"adult", "goss", "data_sample_strategy=goss", goss},
	{"california_housing", "goss", "data_sample_strategy=goss", goss},
	{"adult", "bagging", "bagging_fraction=0.7,bagging_freq=1,feature_fraction=0.7", sampled},
	{"adult", "rf", "boosting=rf,bagging_fraction=0.7,bagging_freq=1,feature_fraction=0.7", func(p *booster.Params) {
		sampled(p)
		p.Boosting = booster.RandomForest
	}},
	{"adult", "i8", "use_quantized_grad=true", func(p *booster.Params) { p.Gradients = "i8" }},
	{"california_housing", "extra_trees", "extra_trees=true", func(p *booster.Params) { p.Tree.ExtraTrees = true }},
	{"california_housing", "linear", "linear_tree=true", func(p *booster.Params) { p.Tree.Linear = true }},
	{"mammography", "balanced", "is_unbalance=true", func(p *booster.Params) { p.ClassWeight = map[string]float64{booster.Balanced: 1} }},
	{"kddcup99_10pct", "min_child_weight@1", "min_sum_hessian_in_leaf=1", func(p *booster.Params) { p.Tree.MinChildWeight = 1 }},
}

func dart(p *booster.Params)    { p.Boosting = booster.DartBoosting }
func goss(p *booster.Params)    { p.GossTop, p.GossOther = 0.2, 0.1 }
func sampled(p *booster.Params) { p.RowFraction, p.Tree.ColTree = 0.7, 0.7 }

// OtherRecord holds what the peers reach on cases, made by benchmarks/python/accuracy_objectives.py.
type OtherRecord struct {
	Cases map[string]struct {
		Constant float64              `json:"constant"`
		Test     map[string]float64   `json:"test"`
		Losses   map[string][]float64 `json:"losses"`
	} `json:"cases"`
	Versions map[string]string `json:"versions"`
}

// Splits returns the peers' losses on the re-splits of small sets.
func (o OtherRecord) Splits() PeerSplits {
	p := PeerSplits{Versions: o.Versions, Rounds: commonRounds}
	for name, c := range o.Cases {
		if p.Sets == nil {
			p.Sets = map[string]SplitLosses{}
		}
		p.Sets[name] = SplitLosses{Losses: c.Losses}
	}
	return p
}

// OpenCase returns the set of a case, as it is trained and judged.
func OpenCase(folder string, c Case, peers OtherRecord) (*Set, error) {
	folder = filepath.Clean(folder)
	m, err := harness.ReadMeta(filepath.Join(folder, c.Set))
	if err != nil {
		return nil, err
	}
	name, argument, _ := strings.Cut(c.Objective, "@")
	s := &Set{Meta: *m, Name: c.Name(), Folder: filepath.Join(folder, c.Set), Rounds: commonRounds, rate: 0.1}
	if n, is := roundExceptions[c.Set]; is {
		s.Rounds = n
	}
	if s.options, err = m.Options(); err != nil {
		return nil, err
	}
	theirs := ""
	if i := slices.IndexFunc(modes, func(m mode) bool { return m.set == c.Set && m.name == c.Objective }); i >= 0 {
		s.metric, s.change = map[string]string{"regression": "rmse", "binary": "logloss", "multiclass": "multi_logloss"}[m.Task], modes[i].change
		s.objective, theirs = m.Task, s.Metric()
	} else if err := s.learn(name, argument); err != nil {
		return nil, fmt.Errorf("%s: %w", c.Name(), err)
	} else {
		theirs = map[string]string{
			"quantile": "pinball", "l1": "mae", "one_vs_all": "multi_logloss", "rank_xendcg": "ndcg@10", "lambdarank": "ndcg@10",
			"pairwise": "ndcg@10", "tweedie": "tweedie_deviance_p" + argument, "poisson": "poisson_deviance",
		}[name]
	}
	s.Reference = Reference{Metric: s.metric, TestRows: m.TestRows, Peers: map[string]float64{}}
	if own, have := peers.Cases[c.Name()]; have {
		s.Reference.Constant = own.Constant
		for peer, loss := range own.Test {
			s.Reference.Peers[peer] = loss
		}
	}
	if err := s.fromReference(folder, c, theirs); err != nil {
		return nil, err
	}
	if !s.Reference.Large() { // judged by re-splits, which reference.json has none of
		maps.DeleteFunc(s.Reference.Peers, func(peer string, _ float64) bool { return len(peers.Cases[c.Name()].Losses[peer]) == 0 })
	}
	return s, nil
}

// fromReference puts the losses of reference.json in the place of those of the record.
func (s *Set) fromReference(folder string, c Case, metric string) error {
	var all map[string]map[string]json.RawMessage
	text, err := os.ReadFile(filepath.Join(folder, "reference.json"))
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, &all); err != nil {
		return fmt.Errorf("reference.json: %w", err)
	}
	reference := all[c.Set]
	read := func(key string) (float64, bool) {
		loss, err := referenceLoss(reference, key, metric)
		if strings.HasPrefix(metric, "ndcg") {
			loss = 1 - loss
		}
		return loss, err == nil
	}
	if loss, have := read("constant"); have {
		s.Reference.Constant = loss
	}
	others := []string{c.key}
	if c.key == "lightgbm" { // the set's own objective: all peers have it
		others = peerNames
	}
	if strings.HasPrefix(c.Objective, "tweedie") {
		others = append(others, "xgboost:objective=reg:tweedie,tweedie_variance_power=1.5")
	}
	for _, key := range others {
		peer, _, _ := strings.Cut(key, ":")
		if loss, have := read(key); have {
			s.Reference.Peers[peer] = loss
		}
	}
	if len(s.Reference.Peers) == 0 {
		return fmt.Errorf("%s: no peer's loss is recorded (make accuracy-peers)", c.Name())
	}
	return nil
}

// learn sets the objective, the metric and what goes with them.
func (s *Set) learn(name, argument string) error {
	number, err := strconv.ParseFloat(cmp.Or(argument, "0"), 64)
	if err != nil && name != "aft" {
		return err
	}
	s.objective = name
	set := func(metric string, change func(p *booster.Params)) { s.metric, s.change = metric, change }
	none := func(*booster.Params) {}
	alone := func(p *booster.Params) { // XGBoost is the only peer: its settings
		p.Tree.LambdaL2, p.Tree.MinChildWeight, p.Tree.MinDataInLeaf = 1, 1, 1
	}
	switch name {
	case "l1":
		set("mae", none)
	case "mape":
		set("mape", none)
	case "quantile":
		set("pinball@"+argument, func(p *booster.Params) { p.Loss.Alpha = []float64{number} })
	case "huber":
		set("huber@"+argument, func(p *booster.Params) { p.Loss.Delta = number })
	case "fair":
		set("fair@"+argument, func(p *booster.Params) { p.Loss.FairC = number })
	case "gamma", "poisson":
		set(name+"_deviance", none)
	case "squared_log":
		set("rmsle", alone)
	case "tweedie":
		set("tweedie_deviance@"+argument, func(p *booster.Params) { p.Loss.Power = number })
	case "one_vs_all":
		set("multi_logloss", none)
	case "lambdarank", "rank_xendcg":
		set("ndcg@10", none)
	case "pairwise":
		set("ndcg@10", alone)
	case "lambdarank_map":
		s.objective = "lambdarank"
		set("map@10", func(p *booster.Params) {
			alone(p)
			p.Loss.Target = "map"
		})
	case "cox", "aft":
		s.Rounds, s.rate = 100, 0.05
		set(name+"_nloglik", func(p *booster.Params) {
			alone(p)
			p.Loss.Distribution = argument
		})
	default:
		return fmt.Errorf("no such objective")
	}
	return nil
}
