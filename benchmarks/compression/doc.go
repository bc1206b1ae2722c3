// Package compression measures what keeping the leaves of models in fewer bits costs: how far
// they are from what they were, and what a metric changes by on rows that nothing else reads.
//
// In: real data sets. Out: figures by set, data type and way, a record of them, and their page of
// documentation. It must not know how a model's file is laid out.
package compression
