package binning

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"boost/internal/setting"
)

// mostCodes bounds how many codes a column may have.
const mostCodes = 1 << 24 // 16,777,216

// mostBuckets bounds how many codes levels may share by hash.
const mostBuckets = 1 << 20

var binCounts = setting.Between(2, mostCodes)

// The values of Params.Placement, Params.Storage and Params.Order.
const (
	Midpoint = "midpoint" // a cut lies halfway between the values on its two sides
	Value    = "value"    // a cut is the value on its left side
	Adaptive = "adaptive" // every column has the width that its codes need
	Uniform  = "uniform"  // all columns have the width of the widest
	ByCount  = "count"    // codes of levels by how many rows they have
	ByName   = "name"     // by their names
)

// The values of Params.Layout, Params.MissingAs and Params.Bundle.
const (
	Auto          = "auto"
	LayoutCol     = "col"      // by columns
	LayoutRow     = "row"      // by rows only
	LayoutBoth    = "both"     // by columns, and byte-wide ones by rows as well
	LayoutCSR     = "csr"      // by rows, without the cells that have their feature's default bin
	LayoutEllpack = "ellpack"  // the same in rows of one length, bit-packed
	Sentinel      = "sentinel" // a missing value has a code of its own
	Mask          = "mask"     // a missing value is a bit beside the codes
	BundleOn      = "on"
	BundleOff     = "off"
)

// Layouts lists the values of Params.Layout.
func Layouts() []string {
	return []string{Auto, LayoutCol, LayoutRow, LayoutBoth, LayoutCSR, LayoutEllpack}
}

// ErrParams is wrapped by errors about a parameter out of its range.
var ErrParams = errors.New("invalid binning parameter")

// Params says how columns become codes.
//
// Where cuts come from a sample, MinDataInBin counts each sampled row for as many
// rows of the table as there are per sampled one, so that a bin may hold a few less.
//
// The cuts of ForcedCuts are all kept, as they are, even where that leaves a bin
// without a row or with fewer than MinDataInBin; in a float32 column they are rounded
// down to float32, which changes the side of no value of the column. The other cuts are
// quantiles, as many as max_bin leaves, and none between two values that a forced cut
// separates; MinDataInBin holds between two forced cuts as in a column of its own.
type Params struct {
	MaxBin        int    // codes of a numeric feature, the missing one too
	MinDataInBin  int    // rows a numeric bin holds at least
	Sample        int    // rows that cuts are taken from; 0 = all
	Placement     string // of cuts
	Storage       string // width of codes
	Layout        string // one of Layouts
	MissingAs     string
	Bundle        string
	WeightedCuts  bool // quantiles of weight, not of rows
	MaxCat        int  // levels that get a code of their own
	MinDataPerCat int
	HashBuckets   int    // codes that the other levels share by hash; 0 = one code for all
	Order         string // of codes of levels
	// BundleConflicts is the share of rows that a bundle may have with more than one
	// feature outside its default bin; above 0 bundles are made. All but the first of these lose their code, so that
	// training sees other values than predictions will.
	BundleConflicts float64

	// By name of the column, for numeric ones. ForcedCuts ascend, are finite and at most
	// max_bin − 1 of a column, one less where it has missing values. MaxBinByFeature takes
	// MaxBin's place.
	ForcedCuts      map[string][]float64
	MaxBinByFeature map[string]int
}

// Defaults returns the default parameters.
func Defaults() Params {
	return Params{
		MaxBin: 255, MinDataInBin: 1, Sample: 200_000, Placement: Midpoint,
		Storage: Adaptive, Layout: Auto, MissingAs: Sentinel, Bundle: Auto,
		MaxCat: 65_000, MinDataPerCat: 1, Order: ByCount,
	}
}

// Settings describes the parameters, those of p.
func Settings(p *Params) []setting.Setting {
	return []setting.Setting{
		{Name: "binning.max_bin", Value: &p.MaxBin, Range: binCounts,
			Doc:     "Codes of a numeric column, the missing one included; up to 256 fit one byte.",
			Aliases: []string{"max_bin", "max_bins", "border_count"}},
		{Name: "binning.min_data_in_bin", Value: &p.MinDataInBin, Range: setting.Between(0, math.MaxInt32),
			Doc:     "Rows that a numeric bin holds at least; 0 acts as 1.",
			Aliases: []string{"min_data_in_bin"}},
		{Name: "binning.sample", Value: &p.Sample, Range: setting.Between(0, math.MaxInt32), NoLimit: true,
			Doc:     "Rows that cuts are taken from; 0 = all.",
			Aliases: []string{"bin_construct_sample_cnt", "subsample_for_bin"}},
		{Name: "binning.placement", Value: &p.Placement, Choices: []string{Midpoint, Value},
			Doc: "Where a cut lies: between its two neighbours, or on the lower one."},
		{Name: "binning.max_bin_by_feature", Value: &p.MaxBinByFeature, Range: binCounts,
			Doc:     "`binning.max_bin` of single numeric columns, like {age = 64}.",
			Aliases: []string{"max_bin_by_feature"}},
		{Name: "binning.forced_cuts", Value: &p.ForcedCuts,
			Doc: "Cuts that single numeric columns must have, ascending, like {age = [18, 65]}; quantiles between them fill the bins that are left."},
		{Name: "binning.storage", Value: &p.Storage, Choices: []string{Adaptive, Uniform}, Run: true,
			Doc: "Width of codes in memory: per column, or one for all. Never changes the model."},
		{Name: "binning.layout", Value: &p.Layout, Choices: Layouts(), Run: true,
			Doc: "How codes are kept: by columns, by rows, both, or without each column's most frequent code; \"auto\" chooses by the shape of the table. Never changes the model."},
		{Name: "binning.missing_as", Value: &p.MissingAs, Choices: []string{Sentinel, Mask}, Run: true,
			Doc: "A missing value is a code of its own, or a bit beside the codes. Never changes the model."},
		{Name: "binning.bundle", Value: &p.Bundle, Choices: []string{Auto, BundleOn, BundleOff}, Run: true,
			Doc:     "Whether columns that are never set in the same row share one in memory. Without conflicts it never changes the model.",
			Aliases: []string{"enable_bundle", "is_enable_bundle"}},
		{Name: "binning.bundle_conflicts", Value: &p.BundleConflicts, Range: setting.Between(0, 0.1),
			Doc:     "Share of rows in which columns of a bundle may be set together, all but one losing their value in training; needs bundle = \"on\".",
			Aliases: []string{"max_conflict_rate", "sparse_features_conflict_fraction"}},
		{Name: "binning.weighted_cuts", Value: &p.WeightedCuts,
			Doc: "Bins of equal weight instead of equal numbers of rows."},
		{Name: "categorical.max_cat", Value: &p.MaxCat, Range: setting.Between(1, mostCodes),
			Doc: "Levels of a column with a code of their own; rarer ones share one."},
		{Name: "categorical.min_data_per_cat", Value: &p.MinDataPerCat, Range: setting.Between(0, math.MaxInt32),
			Doc: "Rows of a level with a code of its own; rarer ones share one."},
		{Name: "categorical.hash_buckets", Value: &p.HashBuckets, Range: setting.Between(0, mostBuckets), OmitDefault: true,
			Doc: "Codes that levels without a code of their own share, by the FNV-1a hash of their text; 0 = one code for all of them."},
		{Name: "categorical.order", Value: &p.Order, Choices: []string{ByCount, ByName},
			Doc: "Codes of levels by their number of rows, or by name: these do not depend on the order of the rows."},
	}
}

// Validate returns all problems joined, each an ErrParams that names the key and the value.
func (p Params) Validate() error {
	return errors.Join(append(p.checkForcedCuts(), p.check(), p.checkTogether())...)
}

// check returns what is wrong with the parameters of the keys, or of all without keys.
func (p Params) check(keys ...string) error {
	settings := Settings(&p)
	if len(keys) > 0 {
		settings = slices.DeleteFunc(settings, func(s setting.Setting) bool { return !slices.Contains(keys, s.Name) })
	}
	problems := setting.Check(settings)
	for i, err := range problems {
		problems[i] = fmt.Errorf("%w: %w", ErrParams, err)
	}
	return errors.Join(problems...)
}

func (p Params) checkStorage() error { return p.check("binning.storage") }

// checkLayout checks how codes are kept.
func (p Params) checkLayout() error {
	if err := p.check("binning.layout", "binning.missing_as", "binning.bundle", "binning.bundle_conflicts"); err != nil {
		return err
	}
	return p.checkTogether()
}

// checkTogether checks that the ways to keep codes agree with each other.
func (p Params) checkTogether() error {
	refuse := func(format string, args ...any) error {
		return fmt.Errorf("%w: "+format, append([]any{ErrParams}, args...)...)
	}
	sparse := p.Layout == LayoutCSR || p.Layout == LayoutEllpack
	switch {
	case p.BundleConflicts > 0 && p.Bundle == BundleOff:
		return refuse("binning.bundle_conflicts = %v cannot go with binning.bundle = \"off\"", p.BundleConflicts)
	case p.MissingAs == Mask && p.Layout != Auto && p.Layout != LayoutCol:
		return refuse("binning.missing_as = \"mask\" needs binning.layout = \"col\" or \"auto\", not %q", p.Layout)
	case p.MissingAs == Mask && p.bundleAsked():
		return refuse("binning.missing_as = \"mask\" cannot go with binning.bundle or binning.bundle_conflicts: a bundle has no bit of its own for each feature")
	case sparse && p.bundleAsked():
		return refuse("binning.layout = %q cannot go with binning.bundle or binning.bundle_conflicts: both leave out the same cells", p.Layout)
	}
	return nil
}

// bundleAsked reports whether bundles are asked for.
func (p Params) bundleAsked() bool { return p.Bundle == BundleOn || p.BundleConflicts > 0 }
