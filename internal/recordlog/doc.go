// Package recordlog keeps checked records on disk, in a folder that one process writes
// and any number read.
//
// In: records of a type, an id, a small head and a payload. Out: the last record of each
// type and id, after a crash too: what was written whole is there, what was not is not.
// It must not know what the records say.
//
// The bytes are in docs/format.md, what a stop at any moment leaves in
// docs/design/050-record-log.md.
package recordlog
