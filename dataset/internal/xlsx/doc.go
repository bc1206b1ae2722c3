// Package xlsx reads one worksheet of Excel workbooks (.xlsx, Office Open XML).
//
// In: zip files. Out: chunks of cells. Values are those that the file stores: numbers in full, dates as seconds since
// 1970, the stored results of formulas. Rows are read one after another. It must not know tables.
package xlsx
