package booster

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// preset is a named set of parameter values.
type preset struct {
	name   string
	values func(*Params)
}

// presets are the named sets; docs/design/030-fast-preset.md has the figures of "fast".
var presets = []preset{
	{"fast", func(p *Params) {
		p.Rounds, p.LearningRate, p.Gradients = 50, 0.2, "i8"
	}},
}

// Presets lists the names that UsePreset takes.
func Presets() []string {
	var names []string
	for _, preset := range presets {
		names = append(names, preset.name)
	}
	return names
}

// UsePreset puts the values of a preset in the place of those parameters that still have
// their default, or were left out.
func (p *Params) UsePreset(name string) error {
	i := slices.IndexFunc(presets, func(s preset) bool { return s.name == name })
	if i < 0 {
		return fmt.Errorf("%w: preset %s: there is %s", ErrParams, strconv.Quote(name), strings.Join(Presets(), ", "))
	}
	*p = p.OrDefaults()
	usual, of := Defaults(), Defaults()
	presets[i].values(&of)
	defaults, values := Settings(&usual), Settings(&of)
	for k, s := range Settings(p) {
		if reflect.DeepEqual(s.Value, defaults[k].Value) {
			reflect.ValueOf(s.Value).Elem().Set(reflect.ValueOf(values[k].Value).Elem())
		}
	}
	return nil
}
