// Package scorers times boost's predictions and those of other libraries side by side.
//
// In: shapes of models, a generated table for each, the commands that prepare a model and
// score the table's rows on one thread, each in a process of its own. Out: seconds of a
// batch and nanoseconds of single rows, as a session that is kept as JSON and
// shown as tables.
//
// It must not know how a library scores: a scorer is a command that prints JSON.
package scorers
