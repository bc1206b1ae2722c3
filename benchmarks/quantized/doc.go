// Package quantized measures what integer gradients are for: histograms built from them
// beside histograms of floats, and what making them costs of a round.
//
// It holds benchmarks only; each carries the id of its row in docs/requirements.md and
// fails below the row's bar.
package quantized
