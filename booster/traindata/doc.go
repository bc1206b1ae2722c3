// Package traindata reads the tables of a training run: into memory, or only prepared for being
// read in chunks where there is too little of it, or from the cache that an earlier run wrote.
//
// In: names of files, how they are read, and the parameters of training. Out: the data and the
// options of booster.TrainOn. It must not know config files or flags.
package traindata
