// Package loading times boost's readers beside those of other libraries.
//
// In: seeded tables written in every format, and the commands that read one file in a
// process of their own and print seconds as JSON. Out: the smallest time of each, the
// bars that they are held to, and the memory of a load beside what it may take,
// as a record that is kept as JSON and shown as a table.
//
// It must not know how a file is read: a reader is a command that prints JSON.
package loading
