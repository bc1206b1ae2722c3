// Package peakmemory says how much memory the process has had in use at most.
//
// In: nothing. Out: bytes, 0 where the system does not say. It must not know what used them.
package peakmemory
