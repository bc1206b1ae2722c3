package model

import (
	"bytes"
	"maps"
	"slices"
)

// DiffSections names the first part in which two model files differ: "header",
// "manifest: <key>", or the name of a section. It is empty for equal bytes, and "file"
// where one of them cannot be read as a model.
func DiffSections(a, b []byte) string {
	if bytes.Equal(a, b) {
		return ""
	}
	one, err := openParts(a)
	if err != nil {
		return "file"
	}
	other, err := openParts(b)
	if err != nil {
		return "file"
	}
	for _, key := range slices.Sorted(maps.Keys(one.manifest)) {
		// The section table differs wherever a section does, and says less.
		if key != "sections" && !bytes.Equal(one.manifest[key], other.manifest[key]) {
			return "manifest: " + key
		}
	}
	for i, e := range one.entries {
		if i == len(other.entries) || other.entries[i].Name != e.Name || !bytes.Equal(one.sections[i], other.sections[i]) {
			return e.Name
		}
	}
	return "header"
}
