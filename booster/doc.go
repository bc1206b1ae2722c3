// Package booster trains models: it runs the rounds of gradient boosting over a
// binned table and hands the trees to package model.
//
// In: Params, a dataset.Table, validation tables. Out: a Model, and a Report of
// the run. It must not know config files or flags.
package booster
