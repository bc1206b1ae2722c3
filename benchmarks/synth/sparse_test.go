package synth_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"strconv"
	"strings"
	"testing"

	"boost/benchmarks/synth"
	"boost/parallel"
)

func sparse(t *testing.T, kind string, columns int) *synth.SparseGenerator {
	t.Helper()
	g, err := synth.NewSparseGenerator(kind, 1, columns)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// The figures of past runs are only comparable while the tables stay the same.
func TestSparseTablesArePinned(t *testing.T) {
	for kind, want := range map[string]string{
		synth.SparseValues: "6b207d40dcae92be02e6e5eab25cffbde7d74e3f75146dcf6509af414678a33e",
		synth.SparseCounts: "49ad56ba1ff588d5531a95dd00aa727019b3601f4d17ab31f4b6c865e80f6231",
		synth.OneHot:       "c4ddcc4bfcea7a6cca4254f9e55b1f533cf5eabf7807d3751f0c071b07d33dd2",
	} {
		if got := sparse(t, kind, 1000).Fingerprint(); got != want {
			t.Errorf("%s: fingerprint %s, want %s: results of before no longer compare", kind, got, want)
		}
	}
}

func TestShapeOfSparseTables(t *testing.T) {
	const rows, columns = 20_000, 5000
	for _, kind := range synth.SparseKinds() {
		t.Run(kind, func(t *testing.T) {
			g := sparse(t, kind, columns)
			perColumn, cells, positive := make([]int, columns), 0, 0
			for row := range rows {
				stored, label := g.Row(row, nil)
				cells += len(stored)
				positive += int(label)
				last := -1
				for _, c := range stored {
					if c.Column <= last || c.Column >= columns {
						t.Fatalf("row %d: column %d after %d", row, c.Column, last)
					}
					if v := float64(c.Value) * g.Unit(); v == 0 || math.Abs(v) >= 1 && kind == synth.SparseValues || v > 5 {
						t.Fatalf("row %d column %d: value %v", row, c.Column, v)
					}
					last = c.Column
					perColumn[c.Column]++
				}
				if kind == synth.OneHot && len(stored) != 20 {
					t.Fatalf("row %d has %d levels, want one of each of 20 columns", row, len(stored))
				}
			}
			if mean := float64(cells) / rows; mean < 20 || mean > 26 {
				t.Errorf("%.1f cells a row", mean)
			}
			if share := float64(positive) / rows; share < 0.3 || share > 0.7 {
				t.Errorf("%.3f of the labels are 1", share)
			}
			used, most := 0, 0
			for _, n := range perColumn {
				used, most = used+min(n, 1), max(most, n)
			}
			if used < columns*9/10 {
				t.Errorf("%d of %d columns hold a value", used, columns)
			}
			if kind == synth.SparseCounts && most < rows/5 {
				t.Errorf("the most frequent column has %d cells in %d rows: want a popular one", most, rows)
			}
		})
	}
}

func TestSparseFilesHoldTheRows(t *testing.T) {
	g := sparse(t, synth.SparseValues, 400)
	folders := [2]string{t.TempDir(), t.TempDir()}
	for i, threads := range []int{1, 3} {
		pool := parallel.NewPool(threads)
		defer pool.Close()
		if err := g.Write(folders[i], 20_000, 300, true, pool); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{synth.TrainSVM, synth.TestSVM, synth.TrainY, synth.TestY, "train_values.npy", "train_columns.npy", "train_starts.npy"} {
		if !bytes.Equal(read(t, folders[0], name), read(t, folders[1], name)) {
			t.Errorf("%s differs between 1 and 3 threads", name)
		}
	}
	labels, err := synth.ReadNPY(bytes.NewReader(read(t, folders[0], synth.TestY)))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(string(read(t, folders[0], synth.TestSVM)), "\n"), "\n")
	if len(lines) != 300 || len(labels[0]) != 300 {
		t.Fatalf("%d lines, %d labels", len(lines), len(labels[0]))
	}
	for i, line := range lines {
		cells, label := g.Row(20_000+i, nil)
		fields := strings.Fields(line)
		if fields[0] != strconv.Itoa(int(label)) || labels[0][i] != float32(label) || len(fields) != len(cells)+1 {
			t.Fatalf("row %d: %q, label %v in the array; want label %d and %d cells", i, line, labels[0][i], label, len(cells))
		}
		for j, c := range cells {
			at, text, _ := strings.Cut(fields[j+1], ":")
			v, err := strconv.ParseFloat(text, 64)
			if at != strconv.Itoa(c.Column+1) || err != nil || math.Abs(v-float64(c.Value)/1e4) > 1e-12 {
				t.Fatalf("row %d cell %d: %q, want %v", i, j, fields[j+1], c)
			}
		}
	}
}

// The arrays that the peers make SciPy's CSR of hold the cells of the text.
func TestArraysHoldTheCells(t *testing.T) {
	g := sparse(t, synth.SparseValues, 400)
	pool := parallel.NewPool(2)
	defer pool.Close()
	folder := t.TempDir()
	if err := g.Write(folder, 20_000, 300, true, pool); err != nil {
		t.Fatal(err)
	}
	const header = 128
	values, columns, starts := read(t, folder, "test_values.npy"), read(t, folder, "test_columns.npy"), read(t, folder, "test_starts.npy")
	at := func(b []byte, i int) uint32 { return binary.LittleEndian.Uint32(b[header+4*i:]) }
	i := 0
	for row := range 300 {
		cells, _ := g.Row(20_000+row, nil)
		if got := int(at(starts, row)); got != i {
			t.Fatalf("row %d begins at cell %d, want %d", row, got, i)
		}
		for _, c := range cells {
			if v := math.Float32frombits(at(values, i)); int(at(columns, i)) != c.Column || v != float32(float64(c.Value)/1e4) {
				t.Fatalf("cell %d: column %d value %v, want %v", i, at(columns, i), v, c)
			}
			i++
		}
	}
	if int(at(starts, 300)) != i || len(values) != header+4*i || len(columns) != header+4*i || len(starts) != header+4*301 {
		t.Errorf("%d cells; files of %d, %d and %d bytes", i, len(values), len(columns), len(starts))
	}
	if want := "'<i4', 'fortran_order': False, 'shape': (" + strconv.Itoa(i) + ",)"; !strings.Contains(string(columns[:header]), want) {
		t.Errorf("header %q, want %q in it", columns[:header], want)
	}
}

func TestSparseRefuses(t *testing.T) {
	if _, err := synth.NewSparseGenerator("spares", 1, 1000); !errors.Is(err, synth.ErrKind) {
		t.Errorf("unknown kind: error %v", err)
	}
	for _, kind := range synth.SparseKinds() {
		if _, err := synth.NewSparseGenerator(kind, 1, 10); err == nil {
			t.Errorf("%s with 10 columns was accepted", kind)
		}
	}
}
