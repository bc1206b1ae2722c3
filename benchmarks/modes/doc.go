// Package modes times ways of training beside plain training and beside LightGBM's same ways.
//
// In: a table of numbers, what boost's and LightGBM's processes printed. Out: a record, and a table for
// docs/performance.md. It must not know how processes are started.
package modes
