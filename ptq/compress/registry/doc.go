// Package registry keeps many models in one folder and under one cap of memory: the more a model is
// used, the more bits its leaves have.
//
// In: models with ids, a floor below which their quality must not sink, rules by which one is made
// of another, a clock. Out: a model again, in the form that its use has earned, with the bound of what that
// form changes. It must not know how models are trained, nor what a person sees.
//
// A model is its structure, which is kept without loss, and a tensor of its leaves in a
// tensorq/store, which counts its use. A hot model is read as it was added. A warm or a cold one is a
// compressed model, the bytes that model.Model.Compress makes of the tier's codes. An absent one is made
// again, exactly, from another by a rule.
package registry
