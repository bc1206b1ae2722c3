package model

import (
	"crypto/sha256"
	"encoding/hex"

	"boost/booster/model/internal/format"
)

// Encode returns the bytes of the model's `.boost` file. The same model gives the
// same bytes, on every machine and at every time.
func (m *Model) Encode() ([]byte, error) { return m.contents.Encode() }

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
	h, text, err := format.OpenContainer(data)
	if err != nil {
		return nil, err
	}
	c, err := format.DecodeContents(data, h, text)
	if err != nil {
		return nil, err
	}
	return compile(c), nil
}
