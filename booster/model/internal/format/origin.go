package format

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"

	"boost/booster/model/internal/jsonform"
	"boost/ptq"
)

// Origin says how a model was made of others.
type Origin struct {
	How    string   // Continued, Refitted, Merged or Pruned
	Models []string // sha256 of the models that it was made of, in order, as hex
	Rounds int      // Continued: rounds of the base model, which stand first
	Decay  float64  // Refitted: weight of the old leaf values
	Whole  int      // not Merged: the first rounds in which models were merged, which count together only
	Tables []string // fingerprints, ascending, of the tables that those models were trained on, without the model's own
}

// Values of Origin.How.
const (
	Continued = "continued" // training went on from a base model
	Refitted  = "refitted"  // a model's leaves got new values
	Merged    = "merged"    // the rounds of several models stand one after the other
	Pruned    = "pruned"    // splits were taken out of a model, and its leaves fitted again
)

// Segment says by which parameters the leaf values of some rounds were found, where these
// are not those of Contents.Params.
type Segment struct {
	Rounds int `json:"rounds"`
	// Params is an object of the parameters that differ, of LeafParams; null where a round
	// has none.
	Params json.RawMessage `json:"params"`
}

// LeafParams are the parameters that a leaf's value follows from, and what a round counts for.
var LeafParams = []string{
	"train.learning_rate", "train.learning_rate_schedule", "train.learning_rate_end", "train.learning_rates", "train.boosting", "train.bag_folds", "train.blend",
	"tree.lambda_l1", "tree.lambda_l2", "tree.max_delta_step", "tree.path_smooth", "objective.class_weight", "objective.scale_pos_weight",
}

// originEntry is how the manifest spells an Origin.
type originEntry struct {
	Decay  float64  `json:"decay"`
	How    string   `json:"how"`
	Models []string `json:"models"`
	Rounds int      `json:"rounds"`
	Tables []string `json:"tables"`
	Whole  int      `json:"whole"`
}

func (o *Origin) form() any {
	form := map[string]any{"how": o.How, "models": jsonform.List(o.Models, func(s string) any { return s })}
	switch o.How {
	case Continued:
		form["rounds"] = o.Rounds
	case Refitted:
		form["decay"] = o.Decay
	}
	if o.Whole > 0 {
		form["whole"] = o.Whole
	}
	if len(o.Tables) > 0 {
		form["tables"] = jsonform.List(o.Tables, func(s string) any { return s })
	}
	return form
}

// Tables returns the fingerprints of the tables that the model, and those that it was made of, were trained on.
func (c *Contents) Tables() []string {
	var all []string
	if c.Fingerprint != "" {
		all = append(all, c.Fingerprint)
	}
	if c.Origin != nil {
		all = append(all, c.Origin.Tables...)
	}
	return all
}

// TrainedOn reports whether a table with this fingerprint is one of Tables.
func (c *Contents) TrainedOn(print string) bool { return slices.Contains(c.Tables(), print) }

func segmentForm(s Segment) any {
	return map[string]any{"rounds": s.Rounds, "params": s.Params} // normalize has written them
}

func (c *Contents) checkOrigin() error {
	if c.After < 0 || c.After > math.MaxInt32 {
		return fmt.Errorf("the model comes after %d rounds", c.After)
	}
	for i, form := range c.Derived {
		if _, err := ptq.ParseForm(form); err != nil {
			return fmt.Errorf("its leaf values come from the form %q, which is unknown", form)
		}
		if i > 0 && form <= c.Derived[i-1] {
			return fmt.Errorf("its leaf values come from the forms %q: ascending order expected", c.Derived)
		}
	}
	if err := c.checkSegments(); err != nil || c.Origin == nil {
		return err
	}
	o := c.Origin
	for _, sum := range o.Models {
		if !isHex(sum, 64) {
			return fmt.Errorf("it was made of model %q: 64 hex digits expected", sum)
		}
	}
	for _, print := range o.Tables {
		if !isHex(print, 32) {
			return fmt.Errorf("it was made of a model of table %q: 32 hex digits expected", print)
		}
	}
	most, known := map[string]int{Continued: 1, Refitted: 1, Pruned: 1, Merged: math.MaxInt}[o.How]
	switch {
	case !known:
		return fmt.Errorf("made of others in the way %q", o.How)
	case len(o.Models) == 0 || len(o.Models) > most:
		return fmt.Errorf("%s from %d models", o.How, len(o.Models))
	case o.Rounds < 0 || o.Rounds > 0 && o.How != Continued:
		return fmt.Errorf("%s after %d rounds", o.How, o.Rounds)
	case !(o.Decay >= 0 && o.Decay <= 1) || o.Decay > 0 && o.How != Refitted:
		return fmt.Errorf("%s with a decay of %v", o.How, o.Decay)
	case o.Whole < 0 || o.Whole > math.MaxInt32 || o.Whole > 0 && o.How == Merged:
		return fmt.Errorf("%s, and models were merged in the first %d rounds", o.How, o.Whole)
	}
	return nil
}

func (c *Contents) checkSegments() error {
	left := c.After + c.BestRound
	for i, s := range c.Segments {
		if s.Rounds < 1 || s.Rounds > left {
			return fmt.Errorf("segment %d has %d rounds of %d that are left", i, s.Rounds, left)
		}
		left -= s.Rounds
	}
	return nil
}

// RoundParams returns the parameters that the leaf values of a round were found by: those of
// Params, with what the round's segment says. Rounds before a tail count (see Tail).
func (c *Contents) RoundParams(round int) (json.RawMessage, error) {
	for _, s := range c.Segments {
		if round < s.Rounds {
			return overlay(c.Params, s.Params)
		}
		round -= s.Rounds
	}
	return c.Params, nil
}

// overlay puts the entries of an object into another, null removing one.
func overlay(object, over json.RawMessage) (json.RawMessage, error) {
	all, entries := rawObject(object), rawObject(over)
	if all == nil || entries == nil {
		return nil, errors.New("parameters that are no JSON object")
	}
	for key, value := range entries {
		if string(value) == "null" {
			delete(all, key)
		} else {
			all[key] = value
		}
	}
	text, err := json.Marshal(all)
	if err != nil {
		return nil, err
	}
	return jsonform.CanonicalObject(text)
}

func rawObject(text json.RawMessage) map[string]json.RawMessage {
	var object map[string]json.RawMessage
	if json.Unmarshal(text, &object) != nil {
		return nil
	}
	return object
}

// Stretch is rounds whose leaf values were found by the same parameters.
type Stretch struct {
	rounds int
	params map[string]json.RawMessage // of LeafParams
}

// Stretches returns the parameters of all rounds of a model that is no tail.
func (c *Contents) Stretches() ([]Stretch, error) {
	var all []Stretch
	left := c.BestRound
	take := func(rounds int, params json.RawMessage) {
		if rounds = min(rounds, left); rounds > 0 {
			object, kept := rawObject(params), map[string]json.RawMessage{}
			for _, key := range LeafParams {
				if value, ok := object[key]; ok {
					kept[key] = value
				}
			}
			all = append(all, Stretch{rounds, kept})
			left -= rounds
		}
	}
	for _, s := range c.Segments {
		params, err := overlay(c.Params, s.Params)
		if err != nil {
			return nil, err
		}
		take(s.Rounds, params)
	}
	take(left, c.Params)
	return all, nil
}

// Segments words stretches as what differs from params; rounds at the end that do not are
// left out.
func Segments(all []Stretch, params json.RawMessage) ([]Segment, error) {
	usual := rawObject(params)
	var out []Segment
	for _, s := range all {
		differs := map[string]json.RawMessage{}
		for _, key := range LeafParams {
			here, has := s.params[key]
			there, had := usual[key]
			switch {
			case has && (!had || !bytes.Equal(here, there)):
				differs[key] = here
			case had && !has:
				differs[key] = json.RawMessage("null")
			}
		}
		text, err := json.Marshal(differs)
		if err != nil {
			return nil, err
		}
		if last := len(out) - 1; last >= 0 && bytes.Equal(out[last].Params, text) {
			out[last].Rounds += s.rounds
		} else {
			out = append(out, Segment{s.rounds, text})
		}
	}
	for n := len(out); n > 0 && string(out[n-1].Params) == "{}"; n = len(out) {
		out = out[:n-1]
	}
	return out, nil
}

// FirstSegments cuts segments to the first rounds.
func FirstSegments(all []Segment, rounds int) []Segment {
	var out []Segment
	for _, s := range all {
		if rounds == 0 {
			break
		}
		s.Rounds = min(s.Rounds, rounds)
		rounds -= s.Rounds
		out = append(out, s)
	}
	return slices.Clip(out)
}

// Ensemble is a run of rounds that count together only: those of a random forest ("rf"), of boosting with dropout ("dart"), and of merged
// models, whose base scores and trees are added.
type Ensemble struct {
	Boosting    string // train.boosting; "" of merged models
	First, Past int    // the first round, and the one after the last
}

// Ensembles are those of a model.
type Ensembles []Ensemble

// Whole returns of how many rounds, from the first on, models were merged, those before a tail included.
func (c *Contents) Whole() int {
	switch o := c.Origin; {
	case o == nil:
		return 0
	case o.How == Merged || o.How == Pruned && c.Fingerprint == "":
		return c.After + c.BestRound
	default:
		return o.Whole
	}
}

// Ensembles returns the model's.
func (c *Contents) Ensembles() Ensembles {
	var all Ensembles
	whole := min(c.Whole()-c.After, c.BestRound)
	if whole > -c.After {
		all = Ensembles{{First: -c.After, Past: whole}}
	}
	at := -c.After
	add := func(rounds int, params json.RawMessage) {
		rounds, at = at+rounds-max(at, whole), max(at, whole) // none of those before
		var p struct {
			Boosting string `json:"train.boosting"`
		}
		if json.Unmarshal(params, &p) == nil && (p.Boosting == "rf" || p.Boosting == "dart") && rounds > 0 {
			all = append(all, Ensemble{p.Boosting, at, at + rounds})
		}
		at += rounds
	}
	for _, s := range c.Segments {
		params, err := overlay(c.Params, s.Params)
		if err != nil { // it was made without parameters
			params = nil
		}
		add(s.Rounds, params)
	}
	add(c.BestRound-at, c.Params)
	if o := c.Origin; o != nil && o.How == Continued { // the base's rounds stay as they are
		base := o.Rounds - c.After
		for i, e := range all {
			if e.First < base && base < e.Past {
				all = slices.Insert(all, i+1, Ensemble{e.Boosting, base, e.Past})
				all[i].Past = base
				break
			}
		}
	}
	return all
}

// Check refuses the first rounds, and stages of every so many below them (0 = none), where they part an ensemble.
func (all Ensembles) Check(rounds, every int) error {
	for _, e := range all {
		k := rounds
		if every > 0 {
			if stage := (max(e.First, 0)/every + 1) * every; e.First < stage && stage < min(e.Past, rounds) {
				k = stage
			}
		}
		if e.First < k && k < e.Past && e.Boosting == "" {
			return fmt.Errorf("the model has the rounds of several models that were merged, one behind the other, and the first %d rounds are no model of %d rounds: use all rounds", k, k)
		}
		if e.First < k && k < e.Past {
			return fmt.Errorf("train.boosting = %q: what a round counts for depends on those after it, and the first %d rounds are no model of %d rounds: use all rounds, or train with train.rounds = %d", e.Boosting, k, k, k)
		}
	}
	return nil
}
