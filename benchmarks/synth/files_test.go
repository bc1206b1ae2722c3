package synth_test

import (
	"bytes"
	"encoding/csv"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"boost/benchmarks/synth"
	"boost/parallel"
)

func write(t *testing.T, threads int) string {
	t.Helper()
	g, err := synth.New(synth.Dense, 3, 5)
	if err != nil {
		t.Fatal(err)
	}
	pool := parallel.NewPool(threads)
	defer pool.Close()
	folder := t.TempDir()
	if err := g.Write(folder, 20_000, 300, pool); err != nil {
		t.Fatal(err)
	}
	return folder
}

func read(t *testing.T, folder, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(folder, name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestFilesDoNotDependOnThreads(t *testing.T) {
	one, three := write(t, 1), write(t, 3)
	for _, name := range []string{synth.TrainX, synth.TrainY, synth.TrainCSV, synth.TestX, synth.TestY} {
		if !bytes.Equal(read(t, one, name), read(t, three, name)) {
			t.Errorf("%s differs between 1 and 3 threads", name)
		}
	}
}

func TestFilesHoldTheRows(t *testing.T) {
	folder := write(t, 2)
	x, err := synth.ReadNPY(bytes.NewReader(read(t, folder, synth.TestX)))
	if err != nil {
		t.Fatal(err)
	}
	want, labels := fill(t, 3, 5, 20_000, 20_300)
	for f, column := range x {
		for row, v := range column {
			if v != want[row*5+f] {
				t.Fatalf("row %d column %d: %v in the file, want %v", row, f, v, want[row*5+f])
			}
		}
	}
	y, err := synth.ReadNPY(bytes.NewReader(read(t, folder, synth.TestY)))
	if err != nil || len(y) != 1 || len(y[0]) != len(labels) {
		t.Fatalf("labels: %d columns, error %v", len(y), err)
	}

	lines, err := csv.NewReader(bytes.NewReader(read(t, folder, synth.TrainCSV))).ReadAll()
	if err != nil || len(lines) != 20_001 {
		t.Fatalf("%d lines, error %v", len(lines), err)
	}
	train, trainY := fill(t, 3, 5, 0, 20_000)
	for row, line := range lines[1:] {
		for f, text := range line[:5] {
			if v, err := strconv.ParseFloat(text, 32); err != nil || float32(v) != train[row*5+f] {
				t.Fatalf("line %d column %d: %q, want %v", row+2, f, text, train[row*5+f])
			}
		}
		if line[5] != strconv.Itoa(int(trainY[row])) {
			t.Fatalf("line %d: label %q, want %v", row+2, line[5], trainY[row])
		}
	}
}

// The header is numpy.save's own for np.zeros((2, 3), np.float32).
func TestNumPyHeader(t *testing.T) {
	g, err := synth.New(synth.Dense, 1, 3)
	if err != nil {
		t.Fatal(err)
	}
	pool := parallel.NewPool(1)
	defer pool.Close()
	folder := t.TempDir()
	if err := g.Write(folder, 2, 1, pool); err != nil {
		t.Fatal(err)
	}
	want := "\x93NUMPY\x01\x00v\x00{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }"
	got := read(t, folder, synth.TrainX)
	if string(got[:len(want)]) != want || got[127] != '\n' || len(got) != 128+2*3*4 {
		t.Errorf("file of %d bytes begins with %q", len(got), got[:128])
	}
}

func TestReadNPYRefuses(t *testing.T) {
	for name, text := range map[string]string{
		"empty":   "",
		"text":    "hello, this is not an array at all",
		"float64": "\x93NUMPY\x01\x00\x3c\x00{'descr': '<f8', 'fortran_order': False, 'shape': (1,), }  \n",
		"short":   "\x93NUMPY\x01\x00\x3c\x00{'descr': '<f4', 'fortran_order': False, 'shape': (9,), }  \n1234",
		"fortran": "\x93NUMPY\x01\x00\x3c\x00{'descr': '<f4', 'fortran_order': True, 'shape': (1,), }   \n1234",
	} {
		if _, err := synth.ReadNPY(bytes.NewReader([]byte(text))); !errors.Is(err, synth.ErrNPY) {
			t.Errorf("%s: error %v, want ErrNPY", name, err)
		}
	}
}
