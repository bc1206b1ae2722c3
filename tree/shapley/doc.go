// Package shapley divides what a tree adds to a row among the features that it looks at.
//
// In: a tree with covers, and to which side each of its splits sends a row. Out: the Shapley value of each feature, and
// what the tree adds on average. It must not know tables, codes or models.
package shapley
