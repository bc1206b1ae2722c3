//go:build purego

package cpu

// assembly says that kernels in assembly are part of this build.
const assembly = false
