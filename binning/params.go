package binning

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Limits of Params.
const (
	MinMaxBin = 2
	MaxMaxBin = 1 << 24 // 16,777,216
)

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
	LayoutCSR     = "csr"      // by rows, without the cells that have their feature's rest code
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
	MaxBin        int    `key:"binning.max_bin" use:"model"`         // codes of a numeric feature, the missing one too: 2 … 16,777,216
	MinDataInBin  int    `key:"binning.min_data_in_bin" use:"model"` // rows a numeric bin holds at least; 0 acts as 1
	Sample        int    `key:"binning.sample" use:"model"`          // rows that cuts are taken from; 0 = all
	Placement     string `key:"binning.placement" use:"model"`       // "midpoint" or "value"
	Storage       string `key:"binning.storage" use:"run"`           // "adaptive" or "uniform"
	Layout        string `key:"binning.layout" use:"run"`            // one of Layouts
	MissingAs     string `key:"binning.missing_as" use:"run"`        // "sentinel" or "mask"
	Bundle        string `key:"binning.bundle" use:"run"`            // "auto", "on" or "off"
	WeightedCuts  bool   `key:"binning.weighted_cuts" use:"model"`   // quantiles of weight, not of rows
	MaxCat        int    `key:"categorical.max_cat" use:"model"`     // levels that get a code of their own: 1 … 16,777,216
	MinDataPerCat int    `key:"categorical.min_data_per_cat" use:"model"`
	Order         string `key:"categorical.order" use:"model"` // "count" or "name"
	// BundleConflicts is the share of rows that a bundle may have with more than one
	// feature off its rest code; above 0 bundles are made. All but the first of these lose their code, so that
	// training sees other values than predictions will: 0 … 0.1.
	BundleConflicts float64 `key:"binning.bundle_conflicts" use:"model"`

	// By name of the column, for numeric ones. ForcedCuts ascend, are finite and at most
	// max_bin − 1 of a column, one less where it has missing values. MaxBinByFeature takes
	// MaxBin's place.
	ForcedCuts      map[string][]float64 `key:"binning.forced_cuts" use:"model"`
	MaxBinByFeature map[string]int       `key:"binning.max_bin_by_feature" use:"model"`
}

// Defaults returns the default parameters.
func Defaults() Params {
	return Params{
		MaxBin: 255, MinDataInBin: 1, Sample: 200_000, Placement: Midpoint,
		Storage: Adaptive, Layout: Auto, MissingAs: Sentinel, Bundle: Auto,
		MaxCat: 65_000, MinDataPerCat: 1, Order: ByCount,
	}
}

// Validate returns all problems joined, each an ErrParams that names the key and the value.
func (p Params) Validate() error {
	return errors.Join(append(p.checkColumns(),
		checkRange("binning.max_bin", p.MaxBin, MinMaxBin, MaxMaxBin),
		checkRange("binning.min_data_in_bin", p.MinDataInBin, 0, math.MaxInt32),
		checkRange("binning.sample", p.Sample, 0, math.MaxInt32),
		checkWord("binning.placement", p.Placement, Midpoint, Value),
		p.checkStorage(),
		p.checkLayout(),
		checkRange("categorical.max_cat", p.MaxCat, 1, MaxMaxBin),
		checkRange("categorical.min_data_per_cat", p.MinDataPerCat, 0, math.MaxInt32),
		checkWord("categorical.order", p.Order, ByCount, ByName),
	)...)
}

func (p Params) checkStorage() error {
	return checkWord("binning.storage", p.Storage, Adaptive, Uniform)
}

func checkRange(key string, value, low, high int) error {
	if value < low || value > high {
		return fmt.Errorf("%w: %s = %d: want %d to %d", ErrParams, key, value, low, high)
	}
	return nil
}

// checkLayout checks how codes are kept, and that the ways agree with each other.
func (p Params) checkLayout() error {
	if err := errors.Join(
		checkWord("binning.layout", p.Layout, Layouts()...),
		checkWord("binning.missing_as", p.MissingAs, Sentinel, Mask),
		checkWord("binning.bundle", p.Bundle, Auto, BundleOn, BundleOff),
	); err != nil {
		return err
	}
	refuse := func(format string, args ...any) error {
		return fmt.Errorf("%w: "+format, append([]any{ErrParams}, args...)...)
	}
	sparse := p.Layout == LayoutCSR || p.Layout == LayoutEllpack
	switch {
	case !(p.BundleConflicts >= 0 && p.BundleConflicts <= 0.1):
		return refuse("binning.bundle_conflicts = %v: want 0 to 0.1", p.BundleConflicts)
	case p.BundleConflicts > 0 && p.Bundle == BundleOff:
		return refuse("binning.bundle_conflicts = %v cannot go with binning.bundle = \"off\"", p.BundleConflicts)
	case p.MissingAs == Mask && p.Layout != Auto && p.Layout != LayoutCol:
		return refuse("binning.missing_as = \"mask\" needs binning.layout = \"col\" or \"auto\", not %q", p.Layout)
	case p.MissingAs == Mask && p.bundleAsked():
		return refuse("binning.missing_as = \"mask\" cannot go with binning.bundle = \"on\" or binning.bundle_conflicts: a bundle has no bit of its own for each feature")
	case sparse && p.bundleAsked():
		return refuse("binning.layout = %q cannot go with binning.bundle = \"on\" or binning.bundle_conflicts: both leave out the same cells", p.Layout)
	}
	return nil
}

// bundleAsked says that bundles are not left to choice.
func (p Params) bundleAsked() bool { return p.Bundle == BundleOn || p.BundleConflicts > 0 }

func checkWord(key, value string, words ...string) error {
	if !slices.Contains(words, value) {
		quoted := make([]string, len(words))
		for i, word := range words {
			quoted[i] = strconv.Quote(word)
		}
		last := len(quoted) - 1
		return fmt.Errorf("%w: %s = %q: want %s or %s", ErrParams, key, value, strings.Join(quoted[:last], ", "), quoted[last])
	}
	return nil
}
