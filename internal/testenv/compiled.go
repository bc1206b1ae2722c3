//go:build amd64 && !purego

package need

// compiled says that kernels with vectors are part of this build.
const compiled = true
