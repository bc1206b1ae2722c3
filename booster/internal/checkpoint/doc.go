// Package checkpoint keeps the state of training in a folder, so that training goes on after it was
// stopped.
//
// In: a State: trees, raw scores, what of early stopping does not follow from them, and the settings that
// they follow from. Out: files, each whole or not there, of which the last two stay; and the newest State that
// is undamaged and of the same settings. It must not know how trees are grown, nor what settings mean.
package checkpoint
