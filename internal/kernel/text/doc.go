// Package text reads numbers out of delimited text ahead of their turn.
//
// In: bytes of text, the separator of its cells and the decimal sign. Out: a window of
// cells, up to 64 at once, with the values of those that are numbers of the usual kind.
// Nothing is allocated per cell. It must not know records, columns or tables.
package text
