//go:build (!amd64 && !arm64) || purego

package hist

import "boost/internal/cpu"

// PackInGo makes no difference here.
func PackInGo(bool) {}

// Use makes no difference here.
func Use(cpu.Level) {}
