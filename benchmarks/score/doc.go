// Package score turns predictions into losses and losses into verdicts.
//
// In: predictions, labels, weights; lists of losses. Out: logloss and rmse as
// reference.json defines them; geometric means and paired differences. It is written
// apart from objectives/metrics so that what judges the trainer is not part of it.
//
// It must not know trainers, tables or files.
package score
