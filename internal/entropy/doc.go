// Package entropy codes sequences of small decisions in about as many bits as they
// carry: an adaptive binary range coder, the estimates that it goes by, and numbers and
// symbols made of them.
//
// In: decisions and their contexts. Out: bytes, and from these the same decisions. It
// must not know what they mean.
//
// Everything is integer arithmetic, so bytes and decisions are the same everywhere.
// Model and coder are apart: a [Coder] that writes and one that reads go through the same
// calls, so what describes a format is written once and serves both.
package entropy
