package objectives

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"boost/internal/near"
	"boost/internal/setting"
)

// Params are what losses can be told beside the labels. A field that is zero stands for the default of the loss, which
// Info.Complete puts there. Each loss takes those that Info.Takes has; others are refused.
type Params struct {
	Alpha       []float64 // quantile: its levels in (0, 1), ascending, one output each; expectile: the level
	Delta       float64   // huber: the distance from which the loss grows like |score − label|
	FairC       float64   // fair: the distance at which the gradient is half of what it comes to
	Power       float64   // tweedie: the variance is the mean to this power, 1 … 2
	PoissonStep float64   // poisson: hessians are multiplied by e to this power
	FocalGamma  float64   // focal: rows count by the chance that the other class has to this power

	Target     string    // lambdarank: the measure that pairs count by, "ndcg" or "map"
	Truncation int       // lambdarank, pairwise: places from the top of which a pair has one at least
	Norm       string    // lambdarank, pairwise: "on" if gradients are divided by a measure of their size in the query
	Sigmoid    float64   // lambdarank, pairwise: how steep the chance of the order of two rows is in the distance of their scores
	LabelGain  []float64 // lambdarank: gains of labels 0, 1, …; empty = 2^label − 1 of labels up to 30

	Distribution string  // aft: of the errors of log(time), "normal", "logistic" or "extreme"
	Scale        float64 // aft: of the errors

	Ties string // cox: how events of one time are taken, "breslow" or "efron"
}

// Settings describes the parameters, those of p.
func Settings(p *Params) []setting.Setting {
	return []setting.Setting{
		{Name: "objective.alpha", Value: &p.Alpha, Range: setting.Inside(0, 1), OmitDefault: true,
			Doc:     "quantile: the share of the labels that lie below a prediction, or several of them, ascending, one prediction each; expectile: the weight of labels above a prediction beside those below. Empty = 0.5.",
			Aliases: []string{"quantile_alpha", "quantile"}},
		{Name: "objective.delta", Value: &p.Delta, OmitDefault: true,
			Doc:     "huber: labels farther than this from a prediction count by their distance, nearer ones by its square; in the unit of the label. 0 = 0.9.",
			Aliases: []string{"huber_slope", "huber_delta"}},
		{Name: "objective.fair_c", Value: &p.FairC, OmitDefault: true,
			Doc: "fair: the distance at which a label has half of the pull that it can have, in the unit of the label. 0 = 1."},
		{Name: "objective.power", Value: &p.Power, Range: setting.Between(0, 2), OmitDefault: true,
			Doc:     "tweedie: the variance grows like the mean to this power, 1 to 2: 1 as of counts, 2 as of gamma. 0 stands for 1.5.",
			NotZero: "is the power of no such loss: name one from 1 to 2, or leave the key out for 1.5",
			Aliases: []string{"tweedie_variance_power", "variance_power"}},
		{Name: "objective.poisson_max_delta_step", Value: &p.PoissonStep, Range: setting.Between(0, 10), OmitDefault: true,
			Doc: "poisson: second derivatives are multiplied by e to this power, which makes steps shorter. 0 = 0.7."},
		{Name: "objective.focal_gamma", Value: &p.FocalGamma, OmitDefault: true,
			Doc:     "focal: rows count by the chance that their other class has, to this power; 0 stands for 2.",
			NotZero: "is the plain log loss, which is objective binary: train that, or leave the key out for 2"},
		{Name: "objective.target", Value: &p.Target, Choices: []string{targetNDCG, targetMAP}, Optional: true, OmitDefault: true,
			Doc: "lambdarank: what a pair of rows counts by: how much ndcg changes, or map, if the two change places. Empty = \"ndcg\"."},
		{Name: "objective.truncation", Value: &p.Truncation, OmitDefault: true,
			Doc:     "lambdarank, pairwise: pairs of rows are learned of which one at least is among so many, from the top, of its query; ndcg in training is of as many. 0 = 30.",
			Aliases: []string{"lambdarank_truncation_level", "lambdarank_num_pair_per_sample"}},
		{Name: "objective.norm", Value: &p.Norm, Choices: []string{normOn, normOff}, Optional: true, OmitDefault: true,
			Doc:     "lambdarank, pairwise: queries with many or large gradients count for less than the sum of these, and pairs (of lambdarank) for less the farther their scores are apart. Empty = \"on\".",
			Aliases: []string{"lambdarank_norm", "lambdarank_normalization"}},
		{Name: "objective.sigmoid", Value: &p.Sigmoid, OmitDefault: true,
			Doc:     "lambdarank, pairwise: how steeply the chance of the order of two rows grows with the distance of their scores. 0 = 1.",
			Aliases: []string{"sigmoid"}},
		{Name: "objective.label_gain", Value: &p.LabelGain, OmitDefault: true,
			Doc:     "lambdarank: gains in ndcg of labels 0, 1, 2 and so on; metrics take them too. Empty = 2^label - 1 of labels up to 30.",
			Aliases: []string{"label_gain"}},
		{Name: "objective.distribution", Value: &p.Distribution, Choices: []string{normal, logisticTime, extreme}, Optional: true, OmitDefault: true,
			Doc:     "aft: how log(time) is distributed about the raw score. Empty = \"normal\".",
			Aliases: []string{"aft_loss_distribution"}},
		{Name: "objective.scale", Value: &p.Scale, OmitDefault: true,
			Doc:     "aft: the scale of that distribution, in log(time). 0 = 1.",
			Aliases: []string{"aft_loss_distribution_scale"}},
		{Name: "objective.ties", Value: &p.Ties, Choices: []string{breslow, efron}, Optional: true, OmitDefault: true,
			Doc: "cox: how events of one time are taken: \"breslow\", each beside all rows of that time, or \"efron\", as if they came one after another. Empty = \"breslow\"."},
	}
}

// ParamsIn reads the parameters of a loss from those that a model stores, an object by the names of Settings. Other names are
// passed over.
func ParamsIn(stored json.RawMessage) (Params, error) {
	var p Params
	var object map[string]json.RawMessage
	if err := json.Unmarshal(stored, &object); err != nil {
		return p, fmt.Errorf("parameters of the model: %w", err)
	}
	for _, s := range Settings(&p) {
		if text, ok := object[s.Name]; ok {
			if err := json.Unmarshal(text, s.Value); err != nil {
				return p, fmt.Errorf("parameter %s of the model: %w", s.Name, err)
			}
		}
	}
	return p, nil
}

// Complete returns p with the defaults of the loss in place of zeros. A parameter that the loss does not take is an error.
func (i Info) Complete(p Params) (Params, error) {
	own := i.Takes
	given, takes := Settings(&p), Settings(&own)
	for at := range given {
		value, usual := reflect.ValueOf(given[at].Value).Elem(), reflect.ValueOf(takes[at].Value).Elem()
		switch {
		case value.IsZero() || value.Kind() == reflect.Slice && value.Len() == 0:
			value.Set(usual)
		case usual.IsZero():
			return p, fmt.Errorf("%s is for objective %s, not %s: leave it out", given[at].Name, near.Or(takers(at)), i.Name)
		}
	}
	return p, nil
}

// takers returns the names of the losses that take a parameter, by its place in Settings.
func takers(at int) (names []string) {
	for _, info := range registry {
		takes := info.Takes
		if !reflect.ValueOf(Settings(&takes)[at].Value).Elem().IsZero() {
			names = append(names, info.Name)
		}
	}
	return names
}

// levels writes levels as an argument of a metric's name: 0.1/0.5/0.9.
func levels(alpha []float64) string {
	texts := make([]string, len(alpha))
	for i, a := range alpha {
		texts[i] = fmt.Sprint(a)
	}
	return strings.Join(texts, "/")
}

// checkLevels reports whether levels ascend within (0, 1).
func checkLevels(alpha []float64) error {
	before := 0.0
	for _, a := range alpha {
		if !(a > before && a < 1) {
			return fmt.Errorf("objective.alpha = %v: levels lie between 0 and 1, and ascend", alpha)
		}
		before = a
	}
	return nil
}
