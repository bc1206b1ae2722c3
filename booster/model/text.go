package model

import (
	"encoding/base64"
	"encoding/json"

	"boost/booster/model/internal/format"
	"boost/booster/model/internal/jsonform"
	"boost/dataset"
)

// EncodeText returns the model as one JSON object: all that its file holds, structure and leaf
// values as text that people and other programs read. DecodeText makes the same
// model of it. It has sorted keys, and numbers in their shortest form.
func (m *Model) EncodeText() []byte {
	c := m.contents
	object := c.Manifest()
	object["boost_model"] = format.TextVersion
	object["features"] = format.FeaturesText(c)
	var levels []any
	for i := range c.Schema.Columns {
		if c.Schema.Columns[i].Kind == dataset.Category {
			levels = append(levels, jsonform.List(c.Schema.Columns[i].Levels, func(s string) any { return jsonform.Text(s).Form() }))
		}
	}
	object["levels"] = append([]any{}, levels...) // of the category columns, in order
	object["trees"] = jsonform.List(c.Trees, format.TreeText)
	if z := c.Compression; z != nil {
		form := z.Form().(map[string]any)
		form["leaves"] = base64.StdEncoding.EncodeToString(z.Leaves.AppendNative(nil))
		form["scales"] = base64.StdEncoding.EncodeToString(format.EncodeScales(z.Leaves))
		object["compression"] = form
	}
	return append(jsonform.Append(nil, object), '\n')
}

// DecodeText makes a model of what EncodeText wrote, or of what a person made of it: order of keys
// and spaces are free. It checks all that Decode checks. Every error wraps ErrModel.
func DecodeText(data []byte) (*Model, error) {
	var form format.TextForm
	if err := json.Unmarshal(format.FirstValue(data), &form); err != nil {
		return nil, format.Errorf("the model in JSON cannot be read: %w", err)
	}
	if form.Version == 0 {
		return nil, format.Errorf("%s", format.NotAModel(data, uint64(len(data))))
	}
	if form.Version != format.TextVersion {
		return nil, format.Errorf("not a boost model in JSON: its boost_model is %d, expected %d", form.Version, format.TextVersion)
	}
	c := form.Contents()
	if err := form.Fill(&c); err != nil {
		return nil, format.Errorf("the model in JSON is damaged: %w", err)
	}
	c.ReadHistory()
	m, err := New(c)
	if err != nil {
		return nil, format.Errorf("the model in JSON is damaged: %w", err)
	}
	return m, nil
}
