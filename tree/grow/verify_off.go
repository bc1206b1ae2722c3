//go:build !invariants

package grow

const alwaysVerify = false
