package grow

// AlwaysVerify reports whether every Grow checks its sums.
const AlwaysVerify = alwaysVerify
