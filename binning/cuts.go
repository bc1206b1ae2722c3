package binning

import "unsafe"

// FeatureKind says how a feature's values become codes.
type FeatureKind uint8

// The kinds of features.
const (
	Numeric32   FeatureKind = iota // cuts in float32, values compared as float32
	Numeric64                      // cuts in float64
	Categorical                    // dictionary index → code
)

// Feature describes one column that trees may split on.
type Feature struct {
	Name       string
	Kind       FeatureKind
	HasMissing bool // the column had missing values in training: its last code is the missing code
	// Unnamed reports whether the schema's dictionary may lack levels that training had
	// (Categorical only, as NameHashes). These take the missing code.
	Unnamed bool
	// Ordered reports whether the codes of a categorical feature are in an order that splits go by, like those of
	// numbers: the levels of a code and of those below it go left. Several levels may have one code.
	Ordered bool
	// Regular is the number of codes of present values, at least 1: cuts + 1, or the
	// number of category codes, the shared code `other` included, which is the last.
	Regular uint32
	// Codes maps a dictionary index of the schema to its code (Categorical only);
	// NoCode marks a level that had no row in training.
	Codes []uint32
	// NameHashes, ascending, stand for levels that are not in the dictionary and take the last code; see
	// HashesName.
	NameHashes []uint32
}

// BySets reports whether splits of the feature are by sets of codes.
func (f *Feature) BySets() bool { return f.Kind == Categorical && !f.Ordered }

// NoCode marks a dictionary level without a code of its own: it is read as missing.
const NoCode = ^uint32(0)

// NCodes returns the number of codes of the feature in training, the missing code included.
func (f *Feature) NCodes() uint32 {
	if f.HasMissing {
		return f.Regular + 1
	}
	return f.Regular
}

// MissingCode returns the code that a missing value takes: the last code where
// training had missing values, else the first code that training never used.
func (f *Feature) MissingCode() uint32 { return f.Regular }

// Cuts holds the bin borders of all features in a CSC-like layout.
//
//	Values   [ cuts of feature 0 | cuts of feature 1 | … ]   strictly increasing per feature
//	Ptrs     F+1 entries; feature f owns Values[Ptrs[f]:Ptrs[f+1]]
//
// Features of kind Numeric64 have their cuts in Values64/Ptrs64 instead, in the same layout,
// and an empty range in Ptrs; Categorical features have an empty range in both.
// A value x lies in the bin of the first cut ≥ x.
type Cuts struct {
	Features []Feature
	Values   []float32
	Ptrs     []uint32
	Values64 []float64
	Ptrs64   []uint32
}

// Bytes returns the memory of the cuts, without the features' names.
func (c *Cuts) Bytes() uint64 {
	n := uint64(len(c.Features))*uint64(unsafe.Sizeof(Feature{})) + 4*uint64(len(c.Ptrs)+len(c.Ptrs64))
	for f := range c.Features {
		n += 4 * uint64(len(c.Features[f].Codes)+len(c.Features[f].NameHashes))
	}
	return n + 4*uint64(len(c.Values)) + 8*uint64(len(c.Values64))
}

// Of32 returns the cuts of a Numeric32 feature.
func (c *Cuts) Of32(f int) []float32 { return c.Values[c.Ptrs[f]:c.Ptrs[f+1]] }

// Of64 returns the cuts of a Numeric64 feature.
func (c *Cuts) Of64(f int) []float64 { return c.Values64[c.Ptrs64[f]:c.Ptrs64[f+1]] }
