// Package preset has the values that parameters start from, by name: what boost chooses for a table, by the effort that
// training may take, and what other trainers start from.
//
// In: parameters, the keys that the caller has set, what is known of the table. Out: parameters with values
// for the other keys. It must not train, nor read tables.
package preset
