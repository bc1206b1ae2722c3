//go:build !unix

package peers

import "os"

// PeakOf is unknown here.
func PeakOf(*os.ProcessState) int64 { return 0 }

// PeakOfThis is unknown here.
func PeakOfThis() int64 { return 0 }

// ProcessorSeconds is unknown here.
func ProcessorSeconds() float64 { return 0 }
