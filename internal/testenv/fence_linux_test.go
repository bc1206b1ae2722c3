package testenv_test

import (
	"os"
	"os/exec"
	"strconv"
	"testing"
	"unsafe"

	"boost/internal/testenv"
)

// A program that touches the byte before or behind is killed; within its memory it lives.
func TestFence(t *testing.T) {
	const asked = "FENCE_TOUCH"
	if at, err := strconv.Atoi(os.Getenv(asked)); err == nil {
		n := os.Getpagesize() + 5
		first, last := testenv.FencedFirst[uint8](t, n), testenv.FencedLast[uint8](t, n)
		switch at {
		case 0:
			first[0], first[n-1], last[0], last[n-1] = 1, 1, 1, 1
		case 1:
			*(*uint8)(unsafe.Add(unsafe.Pointer(&first[0]), -1)) = 1
		case 2:
			*(*uint8)(unsafe.Add(unsafe.Pointer(&last[n-1]), 1)) = 1
		}
		return
	}
	for at, lives := range []bool{true, false, false} {
		c := exec.Command(os.Args[0], "-test.run=^TestFence$")
		c.Env = append(os.Environ(), asked+"="+strconv.Itoa(at))
		if err := c.Run(); (err == nil) != lives {
			t.Errorf("touch %d: %v, lives %v", at, err, lives)
		}
	}
	if s := testenv.FencedLast[uint64](t, 3); len(s) != 3 || cap(s) != 3 {
		t.Errorf("%d elements of %d", len(s), cap(s))
	}
}
