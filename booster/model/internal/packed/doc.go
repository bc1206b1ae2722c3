// Package packed codes the parts of a compressed model in few bits.
//
// In: cuts, levels of categories, codes of leaves, texts. Out: bytes of package entropy, and the same parts
// again. Package tree/pack does the same for the structure of trees. It must not know where the bytes of a
// part lie in a file.
package packed
