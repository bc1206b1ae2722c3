// Package parts divides the inputs of a table among ranks that all see them, and lets the ranks tell each other what they found.
//
// In: inputs, a rank's number, what joins the ranks. Out: the bytes of each input that are the rank's. It must not know where
// records begin, or what is in them.
package parts
