package tune

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"boost/booster"
	"boost/internal/setting"
)

// Dimension is a parameter that is searched: a number between two bounds, or one of several choices.
type Dimension struct {
	Name      string  // of booster.Settings, as in a config file
	Low, High float64 // of a number, both included
	Log       bool    // draws are even on a logarithmic scale
	Integer   bool
	Choices   []string // as in a config file; none for numbers between Low and High
}

// String returns what Parse reads.
func (d *Dimension) String() string {
	if len(d.Choices) > 0 {
		return d.Name + "=" + strings.Join(d.Choices, ",")
	}
	text := d.Name + "=" + number(d.Low) + ".." + number(d.High)
	if d.Log {
		text += ":log"
	}
	return text
}

func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// Parse reads a dimension: the name of a setting, and LOW..HIGH, LOW..HIGH:log or choices with commas between them.
func Parse(name, values string) (Dimension, error) {
	d := Dimension{Name: name}
	var p booster.Params
	s, err := settingOf(&p, name)
	if err != nil {
		return d, err
	}
	low, high, isRange := strings.Cut(values, "..")
	if !isRange {
		for choice := range strings.SplitSeq(values, ",") {
			d.Choices = append(d.Choices, strings.TrimSpace(choice))
		}
		return d, d.check(s)
	}
	high, d.Log = strings.CutSuffix(high, ":log")
	for _, bound := range []struct {
		text string
		to   *float64
	}{{low, &d.Low}, {high, &d.High}} {
		if *bound.to, err = strconv.ParseFloat(strings.TrimSpace(bound.text), 64); err != nil {
			return d, fmt.Errorf("%w: %s=%s: %q is not a number; expected LOW..HIGH, LOW..HIGH:log or choices with commas between them", booster.ErrParams, name, values, bound.text)
		}
	}
	_, d.Integer = s.Value.(*int)
	return d, d.check(s)
}

// check checks that the dimension can be drawn from, and that its bounds and choices are values of the setting.
func (d *Dimension) check(s *setting.Setting) error {
	var err error
	switch {
	case len(d.Choices) == 1:
		err = fmt.Errorf("one choice is no choice: set it with --set, or give two or more")
	case len(d.Choices) > 0:
		for i, choice := range d.Choices {
			if slices.Contains(d.Choices[:i], choice) {
				return fmt.Errorf("%w: %s: %q is there twice", booster.ErrParams, d, choice)
			}
			if err = assign(s, choice); err != nil {
				break
			}
		}
	case !(d.Low < d.High) || math.IsInf(d.High-d.Low, 0):
		err = fmt.Errorf("the first bound must be less than the second")
	case d.Log && d.Low <= 0:
		err = fmt.Errorf("a logarithmic scale begins above 0")
	default:
		for _, bound := range []float64{d.Low, d.High} {
			if d.Integer && bound != math.Trunc(bound) {
				return fmt.Errorf("%w: %s: %v is not a whole number", booster.ErrParams, d, bound)
			}
			if err = assign(s, number(bound)); err != nil {
				break
			}
		}
	}
	if err != nil {
		return fmt.Errorf("%w: %s: %w", booster.ErrParams, d, err)
	}
	return nil
}

// unsearched are settings that training, or the search itself, decides, with the reason.
var unsearched = map[string]string{
	"train.rounds":                   "the best number of rounds is found in each trial",
	"train.early_stopping":           "it says how long a trial goes on",
	"train.early_stopping_min_delta": "it says how long a trial goes on",
	"train.objective":                "losses of two objectives cannot be compared",
	"train.seed":                     "a seed has no better value",
	"train.bag_folds":                "a trial is a cross-validation",
	"train.valid_share":              "a trial is a cross-validation",
	"train.valid_by":                 "a trial is a cross-validation",
	"train.retrain":                  "a trial is a cross-validation",
	"data.positive_class":            "it changes what is learned",
}

// settingOf returns a setting of p that can be searched.
func settingOf(p *booster.Params, name string) (*setting.Setting, error) {
	settings := booster.Settings(p)
	at := slices.IndexFunc(settings, func(s setting.Setting) bool { return s.Name == name })
	if at < 0 {
		return nil, fmt.Errorf("%w: %q says nothing of how a model is trained", booster.ErrParams, name)
	}
	s := &settings[at]
	why := unsearched[name]
	switch section := s.Section(); {
	case s.Run:
		why = "it never changes the model"
	case section == "metrics", section == "objective" && name != "objective.scale_pos_weight":
		why = "losses of two of its values cannot be compared"
	}
	switch s.Value.(type) {
	case *int, *float64, *string, *bool:
	default:
		why = cmp.Or(why, "it is not one number or word")
	}
	if why != "" {
		return nil, fmt.Errorf("%w: %s is not searched: %s", booster.ErrParams, name, why)
	}
	return s, nil
}

// assign sets a setting to what a text says.
func assign(s *setting.Setting, text string) error {
	var err error
	switch p := s.Value.(type) {
	case *int:
		*p, err = strconv.Atoi(text)
	case *float64:
		*p, err = strconv.ParseFloat(text, 64)
	case *bool:
		*p, err = strconv.ParseBool(text)
	case *string:
		*p = text
		if s.Canonical != nil {
			*p, err = s.Canonical(text)
		}
	}
	if err != nil {
		return fmt.Errorf("%q is not a value of %s", text, s.Name)
	}
	if problems := setting.Check([]setting.Setting{*s}); len(problems) > 0 {
		return problems[0]
	}
	return nil
}

// textOf returns the value of a setting as assign reads it.
func textOf(s *setting.Setting) string {
	switch p := s.Value.(type) {
	case *int:
		return strconv.Itoa(*p)
	case *float64:
		return number(*p)
	case *bool:
		return strconv.FormatBool(*p)
	case *string:
		return *p
	}
	return ""
}

// Space is what is searched.
type Space []Dimension

// Names returns the names of what is searched.
func (space Space) Names() []string {
	names := make([]string, len(space))
	for i := range space {
		names[i] = space[i].Name
	}
	return names
}

// apply returns p with the values of a trial.
func (space Space) apply(p booster.Params, values []string) (booster.Params, error) {
	for i := range space {
		s, err := settingOf(&p, space[i].Name)
		if err == nil {
			err = assign(s, values[i])
		}
		if err != nil {
			return p, err
		}
	}
	return p, nil
}

// values returns those of p, which need not lie in the space.
func (space Space) values(p booster.Params) ([]string, error) {
	values := make([]string, len(space))
	for i := range space {
		s, err := settingOf(&p, space[i].Name)
		if err != nil {
			return nil, err
		}
		values[i] = textOf(s)
	}
	return values, nil
}

// size returns how many points there are, +Inf where a dimension is not of whole numbers or choices.
func (space Space) size() float64 {
	size := 1.0
	for i := range space {
		switch d := &space[i]; {
		case len(d.Choices) > 0:
			size *= float64(len(d.Choices))
		case d.Integer:
			size *= d.High - d.Low + 1
		default:
			return math.Inf(1)
		}
	}
	return size
}

// check checks that no dimension is there twice.
func (space Space) check() error {
	if len(space) == 0 {
		return fmt.Errorf("%w: there is nothing to search", booster.ErrParams)
	}
	for i := range space {
		var p booster.Params
		s, err := settingOf(&p, space[i].Name)
		if err == nil {
			err = space[i].check(s)
		}
		if err != nil {
			return err
		}
		if slices.ContainsFunc(space[:i], func(d Dimension) bool { return d.Name == space[i].Name }) {
			return fmt.Errorf("%w: %s is there twice", booster.ErrParams, space[i].Name)
		}
	}
	return nil
}

// usual are the dimensions that most tables gain from.
var usual = []Dimension{
	{Name: "train.learning_rate", Low: 0.02, High: 0.2, Log: true},
	{Name: "tree.leaves", Low: 7, High: 255, Log: true, Integer: true},
	{Name: "tree.max_depth", Low: 3, High: 10, Integer: true},
	{Name: "tree.min_data_in_leaf", Low: 1, High: 100, Log: true, Integer: true},
	{Name: "tree.lambda_l2", Low: 0.01, High: 30, Log: true},
	{Name: "tree.extra_trees", Choices: []string{"false", "true"}},
	{Name: "sampling.col_node", Low: 0.2, High: 1},
	{Name: "sampling.mvs_fraction", Low: 0.3, High: 1},
}

// Usual returns the dimensions that are searched where nothing is said, less those that given reports (nil for none) and those that do not
// go with p. Trees of leaf-wise growth have no more leaves than a tenth of the rows.
func Usual(p booster.Params, rows int, given func(name string) bool) Space {
	p = p.OrDefaults()
	var space Space
	for _, d := range usual {
		byLeaves := p.Tree.Growth == booster.Defaults().Tree.Growth
		if given != nil && given(d.Name) || d.Name == "train.learning_rate" && len(p.Rates) > 0 || d.Name == "tree.leaves" && !byLeaves || d.Name == "tree.max_depth" && byLeaves {
			continue
		}
		if d.Name == "tree.leaves" {
			d.High = max(15, min(d.High, float64(rows/10)))
		}
		if (Space{d}).goesWith(p) {
			space = append(space, d)
		}
	}
	return space
}

// SpaceWith returns what is searched where some dimensions were asked for: those, and the usual ones before them unless they are
// the only ones.
func SpaceWith(tried Space, only bool, p booster.Params, rows int, given func(name string) bool) Space {
	if only {
		return tried
	}
	usual := Usual(p, rows, func(name string) bool {
		return given(name) || slices.ContainsFunc(tried, func(d Dimension) bool { return d.Name == name })
	})
	return slices.Concat(usual, tried)
}

// goesWith reports whether p may have the values of a space.
func (space Space) goesWith(p booster.Params) bool {
	ends := make([]string, len(space))
	for i := range space {
		if ends[i] = number(space[i].Low); len(space[i].Choices) > 0 {
			ends[i] = space[i].Choices[len(space[i].Choices)-1]
		}
	}
	p, err := space.apply(p, ends)
	return err == nil && p.Validate() == nil
}
