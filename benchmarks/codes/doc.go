// Package codes measures what the matrix of codes is for: its size by layout, what looking
// bins up once saves, what binning costs of a whole run, and that cost grows with the cells.
//
// It holds benchmarks only; each carries the id of its row in docs/requirements.md and
// fails below the row's bar.
package codes
