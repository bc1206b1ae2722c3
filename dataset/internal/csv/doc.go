// Package csv reads CSV and TSV: it finds the dialect, cuts text into chunks of whole records, and parses
// cells into numbers and codes.
//
// In: inputs and targets (package chunk). Out: chunks. It must not know how columns become a table.
package csv
