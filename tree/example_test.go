package tree_test

import (
	"fmt"
	"os"

	"boost/tree"
)

func ExampleTree_LeafIndex() {
	// code ≤ 1 → leaf 0, else leaf 1; missing rows go with the right side.
	t := tree.Tree{
		Feature: []int32{0}, Code: []uint32{1}, Categorical: []bool{false}, MissingLeft: []bool{false},
		Left: []int32{^0}, Right: []int32{^1},
		Leaf: []float64{-0.5, 0.25}, Gain: []float32{3}, Cover: []float64{10}, LeafCover: []float64{4, 6},
	}
	features := []tree.Feature{{Regular: 3}}
	if err := t.Validate(features); err != nil {
		fmt.Println(err)
		return
	}
	for code := range uint32(4) {
		fmt.Println(code, t.Leaf[t.LeafIndex(features, []uint32{code})])
	}
	// Output:
	// 0 -0.5
	// 1 -0.5
	// 2 0.25
	// 3 0.25
}

func ExampleTree_Dump() {
	t := tree.Tree{
		Feature: []int32{0}, Code: []uint32{1}, Categorical: []bool{false}, MissingLeft: []bool{false},
		Left: []int32{^0}, Right: []int32{^1},
		Leaf: []float64{-0.5, 0.25}, Gain: []float32{3}, Cover: []float64{10}, LeafCover: []float64{4, 6},
	}
	_ = t.Dump(os.Stdout, func(int) string { return "age ≤ 39.5" }, nil)
	// Output:
	// node 0: age ≤ 39.5  gain 3 cover 10
	//   yes: leaf 0 = -0.5  cover 4
	//   no: leaf 1 = 0.25  cover 6
}
