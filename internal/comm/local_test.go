package comm_test

import (
	"errors"
	"testing"

	"boost/internal/comm"
	"boost/internal/comm/commtest"
)

func TestCalls(t *testing.T) {
	for _, n := range []int{1, 2, 3, 5, 8} {
		if err := errors.Join(commtest.Each(comm.Local(n), func(c comm.Comm) error {
			if err := commtest.Check(t.Context(), c, 1); err != nil {
				return err
			}
			return c.Close()
		})...); err != nil {
			t.Error(err)
		}
	}
	if err := commtest.Check(t.Context(), comm.Solo{}, 1); err != nil {
		t.Error(err)
	}
}

func TestFaults(t *testing.T) {
	commtest.Faults(t, func(*testing.T) []comm.Comm { return comm.Local(3) })
}
