package format

import (
	"encoding/json"
)

// Encode returns the bytes of the model's file.
func (c *Contents) Encode() ([]byte, error) {
	version, sections, manifest := c.form(&known{})
	return Assemble(version, sections, manifest), nil
}

// known are sections that were found to be what boost writes of the contents; they are not made again.
type known struct {
	structure          []byte
	leaves, statistics []byte // of a full model
}

// form returns what a file is assembled of.
func (c *Contents) form(have *known) (version uint16, sections []Section, manifest func([]byte, []SectionEntry) []byte) {
	if c.Compression != nil {
		return CompressedVersion, []Section{{PackedSection, JoinParts(c.compressedParts(have.structure))}}, SectionTable
	}
	structure, leaves, statistics := have.structure, have.leaves, have.statistics
	if structure == nil {
		structure, leaves, statistics = encodeStructure(c.Trees), encodeLeaves(c.Trees), encodeStatistics(c.Trees)
	}
	sections = []Section{
		{CutsSection, encodeCuts(c.Cuts)},
		{dictionariesSection, encodeDictionaries(c.Schema)},
		{StructureSection, structure},
		{leavesSection, leaves},
		{statisticsSection, statistics},
	}
	object := c.Manifest()
	return FormatVersion, sections, func(b []byte, table []SectionEntry) []byte {
		object["sections"] = List(table, SectionForm)
		return AppendJSON(b, object)
	}
}

// DecodeContents reads what openContainer opened, and checks all of it.
func DecodeContents(data []byte, h Header, text []byte) (*Contents, error) {
	decode := decodeFull
	if h.Version == CompressedVersion {
		decode = decodeCompressed
	}
	c, have, err := decode(data, h, text)
	if err != nil {
		return nil, err
	}
	if err := c.checkBody(); err != nil {
		return nil, Errorf("the model is damaged: %w", err)
	}
	// One model, one file: a second spelling of the same contents would be a model
	// with two hashes.
	version, sections, manifest := c.form(&have)
	if version != h.Version || !isAssembled(data, version, sections, manifest) {
		return nil, notCanonical()
	}
	return &c, nil
}

func notCanonical() error {
	return Errorf("the model is damaged: its contents are not in the form that boost writes")
}

func decodeFull(data []byte, h Header, text []byte) (c Contents, have known, err error) {
	var man manifest
	if err := json.Unmarshal(text, &man); err != nil {
		return c, have, Errorf("the model is damaged: its manifest cannot be read: %w", err)
	}
	sections, err := OpenSections(data, h, man.Sections, SectionNames)
	if err != nil {
		return c, have, err
	}
	c = man.Contents()
	if err := decodeDictionaries(sections[1], c.Schema); err != nil {
		return c, have, err
	}
	if c.Cuts, err = decodeCuts(sections[0], c.FeatureColumns()); err != nil {
		return c, have, err
	}
	// Nothing is wrong any more but with the trees before memory is made for them.
	if err := c.checkHead(); err != nil {
		return c, have, Errorf("the model is damaged: %w", err)
	}
	have = known{sections[2], sections[3], sections[4]}
	r, err := openTrees(have.structure, have.leaves, have.statistics)
	if err != nil {
		return c, have, err
	}
	if err := r.check(Features(c.Cuts), max(c.Outputs, 1)); err != nil {
		return c, have, err
	}
	c.Trees, err = r.all()
	return c, have, err
}
