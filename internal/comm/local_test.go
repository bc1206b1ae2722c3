package comm_test

import (
	"errors"
	"fmt"
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

func TestLastCall(t *testing.T) {
	commtest.LastCall(t, func(*testing.T) []comm.Comm { return comm.Local(3) })
}

func TestBlame(t *testing.T) {
	for _, c := range []struct {
		cause error
		want  string
	}{
		{errors.New("disk full"), "ranks of the training: rank 1: disk full"},
		{fmt.Errorf("%w: another model", comm.ErrComm), "ranks of the training: rank 1: another model"},
		{fmt.Errorf("round 3: %w", &comm.Error{Rank: 2, Text: "left"}), "ranks of the training: rank 2: left"},
	} {
		if got := comm.Blame(1, c.cause).Error(); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}
