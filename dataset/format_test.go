package dataset_test

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"slices"
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

// TestIdleOptions reads with options that the format has no use for: it says so, and
// reads what it reads without them.
func TestIdleOptions(t *testing.T) {
	ctx := context.Background()
	svm := writeFile(t, filepath.Join(t.TempDir(), "t.svm"), []byte("1 1:2\n0 2:3\n"))
	csv := writeFile(t, filepath.Join(t.TempDir(), "t.csv"), []byte("a;b\n1;2\n3;4,5\n"))
	all := []dataset.Option{dataset.Separator(';'), dataset.Header(true), dataset.Encoding("latin1"),
		dataset.Decimal(','), dataset.Absent("missing"), dataset.IndexBase("0")}
	usual := []dataset.Option{dataset.Encoding("utf-8"), dataset.Decimal('.'), dataset.Absent("zero"), dataset.IndexBase("auto")}
	for _, c := range []struct {
		file, want string
		one        dataset.Option
		wantOne    string
	}{
		{interop("polars.zstd.parquet"), "parquet, for which separator, header, encoding, absent, index_base have no meaning", dataset.Header(false), "parquet, for which header has no meaning"},
		{interop("polars.lz4.arrow"), "arrow, for which separator, header, encoding, absent, index_base have no meaning", dataset.Absent("missing"), "arrow, for which absent has no meaning"},
		{svm, "libsvm, for which separator, header, encoding, decimal have no meaning", dataset.Decimal(','), "libsvm, for which decimal has no meaning"},
		{csv, "csv, for which absent, index_base have no meaning", dataset.IndexBase("1"), "csv, for which index_base has no meaning"},
	} {
		idle := func(notes []string) []string {
			return slices.DeleteFunc(slices.Clone(notes), func(n string) bool { return !strings.Contains(n, " no meaning") })
		}
		for _, set := range []struct {
			opts []dataset.Option
			want []string
		}{
			{all, []string{c.file + " is read as " + c.want}},
			{[]dataset.Option{c.one}, []string{c.file + " is read as " + c.wantOne}},
			{usual, nil},
			{nil, nil},
		} {
			table := must(dataset.Open(ctx, c.file, set.opts...))(t)
			if got := idle(table.Notes()); !slices.Equal(got, set.want) {
				t.Errorf("%s says %q, want %q", c.file, got, set.want)
			}
		}
		if c.file == svm { // read whole always
			continue
		}
		scan := must(dataset.OpenChunked(ctx, []string{c.file}, all...))(t)
		if got := idle(scan.MetaColumns().Notes()); len(got) != 1 || got[0] != c.file+" is read as "+c.want {
			t.Errorf("in chunks %s says %q", c.file, got)
		}
		scan.Close()
	}
}
