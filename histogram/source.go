package histogram

import (
	"boost/binning"
	"boost/internal/kernel/hist"
)

// source is the matrix as passes read it. It is fixed when a Builder is made.
type source struct {
	matrix        *binning.Matrix
	rowMajor      *binning.RowMajor // nil: all groups are read by column
	lists         *Lists            // of rowMajor; may be nil
	sparse        *sparseRows       // nil in layouts with columns
	offsets       []uint32
	featureGroups []binning.FeatureGroup // in sparse layouts one per feature
	firstSlots    []int                  // first slot of each group, where groups follow each other
	flags         [][]flag               // of groups that are bundles of features of two codes, else nil
	inRowMajor    []bool                 // by group
	hasDefaults   bool                   // some features have a slot that is not added up
	widest        int                    // codes of the widest group
}

// newSource prepares a matrix, and its row-major copy, which may be nil.
func newSource(m *binning.Matrix, rowMajor *binning.RowMajor) source {
	s := source{matrix: m, rowMajor: rowMajor, sparse: newSparseRows(m), offsets: m.Offsets(), featureGroups: groupsOf(m)}
	s.firstSlots = make([]int, len(s.featureGroups)+1)
	for u := range s.featureGroups {
		s.firstSlots[u+1] = s.firstSlots[u] + s.size(u)
		s.widest = max(s.widest, s.size(u))
		for _, f := range s.featureGroups[u].Features {
			_, hasDefault := m.DefaultBin(f)
			s.hasDefaults = s.hasDefaults || hasDefault
		}
	}
	s.listFlags()
	if byRow := m.ByRow(); byRow != nil {
		s.rowMajor = byRow
	}
	s.inRowMajor = make([]bool, len(s.featureGroups))
	if s.rowMajor != nil {
		for i := range s.rowMajor.Groups {
			for _, u := range s.rowMajor.Groups[i].Members {
				s.inRowMajor[u] = true
			}
		}
	}
	return s
}

// groupsOf returns the feature groups of a matrix. In sparse layouts every feature is one.
func groupsOf(m *binning.Matrix) []binning.FeatureGroup {
	if m.CSR() == nil && m.Ellpack() == nil {
		return m.FeatureGroups()
	}
	groups, features := make([]binning.FeatureGroup, m.NFeatures()), make([]int, m.NFeatures())
	for f := range groups {
		features[f] = f
		info := m.FeatureInfo(f)
		groups[f] = binning.FeatureGroup{Features: features[f : f+1 : f+1], NBins: info.NBins, Bits: info.Bits}
	}
	return groups
}

// groupOf returns the group that holds a feature.
func (s *source) groupOf(f int) int {
	if s.sparse != nil {
		return f
	}
	return s.matrix.GroupOf(f)
}

// size returns the number of slots that a pass over a group fills.
func (s *source) size(u int) int {
	g := &s.featureGroups[u]
	if s.matrix.Masked() {
		return int(s.matrix.FeatureInfo(g.Features[0]).NBins)
	}
	return int(g.NBins)
}

// isLowCardinality reports whether a group's column has so few codes, of a byte or half of one, that rows that
// follow each other are added up by comparing. Columns with a mask do not: they are put together for the rows of
// a node only.
func (s *source) isLowCardinality(u int) bool {
	bits := s.featureGroups[u].Bits
	return (bits == binning.U4 || bits == binning.U8) && !s.matrix.Masked() && hist.PreferCompare(s.size(u))
}

// bins returns the slots of a feature in a flat histogram.
func (s *source) bins(f int) (lo, hi int) { return int(s.offsets[f]), int(s.offsets[f+1]) }

// bundled returns where a feature's codes start in its group's, and its slots in a flat histogram: lo … hi-1,
// with the default bin in defaultSlot.
func (s *source) bundled(f int) (first, lo, defaultSlot, hi int) {
	lo, hi = s.bins(f)
	code, _ := s.matrix.DefaultBin(f)
	return int(s.matrix.First(f)), lo, lo + int(code), hi
}

// rowMajorFrom returns the row-major codes from a row on.
func (s *source) rowMajorFrom(first int) []uint8 {
	return s.rowMajor.Data[first*s.rowMajor.Stride:]
}

// flag is a feature of two codes in a bundle of such: twice its first slot, plus its default bin.
type flag uint64

func (f flag) defaultSlot() int { return int(f>>1 + f&1) }
func (f flag) otherSlot() int   { return int(f>>1 + 1 - f&1) }

// listFlags lists the features of each group that is a bundle of nothing but features of two codes, in the
// order of their codes in the bundle. One-hot columns are such features, and there may be thousands.
func (s *source) listFlags() {
	s.flags = make([][]flag, len(s.featureGroups))
	for u := range s.featureGroups {
		features := s.featureGroups[u].Features
		if len(features) < 2 {
			continue
		}
		flags := make([]flag, len(features))
		for _, f := range features {
			first, lo, defaultSlot, hi := s.bundled(f)
			if hi-lo != 2 || first < 1 || first > len(flags) {
				flags = nil
				break
			}
			flags[first-1] = flag(2*lo + defaultSlot - lo)
		}
		s.flags[u] = flags
	}
}
