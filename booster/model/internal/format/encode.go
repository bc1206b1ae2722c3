package format

import (
	"bytes"
	"encoding/json"
)

func (c *Contents) Encode() ([]byte, error) {
	if c.Compression != nil {
		return c.encodeCompressed()
	}
	sections := []Section{
		{CutsSection, encodeCuts(c.Cuts)},
		{dictionariesSection, encodeDictionaries(c.Schema)},
		{StructureSection, encodeStructure(c.Trees)},
		{leavesSection, encodeLeaves(c.Trees)},
		{statisticsSection, encodeStatistics(c.Trees)},
	}
	object := c.Manifest()
	return Assemble(FormatVersion, sections, func(table []SectionEntry) []byte {
		object["sections"] = List(table, SectionForm)
		return AppendJSON(nil, object)
	}), nil
}

// DecodeContents reads what openContainer opened, and checks all of it.
func DecodeContents(data []byte, h Header, text []byte) (*Contents, error) {
	decode := decodeFull
	if h.Version == CompressedVersion {
		decode = decodeCompressed
	}
	c, err := decode(data, h, text)
	if err != nil {
		return nil, err
	}
	if err := c.Check(); err != nil {
		return nil, Errorf("the model is damaged: %w", err)
	}
	// One model, one file: a second spelling of the same contents would be a model
	// with two hashes.
	again, err := c.Encode()
	if err != nil || !bytes.Equal(again, data) {
		return nil, Errorf("the model is damaged: its contents are not in the form that boost writes")
	}
	return &c, nil
}

func decodeFull(data []byte, h Header, text []byte) (c Contents, err error) {
	var man manifest
	if err := json.Unmarshal(text, &man); err != nil {
		return c, Errorf("the model is damaged: its manifest cannot be read: %w", err)
	}
	sections, err := OpenSections(data, h, man.Sections, SectionNames)
	if err != nil {
		return c, err
	}
	if c, err = man.Contents(); err != nil {
		return c, err
	}
	if err := decodeDictionaries(sections[1], c.Schema); err != nil {
		return c, err
	}
	if c.Cuts, err = decodeCuts(sections[0], c.FeatureColumns()); err != nil {
		return c, err
	}
	c.Trees, err = decodeTrees(sections[2], sections[3], sections[4])
	return c, err
}
