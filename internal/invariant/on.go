//go:build invariants

package invariant

// Enabled says that checks are on.
const Enabled = true
