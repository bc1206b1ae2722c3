package dataset_test

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"boost/dataset"
)

// zstandard compresses text as one frame, or several that follow one another.
func zstandard(t *testing.T, texts ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	for _, text := range texts {
		w, err := zstd.NewWriter(&b)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return b.Bytes()
}

func TestZstd(t *testing.T) {
	const want = "a:float32=1|2|3 b:category=x|y|x"
	whole := zstandard(t, "a,b\n1,x\n2,y\n3,x\n")
	skippable := append([]byte{0x50, 0x2a, 0x4d, 0x18, 4, 0, 0, 0, 1, 2, 3, 4}, whole...)
	for name, packed := range map[string][]byte{
		"one_frame": whole, "frames": zstandard(t, "a,b\n1,", "x\n2,y\n3,x\n"), "skippable_frame": skippable,
	} {
		t.Run(name, func(t *testing.T) {
			if got := show(mustRead(t, string(packed))); got != want {
				t.Errorf("got %q, want %q", got, want)
			}
			file := writeFile(t, filepath.Join(t.TempDir(), "t.csv.zst"), packed)
			table, err := dataset.Open(context.Background(), file)
			if err != nil || show(table) != want {
				t.Errorf("got %v, want %q", err, want)
			}
		})
	}
	t.Run("cut_off", func(t *testing.T) {
		long := zstandard(t, "a,b\n"+strings.Repeat("1,x\n2,y\n", 10_000))
		_, err := read(string(long[:len(long)-3]))
		if !errors.Is(err, dataset.ErrTable) || !strings.Contains(err.Error(), "t.csv is cut off: its zstd data ends too early") {
			t.Errorf("got %v", err)
		}
	})
	t.Run("damaged", func(t *testing.T) {
		broken := bytes.Clone(whole)
		broken[len(broken)-1] ^= 1 // the checksum of the content
		_, err := read(string(broken))
		if !errors.Is(err, dataset.ErrTable) || !strings.Contains(err.Error(), "t.csv is damaged") {
			t.Errorf("got %v", err)
		}
	})
}

func TestFormat(t *testing.T) {
	if table := mustRead(t, "a,b\n1,x\n", dataset.Format("csv")); show(table) != "a:float32=1 b:category=x" {
		t.Errorf("got %q", show(table))
	}
	_, err := read("a,b\n1,x\n", dataset.Format("xls"))
	if !errors.Is(err, dataset.ErrTable) || !strings.Contains(err.Error(), `format = "xls" is not known; it is "auto" or one of "`) {
		t.Errorf("got %v", err)
	}
}
