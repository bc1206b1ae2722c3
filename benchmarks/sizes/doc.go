// Package sizes measures how many bytes models take: those of other programs, and boost's
// own in full and compressed, beside what the compressed ones lose.
//
// In: tables, the commands that train the other programs on them, each in a process of its
// own. Out: the bytes of every file, and of boost's every part, as a record that is kept as
// JSON, can be taken up again after an interruption, and is shown as tables that say which
// targets are met.
//
// It must not know how another program works: a trainer is a command that writes files. Only
// LightGBM's text is read, to take the statistics of nodes out of it.
package sizes
