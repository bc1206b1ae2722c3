package checkpoint

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"boost/internal/vfs"
	"boost/internal/vfs/crashfs"
	"boost/tree"
)

// example returns a state of so many rounds of two trees: a leaf, and one with a set.
func example(rounds int) *State {
	s := &State{
		Settings: map[string]json.RawMessage{"train.seed": json.RawMessage("1")}, Rounds: rounds, Last: 9, Outputs: 2, Ended: true,
		BestRound: 3, BestValue: math.Float64bits(math.Inf(-1)), Wide: json.RawMessage("[]"),
	}
	values := []float64{}
	for i := range rounds {
		s.Trees = append(s.Trees, tree.Tree{
			Feature: []int32{}, Code: []uint32{}, Categorical: []bool{}, MissingLeft: []bool{}, Left: []int32{}, Right: []int32{}, Sets: []uint32{}, Leaf: []float64{float64(i) / 3},
		}, tree.Tree{
			Feature: []int32{4, 70000}, Code: []uint32{0, 3}, Categorical: []bool{true, false}, MissingLeft: []bool{false, true}, Left: []int32{1, ^2}, Right: []int32{^0, ^1},
			SetPtrs: []uint32{0, 2}, Sets: []uint32{1, 5}, Leaf: []float64{1, math.SmallestNonzeroFloat64, -0.1}, Gain: []float32{0.5, 2}, Cover: []float64{9, 8}, LeafCover: []float64{1, 2, 6},
		})
		values = append(values, float64(i))
	}
	s.History, s.Scores = [][]float64{values, values}, [][]float64{{0.1, math.Inf(1)}, {}, make([]float64, 5000)}
	if rounds < 4 { // not to change each bit of so many
		s.Scores = s.Scores[:1]
	}
	return s
}

func (s *State) bytes(t *testing.T) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := s.write(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// What is written is read again, and nothing that differs from it in a bit or a length.
func TestRead(t *testing.T) {
	for _, rounds := range []int{0, 1, 3} {
		want := example(rounds)
		b := want.bytes(t)
		got, err := read(b)
		if err != nil {
			t.Fatal(err)
		}
		if rounds > 0 && !reflect.DeepEqual(got, want) {
			t.Errorf("%d rounds: read\n%+v, want\n%+v", rounds, got, want)
		}
		for bit := range 8 * len(b) {
			b[bit/8] ^= 1 << (bit % 8)
			if _, err := read(b); !errors.Is(err, ErrDamaged) {
				t.Fatalf("%d rounds: bit %d was changed: %v", rounds, bit, err)
			}
			b[bit/8] ^= 1 << (bit % 8)
		}
		for n := range b {
			if _, err := read(b[:n]); !errors.Is(err, ErrDamaged) {
				t.Fatalf("%d rounds: %d bytes of %d: %v", rounds, n, len(b), err)
			}
		}
	}
}

// A loss of power at any moment leaves a whole checkpoint: of the rounds that were written, or of the ones before.
func TestPowerLoss(t *testing.T) {
	disk := crashfs.New()
	f, err := Open(disk, "/runs/one")
	if err != nil {
		t.Fatal(err)
	}
	want := example(0).Settings
	fits := func(*State) error { return nil }
	for rounds := 1; rounds <= 4; rounds++ {
		if err := f.Write(example(rounds)); err != nil {
			t.Fatal(err)
		}
		disk.Mark()
	}
	names, err := f.Files()
	if err != nil || strings.Join(names, " ") != "round-4.checkpoint round-3.checkpoint" {
		t.Errorf("the folder holds %q, %v", names, err)
	}
	f.Close()
	n := disk.Crashes(1, func(disk *crashfs.FS, marks int) {
		f, err := Open(disk, "/runs/one")
		if err != nil {
			t.Fatalf("%v, after %v", err, disk)
		}
		defer f.Close()
		s, skipped, err := f.Latest(want, fits)
		switch {
		case err != nil || len(skipped) > 0:
			t.Fatalf("%v, %v, after %v", err, skipped, disk)
		case s == nil && marks > 0 || s != nil && (s.Rounds < marks || s.Rounds > marks+1):
			t.Fatalf("%+v after %d checkpoints, after %v", s, marks, disk)
		}
		if err := f.Write(example(9)); err != nil {
			t.Fatal(err)
		}
		entries, err := disk.ReadDir("/runs/one")
		if err != nil || len(entries) > 3 {
			t.Fatalf("%v, %v, after %v", entries, err, disk)
		}
	})
	t.Logf("%d states", n)
	if n < 50 {
		t.Errorf("only %d states", n)
	}
}

func FuzzRead(f *testing.F) {
	for rounds := range 3 {
		var b bytes.Buffer
		s := example(rounds)
		if err := s.write(&b); err != nil {
			f.Fatal(err)
		}
		f.Add(b.Bytes())
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) >= head+4 { // past the checks of the whole
			b = bytes.Clone(b)
			le.PutUint64(b[24:], uint64(len(b)))
			le.PutUint32(b[len(b)-4:], checksum(b[:len(b)-4]))
		}
		s, err := read(b)
		if err != nil && !errors.Is(err, ErrDamaged) {
			t.Fatal(err)
		}
		if err == nil && len(s.Trees) != s.Rounds*s.Outputs {
			t.Fatalf("%d trees of %d rounds", len(s.Trees), s.Rounds)
		}
	})
}

// A run that begins anew takes the checkpoints of the parts of the one before away, with its first one; one that goes on leaves them.
func TestReplacesParts(t *testing.T) {
	dir := t.TempDir()
	write := func(dir string, goesOn bool) {
		f, err := Open(vfs.OS, dir)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if goesOn {
			if _, _, err := f.Latest(example(1).Settings, func(*State) error { return nil }); err != nil {
				t.Fatal(err)
			}
		}
		if err := f.Write(example(3)); err != nil {
			t.Fatal(err)
		}
	}
	there := func(name string) bool {
		_, err := os.Stat(filepath.Join(dir, name, "round-3.checkpoint"))
		return err == nil
	}
	write(dir, false)
	write(filepath.Join(dir, "all-rows"), false)
	write(filepath.Join(dir, "again", "fold-1"), false)
	write(filepath.Join(dir, "another"), false)
	if err := os.WriteFile(filepath.Join(dir, "all-rows", "notes.txt"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	write(dir, true)
	if !there(".") || !there("all-rows") {
		t.Error("a run that goes on has lost its parts")
	}
	busy, err := Open(vfs.OS, filepath.Join(dir, "all-rows"))
	if err != nil {
		t.Fatal(err)
	}
	if err := ClearParts(vfs.OS, dir); !errors.Is(err, vfs.ErrBusy) {
		t.Errorf("beside a run that writes a part: %v", err)
	}
	busy.Close()
	write(dir, false)
	if !there(".") || there("all-rows") || there("again/fold-1") {
		t.Error("parts of the run before are left")
	}
	if !there("another") {
		t.Error("the checkpoints of another run are gone")
	}
	if _, err := os.Stat(filepath.Join(dir, "all-rows", "notes.txt")); err != nil {
		t.Error(err)
	}
}
