// Package parallel runs a stage's independent pieces on a fixed set of workers.
//
// In: a count of pieces and a Task that can run any one of them. Out: all pieces
// done, in no particular order, so a task writes only to places of its own piece
// or of its own worker. It must not know data, bins or trees.
package parallel
