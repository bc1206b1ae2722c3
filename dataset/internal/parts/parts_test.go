package parts_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"boost/dataset/internal/chunk"
	"boost/dataset/internal/parts"
	"boost/internal/comm"
)

// inputs makes files of so many bytes; those of a negative number are compressed.
func inputs(t *testing.T, sizes ...int) []chunk.Input {
	t.Helper()
	dir := t.TempDir()
	var paths []string
	for i, size := range sizes {
		content := strings.Repeat("x", max(size, 0))
		if size < 0 {
			content = "\x1f\x8b" + strings.Repeat("x", -size-2)
		}
		path := filepath.Join(dir, fmt.Sprint(i))
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	found, err := chunk.FindInputs(t.Context(), paths, false, true)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func TestDivide(t *testing.T) {
	for name, c := range map[string]struct {
		sizes []int
		whole bool // inputs cannot be cut
		want  []string
	}{
		"one file":           {[]int{10}, false, []string{"0:0-3", "0:3-6", "0:6-10"}},
		"cuts in files":      {[]int{4, 8, 3}, false, []string{"0 1:0-1", "1:1-6", "1:6-8 2"}},
		"more ranks":         {[]int{2}, false, []string{"", "0:0-1", "0:1-2"}},
		"compressed":         {[]int{4, -8, 3}, false, []string{"0 1", "", "2"}},
		"first byte decides": {[]int{5, -10}, false, []string{"0", "1", ""}},
		"whole":              {[]int{4, 8, 3}, true, []string{"0 1", "", "2"}},
		"no bytes":           {[]int{0, 6, 0, 0, 3, 0}, false, []string{"0 1:0-3", "1:3-6", "2 3 4 5"}},
		"no bytes at all":    {[]int{0, 0}, false, []string{"", "", "0 1"}},
	} {
		t.Run(name, func(t *testing.T) {
			found := inputs(t, c.sizes...)
			for rank, want := range c.want {
				if err := parts.Divide(found, !c.whole, rank, len(c.want)); err != nil {
					t.Fatal(err)
				}
				var got []string
				for i := range found {
					switch in := &found[i]; {
					case in.Skipped():
					case in.IsCut():
						got = append(got, fmt.Sprintf("%d:%d-%d", i, in.Part.From, in.Part.To))
					default:
						got = append(got, fmt.Sprint(i))
					}
				}
				if got := strings.Join(got, " "); got != want {
					t.Errorf("rank %d has %q, want %q", rank, got, want)
				}
			}
		})
	}
}

func TestCompare(t *testing.T) {
	one := inputs(t, 3, 4)
	for name, c := range map[string]struct {
		other []chunk.Input
		err   error
		want  string
	}{
		"the same":  {inputs(t, 3, 4), nil, ""},
		"a size":    {inputs(t, 3, 5), nil, "rank 1: file 2 is 1 of 5 bytes, and at rank 0 1 of 4"},
		"a file":    {inputs(t, 3), nil, "rank 1: it is given 1 files, and rank 0 has 2"},
		"its error": {inputs(t, 3, 4), os.ErrNotExist, "file does not exist"},
	} {
		t.Run(name, func(t *testing.T) {
			errs := make([]error, 2)
			var all sync.WaitGroup
			for rank, ranks := range comm.Local(2) {
				all.Go(func() {
					own, err := one, error(nil)
					if rank == 1 {
						own, err = c.other, c.err
					}
					errs[rank] = parts.Compare(context.Background(), ranks, own, err)
				})
			}
			all.Wait()
			if slices.ContainsFunc(errs, func(err error) bool {
				return (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want)
			}) {
				t.Errorf("ranks say %v, want %q", errs, c.want)
			}
		})
	}
}

// An error of a rank is of its kind at the others, in its words where all read the same files.
func TestTell(t *testing.T) {
	for _, c := range []struct {
		own  error
		kind error
		same bool
		want string
	}{
		{chunk.Errorf("t.csv:3: odd"), chunk.ErrTable, true, "t.csv:3: odd"},
		{chunk.Errorf("t.csv:3: odd"), chunk.ErrTable, false, "ranks of the training: rank 1: t.csv:3: odd"},
		{chunk.TooLarge("t.csv is large"), chunk.ErrMemory, true, "t.csv is large"},
		{errors.New("no such disk"), comm.ErrComm, true, "ranks of the training: rank 1: no such disk"},
	} {
		var all sync.WaitGroup
		for rank, end := range comm.Local(3) {
			all.Go(func() {
				var own error
				want := c.want
				if rank == 1 {
					own, want = c.own, c.own.Error()
				}
				_, err := parts.Tell(t.Context(), end, rank, own, c.same)
				if err == nil || err.Error() != want || rank != 1 && !errors.Is(err, c.kind) {
					t.Errorf("rank %d: %v, want %q, which is %v", rank, err, want, c.kind)
				}
			})
		}
		all.Wait()
	}
}
