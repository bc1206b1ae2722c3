package booster

import (
	"encoding/json"
	"fmt"
	"reflect"
)

// eachParam visits the leaf fields of Params with their tags, in order of declaration.
func eachParam(v reflect.Value, visit func(tag reflect.StructTag, v reflect.Value) error) error {
	for i := range v.NumField() {
		field := v.Type().Field(i)
		if field.Type.Kind() == reflect.Struct {
			if err := eachParam(v.Field(i), visit); err != nil {
				return err
			}
			continue
		}
		if err := visit(field.Tag, v.Field(i)); err != nil {
			return err
		}
	}
	return nil
}

// ModelParams returns the parameters that can change a model's bytes as a JSON
// object with sorted keys: what a model stores. Empty maps are left out, and what is
// stored where set only.
func (p Params) ModelParams() (json.RawMessage, error) {
	if !p.ErrorFeedback {
		p.QuantizeDType = "" // of no consequence in training (S4.37)
	}
	object, defaults := map[string]any{}, map[string]any{}
	err := eachParam(reflect.ValueOf(Defaults()), func(tag reflect.StructTag, v reflect.Value) error {
		if tag.Get("stored") == "where set" {
			defaults[tag.Get("key")] = v.Interface()
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	err = eachParam(reflect.ValueOf(p), func(tag reflect.StructTag, v reflect.Value) error {
		key := tag.Get("key")
		if usual, ok := defaults[key]; ok && usual == v.Interface() {
			return nil
		}
		if tag.Get("use") == "model" && (v.Kind() != reflect.Map || v.Len() > 0) {
			object[key] = v.Interface()
		}
		return nil
	})
	if err != nil {
		return nil, err
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
	err := eachParam(reflect.ValueOf(&p).Elem(), func(tag reflect.StructTag, v reflect.Value) error {
		key := tag.Get("key")
		raw, ok := stored[key]
		if !ok || tag.Get("use") != "model" {
			return nil
		}
		delete(stored, key)
		if err := json.Unmarshal(raw, v.Addr().Interface()); err != nil {
			return fmt.Errorf("parameter %s of the model: %w", key, err)
		}
		return nil
	})
	if err != nil {
		return p, err
	}
	for key := range stored {
		return p, fmt.Errorf("parameter %s of the model is not known to this version", key)
	}
	return p, nil
}
