// Package recordlog keeps checked records on disk, in a folder that one process writes
// and any number read.
//
// In: records of a type, an id, a small head and a payload. Out: the last record of each
// type and id, after a crash too: what was written whole is there, what was not is not.
// It must not know what the records say.
//
// What no whole record follows is what a crash has left, and is passed over, unless something valid says that
// more was on the disk: a record behind it, the index, a file of a higher number, or a Position that the log had.
// Then it is a *DamageError, and Repair salvages what is whole. Reading changes nothing.
//
// The bytes are in docs/format.md, what a stop at any moment leaves in
// docs/design/050-record-log.md.
package recordlog
