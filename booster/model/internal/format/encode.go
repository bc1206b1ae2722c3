package format

import (
	"boost/booster/model/internal/jsonform"
	"encoding/json"
)

// Encode returns the bytes of the model's file.
func (c *Contents) Encode() ([]byte, error) {
	if c.Compression != nil {
		return Assemble(CompressedVersion, compressedSections(JoinParts(c.compressedParts()), encodeLinear(c.Trees)), 0, SectionTable), nil
	}
	sections, manifest := c.fullForm(encodeStructure(c.Trees), encodeLeaves(c.Trees), encodeStatistics(c.Trees), encodeLinear(c.Trees))
	size := 4096 // about the bytes of the manifest
	for i := range c.Schema.Columns {
		size += 72 + len(c.Schema.Columns[i].Name)
	}
	return Assemble(FormatVersion, sections, size, manifest), nil
}

// fullForm returns what the file of a full model is assembled of. The sections of the trees are given.
func (c *Contents) fullForm(structure, leaves, statistics, linear []byte) (sections []Section, manifest func([]byte, []SectionEntry) []byte) {
	sections = []Section{
		{CutsSection, encodeCuts(c.Cuts)},
		{dictionariesSection, encodeDictionaries(c.Schema)},
		{StructureSection, structure},
		{leavesSection, leaves},
		{statisticsSection, statistics},
	}
	if linear != nil {
		sections = append(sections, Section{linearSection, linear})
	}
	object := c.Manifest()
	return sections, func(b []byte, table []SectionEntry) []byte {
		object["sections"] = jsonform.List(table, SectionForm)
		return jsonform.Append(b, object)
	}
}

// DecodeContents reads what openContainer opened, and checks all of it. One model has one file: a second spelling of
// the same contents would be a model with two hashes.
func DecodeContents(data []byte, h Header, text []byte) (*Contents, error) {
	decode := decodeFull
	if h.Version == CompressedVersion {
		decode = decodeCompressed
	}
	c, err := decode(data, h, text)
	if err != nil {
		return nil, err
	}
	if err := c.checkBody(); err != nil {
		return nil, Errorf("the model is damaged: %w", err)
	}
	c.ReadHistory()
	return &c, nil
}

func notCanonical() error {
	return Errorf("the model is damaged: its contents are not in the form that boost writes")
}

func decodeFull(data []byte, h Header, text []byte) (c Contents, err error) {
	var man manifest
	if err := json.Unmarshal(text, &man); err != nil {
		return c, Errorf("the model is damaged: its manifest cannot be read: %w", err)
	}
	sections, err := OpenSections(data, h, man.Sections, h.SectionsOf(SectionNames))
	if err != nil {
		return c, err
	}
	c = man.Contents()
	if err := decodeDictionaries(sections[1], c.Schema); err != nil {
		return c, err
	}
	if c.Cuts, err = decodeCuts(sections[0], c.FeatureColumns()); err != nil {
		return c, err
	}
	if err := c.markOrdered(man.Ordered); err != nil {
		return c, err
	}
	if err := c.checkHead(); err != nil {
		return c, Errorf("the model is damaged: %w", err)
	}
	var linear []byte
	if len(sections) > len(SectionNames) {
		linear = sections[len(SectionNames)]
	}
	r, err := openTrees(sections[2], sections[3], sections[4], linear)
	if err != nil {
		return c, err
	}
	if err := r.check(Features(c.Cuts), c.Outputs); err != nil {
		return c, err
	}
	if err := c.checkCount(r.count); err != nil {
		return c, Errorf("the model is damaged: model: %w", err)
	}
	if sections, manifest := c.fullForm(sections[2], sections[3], sections[4], linear); !isAssembled(data, FormatVersion, sections, manifest) {
		return c, notCanonical()
	}
	// Nothing is wrong any more before memory is made for the trees.
	c.Trees, err = r.all()
	return c, err
}
