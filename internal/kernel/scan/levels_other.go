//go:build !amd64 || purego

package scan

func levelVectors([]uint64, int, uint64, *Rule, *CatRule, *CatScratch) (least, most float64, ok bool) {
	return 0, 0, false
}

func bucketVectors([]uint8, []float64, float64, float64) int { return 0 }
