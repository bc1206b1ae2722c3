//go:build !unix

package harness

import "os"

// peakOf is unknown here.
func peakOf(*os.ProcessState) int64 { return 0 }

// PeakSoFar is unknown here.
func PeakSoFar() int64 { return 0 }

// ProcessorSeconds is unknown here.
func ProcessorSeconds() float64 { return 0 }
