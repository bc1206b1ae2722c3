// Package booster trains models: it runs the rounds of gradient boosting over a
// binned table and hands the trees to package model.
//
// In: Params, a dataset.Table, validation tables. Out: a Model, and a Report of
// the run. It must not know config files or flags.
//
// The steps of a run, each of which takes what the ones before returned:
//
//	open      tables → inputs
//	examples  inputs → what is learned: target, labels, weights; rows are held out
//	bin       inputs, examples → codes of all sets; the cache is written
//	plan      inputs, examples, codes → how the rounds are run within the memory limit
//	rounds    examples, codes, plan → trees
//	finish    trees → Model, Report
package booster
