package model

import (
	"boost/binning"
	"boost/booster/model/internal/format"
	"boost/ptq"
	"boost/tree"
)

// FormatVersion is the version of the file of a full model.
const FormatVersion = format.FormatVersion

// Values of WideRound.Gradients.
const (
	WideI16 = format.WideI16
	WideI32 = format.WideI32
)

// Values of Origin.How.
const (
	Continued = format.Continued
	Merged    = format.Merged
	Pruned    = format.Pruned
	Refitted  = format.Refitted
)

// Values of Compression.Grouping: which leaf values share a scale.
const (
	GroupModel  = format.GroupModel
	GroupOutput = format.GroupOutput
	GroupTree   = format.GroupTree
	GroupBlock  = format.GroupBlock
)

// Which names of levels a narrowed model keeps.
const (
	AllNames    = format.AllNames
	KnownNames  = format.KnownNames
	HashedNames = format.HashedNames
)

type (
	// Contents is everything a model is made of: what the trainer hands over and the file stores.
	Contents = format.Contents
	// History is one metric on one set through the rounds.
	History = format.History
	// WideRound names a round and output whose gradients needed more bits than asked for.
	WideRound = format.WideRound
	// Origin is what a model was made of that was not trained from nothing.
	Origin = format.Origin
	// Segment is a run of rounds that were trained by the same parameters.
	Segment = format.Segment
	// Ensembles are rounds that count together only, those of random forests and of boosting with dropout; Check says which first rounds
	// part them.
	Ensembles = format.Ensembles
	// Compression is how a compressed model keeps its leaf values.
	Compression = format.Compression
	// LevelNames is which names of levels a narrowed model keeps.
	LevelNames = format.LevelNames
	// ErrOrder is the error of New, WithLeaves and Compress about a tree whose leaves break the order that
	// the model was trained to keep (constraints.monotone).
	ErrOrder = format.ErrOrder
)

var (
	// ErrModel is wrapped by every error about a model that cannot be used: absent, unreadable,
	// damaged, not a model at all, or of an unknown version.
	ErrModel = format.ErrModel
	// ErrNoStatistics is the error about node statistics that a compressed model does not have.
	ErrNoStatistics = format.ErrNoStatistics
)

// Features returns what trees have to know of the features of the cuts.
func Features(c *binning.Cuts) []tree.Feature { return format.Features(c) }

// Groups returns the groups of leaf values that share a scale, of trees with so many leaves.
func Groups(grouping string, leaves []int, outputs int) (*ptq.Groups, error) {
	return format.Groups(grouping, leaves, outputs)
}

// IsModel reports whether a file that begins so is a model's.
func IsModel(beginning []byte) bool { return format.IsModel(beginning) }

// OfOthers returns what a file that begins so looks like where it is another program's model, as "it looks like a LightGBM model";
// "" where it may be a table.
func OfOthers(beginning []byte) string { return format.OfOthers(beginning) }

// SniffSize is how many bytes at the beginning of a file IsModel and OfOthers have to see.
const SniffSize = format.SniffSize
