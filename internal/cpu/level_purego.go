//go:build purego

package cpu

// assembly reports whether kernels in assembly are part of this build.
const assembly = false
