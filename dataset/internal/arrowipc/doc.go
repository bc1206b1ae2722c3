// Package arrowipc reads Arrow IPC files and streams: messages, dictionaries and columns of record batches.
//
// In: a file. Out: what it says of itself, and columns of batches (package columnar). It must not know how
// columns become a table.
package arrowipc
