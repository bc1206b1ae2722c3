// Package replace writes files that are there whole or not at all.
//
// In: a path and what writes the content. Out: the file, or the one that was there
// before. It must not know what the files hold.
package replace
