package ptq

import (
	"errors"
	"testing"
)

// TestNobodyWaits has a version in the making hold up only those who ask for it.
func TestNobodyWaits(t *testing.T) {
	t.Run("S4.3/others_go_on", func(t *testing.T) {
		s, err := NewWeightStore([]float64{1, 2, 3}, nil)
		if err != nil {
			t.Fatal(err)
		}
		c, err := Calibration{}.Resolve(I8, 3)
		if err != nil {
			t.Fatal(err)
		}
		slow := &entry{dtype: I8, calibration: c, done: make(chan struct{}), err: errUnmade}
		s.versions = append(s.versions, slow)

		if _, err := s.Morph(I4, Calibration{}); err != nil {
			t.Errorf("another type: %v", err)
		}
		if a, err := s.GetActive(I8, Calibration{}, Auto); err != nil || !a.Master || a.Existed {
			t.Errorf("auto: %+v, %v", a, err)
		}
		if n := len(s.Versions()); n != 1 {
			t.Errorf("%d versions are there, want 1", n)
		}
		waited := make(chan error)
		go func() {
			_, err := s.Morph(I8, Calibration{})
			waited <- err
		}()
		if err := s.SetMaster([]float64{4, 5, 6}, nil); err != nil {
			t.Error(err)
		}
		// The maker gives up, as one that panics does. Who asked before the new master
		// hears of it; who asked after made a version of that.
		s.finish(slow)
		if err := <-waited; err != nil && !errors.Is(err, errUnmade) {
			t.Error(err)
		}
	})
}
