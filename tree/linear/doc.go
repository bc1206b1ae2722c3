// Package linear fits linear models in the leaves of a grown tree (Shi et al. 2019, "Gradient Boosting With
// Piece-Wise Linear Regression Trees", equation 3; LightGBM's linear_tree).
//
// In: a tree, the leaf of each row, gradients and hessians, and the rows' values. Out: the tree with linear models, and
// scores that they are added to.
//
// It must not know how trees grow, nor objectives.
package linear
