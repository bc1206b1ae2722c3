// Package report draws what commands found, as SVG.
package report
