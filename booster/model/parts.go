package model

import (
	"encoding/json"

	"boost/booster/model/internal/format"
)

// parts is a model file taken to pieces, without a look at what they mean.
type parts struct {
	version  int
	manifest map[string]json.RawMessage
	entries  []format.SectionEntry
	sections [][]byte
}

func openParts(data []byte) (*parts, error) {
	h, text, err := format.OpenContainer(data)
	if err != nil {
		return nil, err
	}
	p := &parts{version: int(h.Version)}
	if err := json.Unmarshal(text, &p.manifest); err != nil {
		return nil, format.Errorf("the model is damaged: its manifest cannot be read: %w", err)
	}
	if err := json.Unmarshal(p.manifest["sections"], &p.entries); err != nil {
		return nil, format.Errorf("the model is damaged: its section table cannot be read: %w", err)
	}
	if h.Version == format.CompressedVersion {
		return p, p.takePacked(data, h)
	}
	p.sections, err = format.OpenSections(data, h, p.entries, h.SectionsOf(format.SectionNames))
	return p, err
}

// takePacked puts the parts of a compressed model, and where they lie, in the place of its one section.
func (p *parts) takePacked(data []byte, h format.Header) error {
	all, err := format.PackedParts(data, h, p.entries)
	if err != nil {
		return err
	}
	at := p.entries[0].Offset + p.entries[0].Length
	for _, part := range all {
		at -= uint64(len(part.Data))
	}
	p.entries = nil
	for _, part := range all {
		n := uint64(len(part.Data))
		p.sections = append(p.sections, part.Data)
		p.entries = append(p.entries, format.SectionEntry{Name: part.Name, Offset: at, Length: n, CRC: format.CrcHex(part.Data)})
		at += n
	}
	return nil
}
