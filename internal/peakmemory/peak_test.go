package peakmemory_test

import (
	"testing"

	"boost/internal/peakmemory"
)

// What has been filled counts.
func TestBytes(t *testing.T) {
	const size = 64 << 20
	block := make([]byte, size)
	for i := 0; i < size; i += 4096 {
		block[i] = 1
	}
	if got := peakmemory.Bytes(); got < size || got > 1<<40 {
		t.Errorf("got %d bytes, want %d or more", got, size)
	}
}
