// Package written reads numbers and dates that are not in plain form: with a currency,
// a unit or a percent sign, with separators of thousands, or as a date in US or European
// order.
//
// In: the distinct texts of a column. Out: the Form in which all of them are written, if
// there is one and only one, and the number that a text stands for in a form. It must not
// know tables, files or columns.
package written
