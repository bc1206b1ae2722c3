package configs

import (
	"fmt"
	"strings"
)

// resolvePreset takes back what does not go with the keys that were given, and notes which
// values of the preset stand.
func (r *reader) resolvePreset(base *Config) {
	if r.config.Given("gradients.mode") && !r.config.Given("train.gradients") {
		r.config.Params.Gradients = base.Params.Gradients // which the mode is made for
	}
	var values []string
	before := keysOf(base)
	for i := range r.keys {
		k := &r.keys[i]
		if value := k.format(); !r.config.Given(k.Name) && value != before[i].format() {
			values = append(values, k.Name+" = "+value)
		}
	}
	r.note(fmt.Sprintf("preset %q: %s", r.config.Preset, strings.Join(values, ", ")))
}
