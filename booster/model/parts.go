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
	if h.version == CompressedVersion {
		return p, p.takePacked(data, h)
	}
	p.sections, err = openSections(data, h, p.entries, sectionNames)
	return p, err
}

// takePacked puts the parts of a compressed model, and where they lie, in the place of its one section.
func (p *parts) takePacked(data []byte, h header) error {
	all, err := packedParts(data, h, p.entries)
	if err != nil {
		return err
	}
	at := p.entries[0].Offset + p.entries[0].Length
	for _, part := range all {
		at -= uint64(len(part.data))
	}
	p.entries = nil
	for _, part := range all {
		n := uint64(len(part.data))
		p.sections = append(p.sections, part.data)
		p.entries = append(p.entries, sectionEntry{part.name, at, n, crcHex(part.data)})
		at += n
	}
	return nil
}
