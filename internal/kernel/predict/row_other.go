//go:build !amd64 || purego

package predict

func rowVectors() bool { return false }

func (r *Row) code(values []float64, codes *[2][RowFeatures]uint32) (missing bool) {
	return r.codeInGo(values, codes)
}

func (f *forest) add(codes *[2][RowFeatures]uint32, _ bool, sum float64) float64 {
	return f.addInGo(codes, sum)
}
