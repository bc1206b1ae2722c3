// Package forced reads splits that trees begin with.
//
// In: a JSON text in LightGBM's form, cuts and a schema. Out: splits over codes, for package grow.
// It must not know gradients, histograms or how trees grow.
package forced
