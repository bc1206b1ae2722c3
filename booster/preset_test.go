package booster_test

import (
	"errors"
	"reflect"
	"testing"

	"boost/booster"
)

func TestPresets(t *testing.T) {
	for _, name := range booster.Presets() {
		p := booster.Defaults()
		if err := p.UsePreset(name); err != nil || p.Validate() != nil || reflect.DeepEqual(p, booster.Defaults()) {
			t.Errorf("%s: error %v, %v, params %+v", name, err, p.Validate(), p)
		}
		q := booster.Defaults()
		q.LearningRate = 0.017
		if err := q.UsePreset(name); err != nil || q.LearningRate != 0.017 || q.Gradients != p.Gradients {
			t.Errorf("%s: error %v, params %+v", name, err, q)
		}
	}
	// What the documentation says.
	fast, said := booster.Defaults(), booster.Defaults()
	if said.Rounds, said.LearningRate, said.Gradients = 50, 0.2, "i8"; fast.UsePreset("fast") != nil || !reflect.DeepEqual(fast, said) {
		t.Errorf("fast is %+v", fast)
	}
	p := booster.Defaults()
	if err := p.UsePreset("slow"); !errors.Is(err, booster.ErrParams) || !reflect.DeepEqual(p, booster.Defaults()) {
		t.Errorf("an unknown preset: error %v", err)
	}
}
