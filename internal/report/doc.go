// Package report writes what commands found: tables, models, comparisons, compression and
// training, as text for people, as the values that --json prints, and as SVG.
//
// In: what the packages below return. Out: bytes to a writer. It must not know flags, nor
// compute anything that a command could be asked for.
package report
