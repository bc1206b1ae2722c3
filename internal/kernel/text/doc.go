// Package text reads numbers out of delimited text ahead of their turn, and writes the shortest
// texts of numbers.
//
// In: bytes of text, the separator of its cells and the decimal sign; or a number. Out: a window of
// cells, up to 64 at once, with the values of those that are numbers of the usual kind; or bytes.
// Nothing is allocated per cell. It must not know records, columns or tables.
package text
