package dataset_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"boost/dataset"
	"boost/internal/testenv"
)

func gzipText(t testing.TB, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := io.WriteString(w, text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func zstdText(t testing.TB, text string, opts ...zstd.EOption) []byte {
	t.Helper()
	w, err := zstd.NewWriter(nil, opts...)
	if err != nil {
		t.Fatal(err)
	}
	return w.EncodeAll([]byte(text), nil)
}

// longText is larger than what is read ahead.
func longText() string {
	var s strings.Builder
	s.WriteString("x,y\n")
	for row := range 60_000 {
		fmt.Fprintf(&s, "%d,%d\n", row, row*7919%1000)
	}
	return s.String()
}

func TestDamagedCompression(t *testing.T) {
	testenv.Unraced(t)
	text := longText()
	half := len(text) / 2
	packers := map[string]func(string) []byte{
		"gzip": func(s string) []byte { return gzipText(t, s) },
		"zstd": func(s string) []byte { return zstdText(t, s) },
	}
	for name, pack := range packers {
		whole := pack(text)
		flipped := bytes.Clone(whole)
		flipped[len(flipped)/2] ^= 0x55
		ended := bytes.Clone(whole)
		ended[len(ended)-1] ^= 0x55 // of the checksum
		cases := map[string]struct {
			data []byte
			want string
		}{
			"cut":          {whole[:len(whole)*2/3], "t.csv is cut off: its " + name + " data ends too early"},
			"tail_cut":     {whole[:len(whole)-1], "t.csv is cut off: its " + name + " data ends too early"},
			"garbage":      {append(bytes.Clone(whole), "and now to something else"...), "t.csv is damaged: something else follows its " + name + " data"},
			"changed":      {flipped, "t.csv"},
			"bad_checksum": {ended, "t.csv is damaged"},
			"head_cut":     {whole[:5], "t.csv is cut off"},
		}
		for kind, c := range cases {
			_, err := dataset.Read(context.Background(), bytes.NewReader(c.data), "t.csv")
			if err == nil || !errors.Is(err, dataset.ErrTable) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s %s: error %v, want one with %q", name, kind, err, c.want)
			}
		}
		// Members one after another are one text.
		parts := append(pack(text[:half]), pack(text[half:])...)
		table, err := dataset.Read(context.Background(), bytes.NewReader(parts), "t.csv")
		if err != nil || table.NumRows() != 60_000 {
			t.Errorf("%s of two members: %v", name, err)
		}
	}
}

// TestZstdWindow holds that a file cannot ask for more memory than the limit: here
// 256 MiB for a few bytes.
func TestZstdWindow(t *testing.T) {
	packed := zstdText(t, strings.Repeat("a,b\n1,2\n", 40_000), zstd.WithWindowSize(256<<20), zstd.WithSingleSegment(false))
	// A frame without content size: magic, descriptor 0, window descriptor (exponent 18,
	// mantissa 0: 2^28), then an empty last block.
	packed = append([]byte("\x28\xb5\x2f\xfd\x00\x90"), packed[len(packed)-20:]...)
	_, err := dataset.Read(context.Background(), bytes.NewReader(packed), "t.csv.zst")
	if err == nil || !errors.Is(err, dataset.ErrTable) || !strings.Contains(err.Error(), "memory") {
		t.Errorf("a window of 256 MiB: error %v", err)
	}
}

func TestReadersThatFail(t *testing.T) {
	text := longText()
	failing := errors.New("the cable came off")
	for name, packed := range map[string][]byte{"plain": []byte(text), "gzip": gzipText(t, text), "zstd": zstdText(t, text)} {
		for _, at := range []int{0, 3, 1000, len(packed) / 2, len(packed)} {
			r := io.MultiReader(bytes.NewReader(packed[:at]), iotest.ErrReader(failing))
			_, err := dataset.Read(context.Background(), r, "t.csv")
			if !errors.Is(err, failing) || !errors.Is(err, dataset.ErrTable) || !strings.Contains(err.Error(), "t.csv cannot be read") {
				t.Errorf("%s that fails at %d: error %v", name, at, err)
			}
		}
		for kind, r := range map[string]io.Reader{
			"half": iotest.HalfReader(bytes.NewReader(packed)), "data with end": iotest.DataErrReader(bytes.NewReader(packed)),
		} {
			if table, err := dataset.Read(context.Background(), r, "t.csv"); err != nil || table.NumRows() != 60_000 {
				t.Errorf("%s by a %s reader: %v", name, kind, err)
			}
		}
	}
	small := text[:strings.Index(text, "\n100,")+1]
	if table, err := dataset.Read(context.Background(), iotest.OneByteReader(strings.NewReader(small)), "t.csv"); err != nil || table.NumRows() != 100 {
		t.Errorf("byte by byte: %v", err)
	}
}

// TestFileThatChanges has a file become another one while it is read, told by hooks
// between finding and opening it.
func TestFileThatChanges(t *testing.T) {
	testenv.Unraced(t)
	text := longText()
	later := time.Now().Add(time.Hour)
	for name, change := range map[string]func(path string) error{
		"shorter": func(path string) error { return os.Truncate(path, int64(len(text)/2)) },
		"longer": func(path string) error {
			f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
			if err == nil {
				_, err = f.WriteString("1,2\n")
				err = errors.Join(err, f.Close())
			}
			return err
		},
		"written_anew": func(path string) error {
			return errors.Join(os.WriteFile(path, []byte(text), 0o600), os.Chtimes(path, later, later))
		},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "t.csv")
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := dataset.OpenWhen(path, func() {
				if err := change(path); err != nil {
					t.Fatal(err)
				}
			})
			if err == nil || !errors.Is(err, dataset.ErrTable) || !strings.Contains(err.Error(), path+" changed while it was read") {
				t.Errorf("error %v", err)
			}
		})
	}
	// The same between the first and the second reading, for a column that is text late.
	late := text + strings.Repeat("word,1\n", 400_000)
	path := filepath.Join(t.TempDir(), "t.csv")
	if err := os.WriteFile(path, []byte(late), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := dataset.OpenWhen(path, func() {}); err != nil {
		t.Fatal(err)
	}
	opens := 0
	_, err := dataset.OpenEach(path, func() {
		if opens++; opens == 2 {
			if err := os.Chtimes(path, later, later); err != nil {
				t.Fatal(err)
			}
		}
	})
	if opens < 2 || err == nil || !strings.Contains(err.Error(), "changed while it was read") {
		t.Errorf("opened %d times: error %v", opens, err)
	}
}

// TestFileThatChangesBetweenPasses has a file become another one once a ChunkedTable has read it,
// by another time alone, or by a name alone that another file of its size and time takes.
func TestFileThatChangesBetweenPasses(t *testing.T) {
	testenv.Unraced(t)
	ctx := context.Background()
	for _, name := range []string{"types.csv", "types.snappy.parquet", "types.csv.gz"} {
		for _, change := range []string{"none", "time", "file"} {
			t.Run(name+"/"+change, func(t *testing.T) {
				source, zipped := strings.CutSuffix(name, ".gz")
				text := content(t, interop(source))
				if zipped {
					text = gzipped(t, interop(source))
				}
				path := writeFile(t, filepath.Join(t.TempDir(), "t"), text)
				scan := must(dataset.OpenChunked(ctx, []string{path}))(t)
				defer scan.Close()
				info := must(os.Stat(path))(t)
				when := info.ModTime()
				switch change {
				case "time":
					when = when.Add(time.Hour)
				case "file":
					other := writeFile(t, path+".new", text)
					if err := os.Rename(other, path); err != nil {
						t.Fatal(err)
					}
				}
				if err := os.Chtimes(path, when, when); err != nil {
					t.Fatal(err)
				}
				err := scan.Chunks(ctx, func(int, *dataset.Table) error { return nil })
				if changed := err != nil && errors.Is(err, dataset.ErrTable) && strings.Contains(err.Error(), path+" changed while it was read"); changed != (change != "none") || err != nil && !changed {
					t.Errorf("error %v", err)
				}
			})
		}
	}
	path := writeFile(t, filepath.Join(t.TempDir(), "t.weight"), []byte("1\n2\n"))
	f := must(os.Open(path))(t)
	defer f.Close()
	for _, changes := range []bool{false, true} {
		err := dataset.Steadily(f, path, func() error {
			if changes {
				return os.WriteFile(path, []byte("1\n2\n3\n"), 0o600)
			}
			return nil
		})
		if (err != nil) != changes {
			t.Errorf("changes %v: error %v", changes, err)
		}
	}
}
