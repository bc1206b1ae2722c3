package synth_test

import (
	"bytes"
	"errors"
	"testing"

	"boost/benchmarks/synth"
	"boost/parallel"
)

// testRows writes a table and returns the rows for testing, by columns, and their labels.
func testRows(t *testing.T, kind string, columns, rows int) (x [][]float32, y []float32) {
	t.Helper()
	g, err := synth.New(kind, 1, columns)
	if err != nil {
		t.Fatal(err)
	}
	pool := parallel.NewPool(2)
	defer pool.Close()
	folder := t.TempDir()
	if err := g.Write(folder, 10, rows, pool); err != nil {
		t.Fatal(err)
	}
	x, err = synth.ReadNPY(bytes.NewReader(read(t, folder, synth.TestX)))
	if err != nil {
		t.Fatal(err)
	}
	labels, err := synth.ReadNPY(bytes.NewReader(read(t, folder, synth.TestY)))
	if err != nil {
		t.Fatal(err)
	}
	return x, labels[0]
}

// The figures of past runs are only comparable while the tables stay the same.
func TestTablesArePinned(t *testing.T) {
	for _, c := range []struct {
		kind, want string
		columns    int
	}{
		{synth.Continuous, "24126c31e44313adf9a85cf0a0e4909524973c8b7f0e0b1702ae4f1794cf1f47", 28},
		{synth.Counts, "3555667c730b3622ee7fc0cded7342be3bb8c4566265c7a14420dd1b55279913", 93},
		{synth.ZeroHeavy, "93717e6557922a6fad124360fc5781f814127960ff2f34282adc6f0b86fe220e", 28},
		{synth.Flags, "9e1c5aa8c212d80114822e5502f8536ba0d587d0d25c0d5946cd37207afcb1b2", 376},
	} {
		g, err := synth.New(c.kind, 1, c.columns)
		if err != nil {
			t.Fatal(err)
		}
		if got := g.Fingerprint(); got != c.want {
			t.Errorf("%s: fingerprint %s, want %s: results of before no longer compare", c.kind, got, c.want)
		}
	}
}

func mean(values []float32) float64 {
	sum := 0.0
	for _, v := range values {
		sum += float64(v)
	}
	return sum / float64(len(values))
}

func TestNewRefuses(t *testing.T) {
	if _, err := synth.New("spares", 1, 8); !errors.Is(err, synth.ErrKind) {
		t.Errorf("unknown kind: error %v", err)
	}
	for _, kind := range synth.Kinds() {
		if _, err := synth.New(kind, 1, 0); err == nil {
			t.Errorf("%s with no columns was accepted", kind)
		}
	}
}
