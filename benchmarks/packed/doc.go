// Package packed measures what the structure of trained models takes in packed form.
//
// It holds benchmarks only; each carries the id of its row in docs/requirements.md and
// fails below the row's bar.
package packed
