// Package lint holds the rules of the tree that a compiler does not know: the
// layers of the packages, the numerics that keep model bytes equal on every
// platform, the length of files, and documents whose commands exist.
//
// In: the checkout around the working directory. Out: findings, each with its
// place and the way out. It must not know any package of the project, so that
// a broken package can never hide what is wrong with it.
package lint
