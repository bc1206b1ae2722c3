package ptq_test

import (
	"fmt"
	"log"

	"boost/ptq"
)

// A store keeps values and what was made of them. Two trees of 3 and 2 leaves have a scale
// each.
func ExampleWeightStore() {
	trees, err := ptq.NewGroups([]int{3, 5}, nil)
	if err != nil {
		log.Fatal(err)
	}
	store, err := ptq.NewWeightStore([]float64{0.5, -1.25, 3, 0.02, -0.01}, trees)
	if err != nil {
		log.Fatal(err)
	}
	version, err := store.Morph(ptq.I8, ptq.Calibration{Groups: store.Bounds()})
	if err != nil {
		log.Fatal(err)
	}
	tree := make([]float64, 3)
	version.DecodeRange(tree, 0)
	fmt.Println(version.NativeBytes(), "bytes and", version.ScaleBytes(), "for scales")
	fmt.Printf("%.3f\n", tree)
	// Output:
	// 5 bytes and 16 for scales
	// [0.496 -1.252 3.000]
}
