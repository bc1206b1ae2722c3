package grow

import (
	"boost/binning"
	"boost/internal/kernel/scan"
)

// shape is what a search has to know of a feature.
type shape struct {
	numeric bool
	flags   int32 // how many features from this one on are numeric ones of two codes without a missing one
}

// shapesOf returns the shapes and the spans of the features.
func shapesOf(features []binning.Feature, m *binning.Matrix) ([]shape, []scan.Span) {
	shapes, spans, offsets := make([]shape, len(features)), make([]scan.Span, len(features)), m.Offsets()
	flags := int32(0)
	var counts []int
	for f := len(features) - 1; f >= 0; f-- {
		feature := &features[f]
		s := shape{numeric: !feature.BySets()}
		if flags++; !s.numeric || feature.Regular != 2 || feature.HasMissing {
			flags = 0
		}
		s.flags = flags
		codes := uint32(offsets[f+1] - offsets[f])
		spans[f] = scan.Span{From: uint32(offsets[f]), Regular: uint32(feature.Regular), Missing: codes - uint32(feature.Regular)}
		if s.numeric {
			counts = append(counts[:0], make([]int, codes)...)
			spans[f].Common = uint32(m.CommonCode(f, counts))
		}
		shapes[f] = s
	}
	return shapes, spans
}
