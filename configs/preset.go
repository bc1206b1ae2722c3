package configs

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"boost/booster/preset"
)

// resolvePreset puts in the values of the preset, or of the effort, and notes which of the preset's stand.
func (r *reader) resolvePreset() {
	c := r.config
	if c.Preset != "" {
		if at, given := c.given["train.effort"]; given && c.Effort != "" {
			r.problem(at, errors.New("train.preset says where values start from too: leave one of both out"))
			return
		}
		c.Effort = ""
	}
	if c.Budget > 0 {
		switch {
		case c.Preset != "":
			r.problem(c.given["train.preset"], errors.New("train.budget chooses values too: leave one of both out"))
		case c.Effort != "" && c.Effort != preset.Default:
			r.problem(c.given["train.effort"], errors.New("train.budget says what effort there is: leave one of both out"))
		}
		for _, key := range []string{"train.bag_folds", "train.blend", "train.time_limit", "train.retrain", "train.valid_share", "train.valid_by"} {
			if at, given := c.given[key]; given {
				r.problem(at, fmt.Errorf("train.budget decides about %s: leave one of both out", key))
			}
		}
		c.Effort = preset.Default
	}
	c.asked = c.Params
	if err := c.SettleFor(preset.Table{}); err != nil {
		r.problems = append(r.problems, fmt.Errorf("%w: %w", ErrConfig, err))
	}
	if chosen := c.Chosen(); c.Preset != "" && chosen != "" {
		r.note(chosen)
	}
}

// SettleFor gives the keys of Params that were not given the values that Preset, or Effort, has for a table.
func (c *Config) SettleFor(t preset.Table) error {
	name := cmp.Or(c.Preset, c.Effort)
	if name == "" {
		return nil
	}
	c.Params = c.asked
	if err := preset.Use(&c.Params, name, t, c.Given); err != nil {
		return err
	}
	if c.Given("gradients.mode") && !c.Given("train.gradients") {
		c.Params.Gradients = c.asked.Gradients // which the mode is made for
	}
	if c.Params.BagFolds > 0 && !c.Given("train.retrain") {
		c.Params.Retrain = false // models of folds need no second training: each row trains all of them but one
	}
	return nil
}

// GoesOn says that training goes on from a model: where no effort was given it is the quick one.
func (c *Config) GoesOn() error {
	if c.Effort == "" || c.Given("train.effort") {
		return nil
	}
	c.Effort = preset.Quick
	return c.SettleFor(preset.Table{})
}

// Chosen returns a line of the values that Preset, or Effort, has put in, "" for none.
func (c *Config) Chosen() string {
	before := *c
	before.Params = c.asked
	var values []string
	keys, were := keysOf(c), keysOf(&before)
	for i := range keys {
		if value := keys[i].format(); value != were[i].format() {
			values = append(values, keys[i].Name+" = "+value)
		}
	}
	if values == nil {
		return ""
	}
	kind := "preset"
	if c.Preset == "" {
		kind = "effort"
	}
	return fmt.Sprintf("%s %q: %s", kind, cmp.Or(c.Preset, c.Effort), strings.Join(values, ", "))
}
