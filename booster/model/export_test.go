package model

import (
	"boost/booster/model/internal/infer"
	"boost/internal/cpu"
	"boost/internal/vfs"
)

// SaveOn is Save on another file system.
func SaveOn(fsys vfs.FS, m *Model, path string) error { return m.save(fsys, path) }

// UseSet makes the engine of a model anew, in the vectors of a set. Nobody else may use the model meanwhile.
func UseSet(m *Model, set cpu.Level) { m.engine = infer.New(m.contents, set) }

// DecodeCompactFor is DecodeCompact for the vectors of a set.
func DecodeCompactFor(data []byte, set cpu.Level) (*Compact, error) { return decodeCompact(data, set) }

// Kept reports whether all but the trees of a Compact is unpacked for good.
func Kept(c *Compact) bool { return c.kept != nil }
