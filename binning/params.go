package binning

import (
	"errors"
	"fmt"
	"math"
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

// ErrParams is wrapped by errors about a parameter out of its range.
var ErrParams = errors.New("invalid binning parameter")

// Params says how columns become codes.
//
// Where cuts come from a sample, MinDataInBin counts each sampled row for as many
// rows of the table as there are per sampled one, so that a bin may hold a few less.
type Params struct {
	MaxBin        int    `key:"binning.max_bin" use:"model"`         // codes of a numeric feature, the missing one too: 2 … 16,777,216
	MinDataInBin  int    `key:"binning.min_data_in_bin" use:"model"` // rows a numeric bin holds at least; 0 acts as 1
	Sample        int    `key:"binning.sample" use:"model"`          // rows that cuts are taken from; 0 = all
	Placement     string `key:"binning.placement" use:"model"`       // "midpoint" or "value"
	Storage       string `key:"binning.storage" use:"run"`           // "adaptive" or "uniform"
	WeightedCuts  bool   `key:"binning.weighted_cuts" use:"model"`   // quantiles of weight, not of rows
	MaxCat        int    `key:"categorical.max_cat" use:"model"`     // levels that get a code of their own: 1 … 16,777,216
	MinDataPerCat int    `key:"categorical.min_data_per_cat" use:"model"`
	Order         string `key:"categorical.order" use:"model"` // "count" or "name"
}

// Defaults returns the default parameters.
func Defaults() Params {
	return Params{
		MaxBin: 255, MinDataInBin: 1, Sample: 200_000, Placement: Midpoint,
		Storage: Adaptive, MaxCat: 65_000, MinDataPerCat: 1, Order: ByCount,
	}
}

// Validate returns all problems joined, each an ErrParams that names the key and the value.
func (p Params) Validate() error {
	return errors.Join(
		checkRange("binning.max_bin", p.MaxBin, MinMaxBin, MaxMaxBin),
		checkRange("binning.min_data_in_bin", p.MinDataInBin, 0, math.MaxInt32),
		checkRange("binning.sample", p.Sample, 0, math.MaxInt32),
		checkWord("binning.placement", p.Placement, Midpoint, Value),
		p.checkStorage(),
		checkRange("categorical.max_cat", p.MaxCat, 1, MaxMaxBin),
		checkRange("categorical.min_data_per_cat", p.MinDataPerCat, 0, math.MaxInt32),
		checkWord("categorical.order", p.Order, ByCount, ByName),
	)
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

func checkWord(key, value, one, other string) error {
	if value != one && value != other {
		return fmt.Errorf("%w: %s = %q: want %q or %q", ErrParams, key, value, one, other)
	}
	return nil
}
