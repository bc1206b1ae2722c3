// Package guard compares the speed of two builds of the program.
//
// In: two programs and a table. Out: seconds and memory of each stage, the builds taking
// turns, and by how much one differs from the other.
//
// It must not know where the builds come from, nor fail because of a figure: a machine
// with other work makes any of them.
package guard
