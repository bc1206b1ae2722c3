package grow

// Tables of tests are small: they are cut into stretches, and leaves are shared with workers that
// spin, as those of large tables are.
func init() { leastStretch, smallDivide, smallShare = 64, 0, 0 }
