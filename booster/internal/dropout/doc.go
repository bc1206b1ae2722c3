// Package dropout chooses the rounds that a round of boosting leaves out, and says what rounds count for.
//
// In: the parameters, a seed, the learning rate of each round. Out: the rounds to be left out, the weight of every
// round, and the leaves of rows in the trees so far, by which leaving trees out is a look-up. It must not know losses or
// models, nor how trees are grown.
package dropout
