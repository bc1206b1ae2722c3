//go:build !amd64 || purego

package predict

import "boost/internal/cpu"

func (s *search) code(values []float64, codes *rowCodes, _ cpu.Level) (missing bool) {
	return s.codeInGo(values, codes)
}
