package cpu_test

import (
	"testing"

	"boost/internal/cpu"
)

// Memory that large pages were asked for is as it was, whatever its size.
func TestLargePages(t *testing.T) {
	for _, size := range []int{0, 1, 4096, 2<<20 - 1, 2 << 20, 4<<20 + 5, 9 << 20} {
		b := make([]byte, size)
		cpu.LargePages(b)
		for i := range b {
			if b[i] != 0 {
				t.Fatalf("byte %d of %d is %d", i, size, b[i])
			}
			b[i] = byte(i * 7)
		}
		cpu.LargePages(b)
		for i := range b {
			if b[i] != byte(i*7) {
				t.Fatalf("byte %d of %d is %d", i, size, b[i])
			}
		}
	}
}
