package ptq_test

import (
	"errors"
	"testing"

	"boost/ptq"
)

// A version that cannot be made is an error: the master beside it is no answer, whatever a reader
// takes where versions are missing.
func TestGetActiveFails(t *testing.T) {
	s := storeOf(t, []float64{1, 1e6})
	for _, c := range []struct {
		name        string
		dtype       ptq.DType
		calibration ptq.Calibration
		missing     ptq.Missing
	}{
		{"10⁶ in F16", ptq.F16, ptq.Calibration{}, ptq.Make},
		{"a calibration that F64 does not have", ptq.F64, ptq.Calibration{Method: ptq.MSE}, ptq.Make},
		{"a calibration that F64 does not have, where the master would do", ptq.F64, ptq.Calibration{Method: ptq.MSE}, ptq.Auto},
		{"groups of another number of values", ptq.I8, ptq.Calibration{Groups: groups(t, []int{3}, nil)}, ptq.Make},
		{"groups of another number of values, where the master would do", ptq.I8, ptq.Calibration{Groups: groups(t, []int{3}, nil)}, ptq.Auto},
	} {
		t.Run("S4.31/"+c.name, func(t *testing.T) {
			for range 2 { // a failure is not kept
				if a, err := s.GetActive(c.dtype, c.calibration, c.missing); err == nil || a != (ptq.Active{}) {
					t.Errorf("GetActive = %+v, %v, want an error and nothing else", a, err)
				}
			}
		})
	}
	t.Run("S4.31/overflow", func(t *testing.T) {
		var over ptq.ErrOverflow
		if _, err := s.GetActive(ptq.F16, ptq.Calibration{}, ptq.Make); !errors.As(err, &over) || over.Index != 1 {
			t.Errorf("GetActive = %v, want an ErrOverflow of value 1", err)
		}
		// Who takes the master where F16 is missing gets it, and is told.
		a, err := s.GetActive(ptq.F16, ptq.Calibration{}, ptq.Auto)
		if master, _ := s.Master(); err != nil || !a.Master || a.Existed || a.Version != master {
			t.Errorf("GetActive = %+v, %v, want the master", a, err)
		}
	})
}
