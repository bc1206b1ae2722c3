// Package chunk is what the readers of all formats share: options, inputs and their streams, columns of a
// run of rows (a column chunk for each column), dictionaries, row locations, and errors about tables.
//
// In: files, and what is asked for. Out: the source that reads a format goes through its inputs and emits
// chunks. It must not know any format, nor what becomes of the chunks.
package chunk
