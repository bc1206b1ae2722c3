package dataset_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"

	"boost/dataset"
	"boost/internal/testenv"
)

// TestMemoryLimit has text of 4,000,000 cells, 16 MB as float32, in two formats: one that
// is over the limit is noticed while it is read, and says so as the other formats do.
func TestMemoryLimit(t *testing.T) {
	testenv.Unraced(t)
	const rows = 1_000_000
	for name, c := range map[string]struct{ line, want string }{
		"t.csv": {"1,2,3,4\n", "columns take "}, "t.svm": {"1 1:1 2:2 3:3 4:4\n", "the values read so far take "},
	} {
		t.Run(name, func(t *testing.T) {
			text := &counted{r: io.LimitReader(&repeated{text: c.line}, rows*int64(len(c.line)))}
			_, err := dataset.Read(context.Background(), text, name, dataset.MemoryLimit(1<<20), dataset.Threads(2))
			if !errors.Is(err, dataset.ErrMemory) || errors.Is(err, dataset.ErrTable) || !strings.Contains(err.Error(), c.want) ||
				!strings.Contains(err.Error(), "memory_limit is 1 MiB") {
				t.Errorf("%v", err)
			}
			// A limit of 1 MiB is 2^18 float32 cells, of at most 5 bytes of text, beside some chunks of 1 MiB.
			if text.n > 12<<20 || text.n >= rows*int64(len(c.line)) {
				t.Errorf("%d of %d bytes were read", text.n, rows*len(c.line))
			}
			text = &counted{r: io.LimitReader(&repeated{text: c.line}, rows*int64(len(c.line)))}
			if _, err := dataset.Read(context.Background(), text, name, dataset.MemoryLimit(64<<20), dataset.Threads(2)); err != nil {
				t.Error(err)
			}
		})
	}
}

type counted struct {
	r io.Reader
	n int64
}

func (c *counted) Read(b []byte) (int, error) {
	n, err := c.r.Read(b)
	c.n += int64(n)
	return n, err
}

// repeated is the same text over and over.
type repeated struct {
	text string
	at   int
}

func (r *repeated) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = r.text[r.at]
		r.at = (r.at + 1) % len(r.text)
	}
	return len(b), nil
}

func zstded(text []byte) []byte {
	z, err := zstd.NewWriter(nil)
	if err != nil {
		panic(err)
	}
	defer z.Close()
	return z.EncodeAll(text, nil)
}

// TestPackedParquet has a packed file hold far more than its size: zstd makes hundreds of
// bytes of megabytes of zeros.
func TestPackedParquet(t *testing.T) {
	least := dataset.LeastUnpacked(1 << 20)
	small := zstded(append([]byte("PAR1\x00\x00\x00\x00"), make([]byte, 4<<20)...))
	if len(small)*1100 > 4<<20 {
		t.Fatalf("it takes %d bytes", len(small))
	}
	refused(t, small, "holds more than", dataset.Format("parquet"), least)
	whole := content(t, interop("types.none.parquet"))
	if _, err := read(string(zstded(whole)), least); err != nil {
		t.Error(err)
	}
}

// TestUnpackedBuffers calls unpacking off, and bounds it by the memory limit.
func TestUnpackedBuffers(t *testing.T) {
	text := bytes.Repeat([]byte("0123456789abcdef"), 1<<17) // 2 MiB
	var lz bytes.Buffer
	w := lz4.NewWriter(&lz)
	if _, err := w.Write(text); err != nil || w.Close() != nil {
		t.Fatal(err)
	}
	called, off := context.WithCancel(context.Background())
	off()
	for _, z := range []bool{false, true} {
		packed := lz.Bytes()
		if z {
			packed = zstded(text)
		}
		packed = append(binary.LittleEndian.AppendUint64(nil, uint64(len(text))), packed...)
		if b, err := dataset.UnpackBuffer(context.Background(), packed, z, 0); err != nil || !bytes.Equal(b, text) {
			t.Errorf("%v", err)
		}
		if _, err := dataset.UnpackBuffer(context.Background(), packed, z, 2<<20-1); !errors.Is(err, dataset.ErrMemory) {
			t.Errorf("under a limit of less: %v", err)
		}
		if _, err := dataset.UnpackBuffer(called, packed, z, 0); !errors.Is(err, context.Canceled) {
			t.Errorf("called off: %v", err)
		}
	}
}

// TestVisitorPanics has a mistake in what takes the chunks of a sound file: it ends the
// program, in another process here, and is not taken for damage of the file.
func TestVisitorPanics(t *testing.T) {
	if os.Getenv("BOOST_TEST_PANIC") != "" {
		scan, err := dataset.OpenChunked(context.Background(), []string{interop("types.none.parquet")}, dataset.ChunkRows(7))
		if err == nil {
			err = scan.Chunks(context.Background(), func(int, *dataset.Table) error { panic("a mistake of the visitor") })
		}
		fmt.Println("it came back:", err)
		return
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestVisitorPanics$")
	cmd.Env = append(os.Environ(), "BOOST_TEST_PANIC=1")
	out, err := cmd.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "a mistake of the visitor") || strings.Contains(string(out), "it came back") {
		t.Errorf("%v: %s", err, out)
	}
}

// A CSV of many columns and one row: of a column no more than 1,500 bytes are allocated while
// it is read. A buffer of a cell has no page of room before it, a header no text of its own for each name.
func TestWideCSVMemory(t *testing.T) {
	testenv.Unraced(t)
	const width = 100_000
	var text strings.Builder
	for i := range width {
		fmt.Fprintf(&text, "c%d,", i)
	}
	text.WriteString("y\n")
	text.WriteString(strings.Repeat("3,", width) + "1\n")
	path := filepath.Join(t.TempDir(), "wide.csv")
	if err := os.WriteFile(path, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	table, err := dataset.Open(context.Background(), path)
	if err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if n := len(table.Columns()); n != width+1 {
		t.Fatalf("%d columns, want %d", n, width+1)
	}
	if taken := (after.TotalAlloc - before.TotalAlloc) / width; taken > 1500 {
		t.Errorf("a column takes %d bytes while it is read, want at most 1,500", taken)
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if kept := (after.HeapAlloc - before.HeapAlloc) / width; kept > 200 {
		t.Errorf("a column keeps %d bytes, want at most 200", kept)
	}
	runtime.KeepAlive(table)
}
