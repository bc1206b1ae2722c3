// Package format writes numbers, names, tables and JSON for people and programs to read.
//
// In: values and cells. Out: text. It must not know what they mean.
package format
