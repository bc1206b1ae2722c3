// Package tensorbench measures the tensor store: whether package tensorq and its store do what
// their source document accepts them by, how fast and in how many bytes.
//
// In: the settings of a store, and a folder to keep one in. Out: a line for each item of the
// list, with its figure and whether it holds. It must not know what a person sees of it: that
// is the program's business.
package tensorbench
