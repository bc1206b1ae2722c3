package model

import "encoding/json"

// parts is a model file taken to pieces, without a look at what they mean.
type parts struct {
	version  int
	manifest map[string]json.RawMessage
	entries  []sectionEntry
	sections [][]byte
}

func openParts(data []byte) (*parts, error) {
	h, text, err := openContainer(data)
	if err != nil {
		return nil, err
	}
	p := &parts{version: int(h.version)}
	if err := json.Unmarshal(text, &p.manifest); err != nil {
		return nil, unusable("the model is damaged: its manifest cannot be read: %w", err)
	}
	if err := json.Unmarshal(p.manifest["sections"], &p.entries); err != nil {
		return nil, unusable("the model is damaged: its section table cannot be read: %w", err)
	}
	names := sectionNames
	if h.version == CompressedVersion {
		if _, err := openNamed(data, h, p.entries); err != nil {
			return nil, err
		}
		names = nil
		for _, e := range p.entries {
			names = append(names, e.Name)
		}
	}
	p.sections, err = openSections(data, h, p.entries, names)
	return p, err
}
