//go:build !unix

package harness

import "os"

// Peak is unknown here.
func Peak(*os.ProcessState) int64 { return 0 }

// PeakSoFar is unknown here.
func PeakSoFar() int64 { return 0 }

// ProcessorSeconds is unknown here.
func ProcessorSeconds() float64 { return 0 }
