// Package reach measures how long boost trains until it is as good as LightGBM is at the end.
//
// In: tables, the commands that train on them, each in a process of its own. Out: the
// loss that LightGBM ends with, the rounds and seconds that boost takes to it, as a record
// that is kept as JSON, can be taken up again after an interruption, and is shown as a table.
//
// It must not know how a trainer works: a trainer is a command that prints JSON.
package reach
