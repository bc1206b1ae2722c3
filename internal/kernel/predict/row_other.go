//go:build !amd64 || purego

package predict

import "boost/internal/cpu"

func (f *forest) add(codes *rowCodes, _ bool, sum float64, _ cpu.Level) float64 {
	return f.addInGo(codes, sum)
}
