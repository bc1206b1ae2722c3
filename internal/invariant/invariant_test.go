package invariant_test

import (
	"testing"

	"boost/internal/invariant"
)

func TestCheck(t *testing.T) {
	message := func(cond bool) (said any) {
		defer func() { said = recover() }()
		invariant.Check(cond, "sum %d, want %d", 1, 2)
		return nil
	}
	if got := message(true); got != nil {
		t.Errorf("a rule that holds panicked: %v", got)
	}
	want := any(nil)
	if invariant.Enabled {
		want = "invariant broken: sum 1, want 2"
	}
	if got := message(false); got != want {
		t.Errorf("a broken rule said %v, want %v", got, want)
	}
}
