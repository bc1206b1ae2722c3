// Package rng gives random numbers without state: a draw is a pure function of
// seed, purpose, iteration, output and row, so that it is the same for every
// thread count and every order of evaluation.
package rng

const (
	golden      = 0x9E3779B97F4A7C15
	outputPrime = 0xD1B54A32D192ED03
)

// Purpose separates the uses of random numbers under one seed.
type Purpose uint64

// The purposes. Their numbers are part of the format: a model's bytes depend on them.
const (
	Rounding    Purpose = 0  // stochastic rounding of gradients
	CutSample   Purpose = 1  // rows that cuts are taken from
	Holdout     Purpose = 2  // rows held out for early stopping
	RowSample   Purpose = 3  // rows of a round
	TreeColumns Purpose = 4  // columns of a tree
	LevelCols   Purpose = 5  // columns of a level
	NodeColumns Purpose = 6  // columns of a node
	GossRows    Purpose = 7  // rows of a round outside the top of their gradients
	MvsRows     Purpose = 8  // rows of a round by their gradients
	Halves      Purpose = 9  // rows that a compressed model is certified on
	Resamples   Purpose = 10 // rows of a resample
	RankTargets Purpose = 11 // chances of rows that rank_xendcg learns
	RandomCuts  Purpose = 12 // cuts of extremely randomised trees
	DropRounds  Purpose = 13 // rounds that a round leaves out
	LevelFolds  Purpose = 14 // folds of rows in statistics of levels
	Folds       Purpose = 15 // rows of the folds of cross-validation
	Trials      Purpose = 16 // values that a search of parameters tries
)

// Mix is the finalizer of SplitMix64: a bijection that scatters every bit.
func Mix(x uint64) uint64 {
	x ^= x >> 30
	x *= 0xBF58476D1CE4E5B9
	x ^= x >> 27
	x *= 0x94D049BB133111EB
	x ^= x >> 31
	return x
}

// Key derives the key of one stream of draws.
func Key(seed uint64, purpose Purpose, iteration, output uint64) uint64 {
	k := Mix(seed + (uint64(purpose)+1)*golden)
	return Mix(k + (iteration+1)*golden + output*outputPrime)
}

// From returns the key under which row 0 draws what the given row draws under key.
func From(key, row uint64) uint64 { return key + row*golden }

// Draw returns the 64 random bits of row under key.
func Draw(key, row uint64) uint64 { return Mix(key + (row+1)*golden) }

// Unit maps a draw to [0, 1) with 53 bits.
func Unit(draw uint64) float64 { return float64(draw>>11) / (1 << 53) }
