package model

import "encoding/json"

// parts is a model file taken to pieces, without a look at what they mean.
type parts struct {
	manifest map[string]json.RawMessage
	entries  []sectionEntry
	sections [][]byte
}

func openParts(data []byte) (*parts, error) {
	h, text, err := openContainer(data)
	if err != nil {
		return nil, err
	}
	p := &parts{}
	if err := json.Unmarshal(text, &p.manifest); err != nil {
		return nil, unusable("the model is damaged: its manifest cannot be read: %w", err)
	}
	if err := json.Unmarshal(p.manifest["sections"], &p.entries); err != nil {
		return nil, unusable("the model is damaged: its section table cannot be read: %w", err)
	}
	p.sections, err = openSections(data, h, p.entries, sectionNames)
	return p, err
}
