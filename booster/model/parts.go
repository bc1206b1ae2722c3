package model

import (
	"encoding/json"
	"slices"
)

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
		return p, p.takePacked(data, h, text)
	}
	p.sections, err = openSections(data, h, p.entries, sectionNames)
	return p, err
}

// takePacked makes the parts of a compressed model those of the file.
func (p *parts) takePacked(data []byte, h header, text []byte) error {
	all, err := packedParts(data, h, text)
	if err != nil {
		return err
	}
	end := p.entries[0].Offset + p.entries[0].Length
	for i := len(all) - 1; i >= 0; i-- {
		n := uint64(len(all[i].data))
		end -= n
		p.sections = append(p.sections, all[i].data)
		p.entries = append(p.entries, sectionEntry{all[i].name, end, n, crcHex(all[i].data)})
	}
	p.entries = p.entries[1:]
	slices.Reverse(p.entries)
	slices.Reverse(p.sections)
	return nil
}
