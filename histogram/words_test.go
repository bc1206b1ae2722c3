package histogram_test

import (
	"testing"

	"boost/histogram"
)

// Tables of few rows keep both sums of a slot in one word, and so do those of most tests; larger
// ones have two arrays. What is shown of one kind is shown of the other.
func TestTwoArrays(t *testing.T) {
	t.Cleanup(histogram.KeepWide())
	for name, test := range map[string]func(*testing.T){
		"TestBuilders": TestBuilders, "TestSmallNodes": TestSmallNodes, "TestNoStaleValues": TestNoStaleValues,
		"TestExtremeCodes": TestExtremeCodes, "TestSubtract": TestSubtract, "TestEqualHessians": TestEqualHessians,
		"TestWidths": TestWidths, "TestLayouts": TestLayouts, "TestMirrorOfBundles": TestMirrorOfBundles,
		"TestActiveFeaturesChange": TestActiveFeaturesChange, "TestTiles": TestTiles, "TestStream": TestStream, "TestHelp": TestHelp,
	} {
		t.Run(name, test)
	}
}
