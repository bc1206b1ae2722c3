package booster

import (
	"encoding/json"
	"fmt"
	"reflect"
)

// ModelParams returns the parameters that can change a model's bytes as a JSON
// object with sorted keys: what a model stores. Empty maps are left out, and what is
// stored where set only.
func (p Params) ModelParams() (json.RawMessage, error) {
	if !p.ErrorFeedback {
		p.QuantizeDType = "" // of no consequence in training
	}
	usual := Defaults()
	defaults := Settings(&usual)
	object := map[string]any{}
	for i, s := range Settings(&p) {
		if s.Run || s.OmitDefault && reflect.DeepEqual(s.Value, defaults[i].Value) {
			continue
		}
		if v := reflect.ValueOf(s.Value).Elem(); v.Kind() != reflect.Map || v.Len() > 0 {
			object[s.Name] = s.Value
		}
	}
	return json.Marshal(object) // sorts the keys of a map
}

// ParamsOf returns Defaults with the parameters stored in a model put in. Keys that
// this version does not know are an error: it could not retrain the same model.
func ParamsOf(m *Model) (Params, error) { return paramsIn(m.Contents().Params) }

// paramsIn reads what ModelParams returns.
func paramsIn(text json.RawMessage) (Params, error) {
	p := Defaults()
	var stored map[string]json.RawMessage
	if err := json.Unmarshal(text, &stored); err != nil {
		return p, fmt.Errorf("parameters of the model: %w", err)
	}
	for _, s := range Settings(&p) {
		raw, ok := stored[s.Name]
		if !ok || s.Run {
			continue
		}
		delete(stored, s.Name)
		if err := json.Unmarshal(raw, s.Value); err != nil {
			return p, fmt.Errorf("parameter %s of the model: %w", s.Name, err)
		}
	}
	for key := range stored {
		return p, fmt.Errorf("parameter %s of the model is not known to this version", key)
	}
	return p, nil
}
