// Package compress keeps the leaf values of whole models in fewer bits, says what that
// costs, and compares models.
//
// In: a trained model, a form of package ptq, how scales are chosen, and, where errors are
// to be weighed, a table. Out: the leaves in that form with a bound of what they change, the
// model that has them, or a comparison of two models. It must not know how trees grow, nor
// what a person sees of its figures.
//
// A model's leaf tensor is the leaf values of all trees, one tree after the other, as
// model.Model.Leaves returns them. Structure stays as it is: every form sends every row to
// the same leaves.
package compress
