// Package dictionary names and numbers the levels of a column of categories.
//
// In: levels as the cells have them, the codes that number them, and of a model the levels that it knows. Out: levels
// under the names that a table gives them, and codes for these. It must not know columns or tables.
package dictionary
