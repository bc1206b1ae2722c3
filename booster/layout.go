package booster

import (
	"fmt"

	"boost/binning"
	"boost/histogram"
)

// trainingLayout returns the parameters by which the training rows are coded. A layout that is left open
// becomes one that sums with counts, or the builder asked for, can read.
func (p *Params) trainingLayout() binning.Params {
	b := p.Binning
	_, counts := p.counts()
	if b.Layout == binning.Auto && (counts || p.Builder == histogram.FeatureParallel.String()) {
		b.Layout = binning.LayoutCol // the parameters decide on a row-major copy
	}
	if b.Bundle == binning.Auto && counts {
		b.Bundle = binning.BundleOff
	}
	return b
}

// checkLayout refuses layouts in which sums of floats would depend on their order
// (docs/architecture.md, Numerics 1), and those that the builder asked for cannot read.
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
// columns as they are, or CSR if that is smaller.
func (p *Params) scoringLayout() binning.Params {
	b := p.Binning
	b.Bundle, b.BundleConflicts, b.MissingAs = binning.BundleOff, 0, binning.Sentinel
	if b.Layout = binning.Auto; p.Binning.Layout == binning.LayoutCSR || p.Binning.Layout == binning.LayoutEllpack {
		b.Layout = binning.LayoutCSR
	}
	return b
}
