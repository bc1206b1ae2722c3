package model

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
)

// Encode returns the bytes of the model's `.boost` file. The same model gives the
// same bytes, on every machine and at every time.
func (m *Model) Encode() ([]byte, error) { return m.contents.encode() }

func (c *Contents) encode() ([]byte, error) {
	if c.Compression != nil {
		return c.encodeCompressed()
	}
	sections := []section{
		{cutsSection, encodeCuts(c.Cuts)},
		{dictionariesSection, encodeDictionaries(c.Schema)},
		{structureSection, encodeStructure(c.Trees)},
		{leavesSection, encodeLeaves(c.Trees)},
		{statisticsSection, encodeStatistics(c.Trees)},
	}
	object := c.manifest()
	return assemble(FormatVersion, sections, func(table []sectionEntry) []byte {
		object["sections"] = list(table, sectionForm)
		return appendJSON(nil, object)
	}), nil
}

// SHA256 returns the hex digest of the model's bytes.
func (m *Model) SHA256() (string, error) {
	sum := m.digest.Load()
	if sum == nil {
		b, err := m.Encode()
		if err != nil {
			return "", err
		}
		sum = m.digestOf(b)
	}
	return hex.EncodeToString(sum[:]), nil
}

// digestOf keeps the digest of the model's bytes, of which making them is the larger part.
func (m *Model) digestOf(encoded []byte) *[sha256.Size]byte {
	sum := sha256.Sum256(encoded)
	m.digest.Store(&sum)
	return &sum
}

// Decode makes a model of the bytes of a `.boost` file. It checks everything before
// use, allocates in proportion to len(data) only, and does not keep data. Every
// error wraps ErrModel.
func Decode(data []byte) (*Model, error) {
	h, text, err := openContainer(data)
	if err != nil {
		return nil, err
	}
	c, err := decodeContents(data, h, text)
	if err != nil {
		return nil, err
	}
	return c.compile(), nil
}

// decodeContents reads what openContainer opened, and checks all of it.
func decodeContents(data []byte, h header, text []byte) (*Contents, error) {
	decode := decodeFull
	if h.version == CompressedVersion {
		decode = decodeCompressed
	}
	c, err := decode(data, h, text)
	if err != nil {
		return nil, err
	}
	if err := c.check(); err != nil {
		return nil, unusable("the model is damaged: %w", err)
	}
	// One model, one file: a second spelling of the same contents would be a model
	// with two hashes.
	again, err := c.encode()
	if err != nil || !bytes.Equal(again, data) {
		return nil, unusable("the model is damaged: its contents are not in the form that boost writes")
	}
	return &c, nil
}

func decodeFull(data []byte, h header, text []byte) (c Contents, err error) {
	var man manifest
	if err := json.Unmarshal(text, &man); err != nil {
		return c, unusable("the model is damaged: its manifest cannot be read: %w", err)
	}
	sections, err := openSections(data, h, man.Sections, sectionNames)
	if err != nil {
		return c, err
	}
	if c, err = man.contents(); err != nil {
		return c, err
	}
	if err := decodeDictionaries(sections[1], c.Schema); err != nil {
		return c, err
	}
	if c.Cuts, err = decodeCuts(sections[0], c.featureColumns()); err != nil {
		return c, err
	}
	c.Trees, err = decodeTrees(sections[2], sections[3], sections[4])
	return c, err
}
