package booster

import (
	"fmt"

	"boost/binning"
	"boost/gradients"
	"boost/histogram"
)

// trainingLayout returns the parameters by which the training rows are coded: where
// the layout is left open, what sums with counts and a builder asked for need.
func (p *Params) trainingLayout() binning.Params {
	b := p.Binning
	_, counts := p.counts()
	if b.Layout == binning.Auto && (counts || p.Builder == histogram.FeatureParallel.String()) {
		b.Layout = binning.LayoutCol // a copy by rows is added as the parameters have it
	}
	if b.Bundle == binning.Auto && counts {
		b.Bundle = binning.BundleOff
	}
	return b
}

// checkLayout refuses layouts in which sums of floats would depend on the order of
// adding (docs/architecture.md, Numerics 1), and those that the builder asked for cannot read.
func (p *Params) checkLayout() error {
	b := &p.Binning
	sparse := b.Layout == binning.LayoutCSR || b.Layout == binning.LayoutEllpack
	why, counts := p.counts()
	switch {
	case counts && sparse:
		return fmt.Errorf("%w: binning.layout = %q needs integer gradients without an offset, %s", ErrParams, b.Layout, why)
	case counts && (b.Bundle == binning.BundleOn || b.BundleConflicts > 0):
		return fmt.Errorf("%w: binning.bundle = \"on\" and binning.bundle_conflicts need integer gradients without an offset, %s", ErrParams, why)
	case p.Builder == histogram.FeatureParallel.String() && (sparse || b.Layout == binning.LayoutRow):
		return fmt.Errorf("%w: train.builder = \"feature\" reads columns, binning.layout = %q keeps none", ErrParams, b.Layout)
	}
	return nil
}

// scoringLayout returns the parameters by which rows are coded that are only scored:
// columns as they are, or CSR where that is smaller.
func (p *Params) scoringLayout() binning.Params {
	b := p.Binning
	b.Bundle, b.BundleConflicts, b.MissingAs = binning.BundleOff, 0, binning.Sentinel
	if b.Layout = binning.Auto; p.Binning.Layout == binning.LayoutCSR || p.Binning.Layout == binning.LayoutEllpack {
		b.Layout = binning.LayoutCSR
	}
	return b
}

// mirrored lists the columns with 2 … 256 codes, if they are to be kept by rows too. Those
// of few codes share one, but where sums are of floats, which must not depend on it
// (docs/architecture.md, Numerics 1).
func (t *trainer) mirrored() []binning.PackedGroup {
	if t.matrix.Layout() != binning.LayoutCol || t.matrix.Masked() || t.p.Binning.Layout == binning.LayoutCol {
		return nil
	}
	var units []int
	for u, unit := range t.matrix.FeatureGroups() {
		if unit.NBins > 1 && unit.NBins <= 256 {
			units = append(units, u)
		}
	}
	if t.storing.Mode == gradients.F32 {
		return binning.SingleGroups(t.matrix, units)
	}
	return binning.PackGroups(t.matrix, units)
}

// makeLists makes the lists of a copy by rows where they make passes faster and there is room for them.
func (t *trainer) makeLists(mirror *binning.RowMajor) *histogram.Lists {
	if !histogram.Packs(t.storing) || t.inFiles {
		return nil
	}
	room := int64(1 << 62)
	if limit, _ := t.memoryLimit(); limit > 0 {
		room = limit - t.report.PeakBytes
	}
	lists, bytes := histogram.NewLists(t.matrix, mirror, t.pool, room)
	if lists != nil {
		t.report.PeakBytes, t.report.ListBytes = t.report.PeakBytes+bytes, bytes
		t.say("rows are listed", "bytes", bytes)
	}
	return lists
}
