// Package jsonl reads JSON lines: one object a line, whose keys name the columns.
//
// In: text of inputs. Out: chunks of cells, with the rules of delimited text for types. Objects in objects have
// columns named a.b. It must not know tables.
package jsonl
