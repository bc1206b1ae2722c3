package grow

// Params says how a tree grows.
type Params struct {
	Leaves         int     `key:"tree.leaves" use:"model"`    // ≥ 2
	MaxDepth       int     `key:"tree.max_depth" use:"model"` // 0 = no limit
	MinDataInLeaf  int     `key:"tree.min_data_in_leaf" use:"model"`
	MinChildWeight float64 `key:"tree.min_child_weight" use:"model"` // sum of hessians of a leaf, at least
	LambdaL1       float64 `key:"tree.lambda_l1" use:"model"`
	LambdaL2       float64 `key:"tree.lambda_l2" use:"model"`
	MinGain        float64 `key:"tree.min_gain" use:"model"`
	// A split on a feature that no tree of the rounds before uses counts for 1 − ReuseFeature
	// of its gain, one at a cut that none uses for 1 − ReuseCut, one at both for the product.
	ReuseFeature float64 `key:"tree.reuse_feature" use:"model" stored:"where set"` // [0, 1)
	ReuseCut     float64 `key:"tree.reuse_cut" use:"model" stored:"where set"`     // [0, 1)

	OneHotMax   int     `key:"categorical.onehot_max" use:"model"` // levels up to which one level is split from the rest
	Smooth      float64 `key:"categorical.smooth" use:"model"`
	CatL2       float64 `key:"categorical.l2" use:"model"`
	MaxPerSide  int     `key:"categorical.max_per_side" use:"model"`
	MinPerGroup float64 `key:"categorical.min_per_group" use:"model"`

	ColTree  float64 `key:"sampling.col_tree" use:"model"` // share of columns per tree, (0, 1]
	ColLevel float64 `key:"sampling.col_level" use:"model"`
	ColNode  float64 `key:"sampling.col_node" use:"model"`
}

// Defaults returns the default parameters.
func Defaults() Params {
	return Params{
		Leaves: 31, MinDataInLeaf: 20, MinChildWeight: 1e-3,
		OneHotMax: 4, Smooth: 10, CatL2: 10, MaxPerSide: 32, MinPerGroup: 100,
		ColTree: 1, ColLevel: 1, ColNode: 1,
	}
}
