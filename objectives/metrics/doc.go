// Package metrics measures predictions against labels: rmse, mae, r2, logloss, auc,
// error, multi_logloss, multi_error.
//
// In: labels, weights, raw scores and predictions of all rows. Out: one number,
// from sums that are exact until one last rounding, so that neither the order of
// rows nor the number of threads shows in it. It must not know losses or trees.
package metrics
