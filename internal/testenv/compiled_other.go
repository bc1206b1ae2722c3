//go:build !amd64 || purego

package testenv

// compiled reports whether kernels with vectors are part of this build.
const compiled = false
