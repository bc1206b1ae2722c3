// Package tune searches parameters of training: trials are drawn from a stated space, judged by cross-validation on one
// binned table, given up early where others were better after as many rounds, and kept in a file from which a search goes on.
//
// In: parameters, a table, a space. Out: the trials, and the parameters of the best. It must not read tables, nor know config
// files.
package tune
