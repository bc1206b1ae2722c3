package dataset_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"boost/dataset"
	"boost/internal/testenv"
)

func interop(name string) string { return filepath.Join("testdata", "interop", name) }

func content(t *testing.T, file string) []byte { return fileContent(t, file) }

func fileContent(t testing.TB, file string) []byte {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestParquetFiles reads several files, with row groups of different sizes, as one.
func TestParquetFiles(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	// The same table twice, in row groups of 40 and of 100 rows and in other codecs.
	first := writeFile(t, filepath.Join(dir, "part-1.parquet"), content(t, interop("types.snappy.parquet")))
	second := writeFile(t, filepath.Join(dir, "part-2.parquet"), content(t, interop("types.page2plain.parquet")))
	twin := content(t, interop("types.csv"))
	a := writeFile(t, filepath.Join(dir, "a.csv"), twin)
	b := writeFile(t, filepath.Join(dir, "b.csv"), twin)
	want, err := dataset.OpenAll(ctx, []string{a, b})
	if err != nil {
		t.Fatal(err)
	}
	for name, paths := range map[string][]string{"list": {second, first}, "glob": {filepath.Join(dir, "part-*.parquet")}} {
		got, err := dataset.OpenAll(ctx, paths)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if show(got) != show(want) {
			t.Errorf("%s: the table is not the twins'", name)
		}
		if file, line := got.Locate(61 + 41); file != second || line != 42 {
			t.Errorf("%s: row 102 lies in %s:%d", name, file, line)
		}
	}
	_, err = dataset.OpenAll(ctx, []string{a, first})
	if !errors.Is(err, dataset.ErrTable) || !strings.Contains(err.Error(), "part-1.parquet is Parquet, and files before it are CSV") {
		t.Errorf("two formats: %v", err)
	}
	_, err = dataset.OpenAll(ctx, []string{first, writeFile(t, filepath.Join(dir, "z.csv"), twin)})
	if !errors.Is(err, dataset.ErrTable) || !strings.Contains(err.Error(), "z.csv is CSV or TSV") {
		t.Errorf("two formats: %v", err)
	}
	_, err = dataset.OpenAll(ctx, []string{first, writeFile(t, filepath.Join(dir, "z.parquet"), content(t, interop("polars.zstd.parquet")))})
	if !errors.Is(err, dataset.ErrTable) || !strings.Contains(err.Error(), "need the same columns") {
		t.Errorf("two tables: %v", err)
	}
}

// damageColumn returns the file with other bytes from lo to hi, where pages lie.
func damageColumn(t *testing.T, file []byte, lo, hi int) []byte {
	t.Helper()
	if lo < 4 || hi > len(file)-8 || lo >= hi {
		t.Fatalf("no column at %d to %d", lo, hi)
	}
	damaged := bytes.Clone(file)
	for i := lo; i < hi; i++ {
		damaged[i] ^= 0xa5
	}
	return damaged
}

// TestParquetPruning destroys the pages of one column: whoever does not need it does
// not notice, as its bytes are not looked at.
func TestParquetPruning(t *testing.T) {
	ctx := context.Background()
	whole := content(t, interop("pruning.parquet"))
	place := strings.Fields(string(content(t, interop("pruning.place.txt")))) // from pyarrow's metadata
	lo, hi := atoi(t, place[0]), atoi(t, place[1])
	file := writeFile(t, filepath.Join(t.TempDir(), "t.parquet"), damageColumn(t, whole, lo, hi))
	_, err := dataset.Open(ctx, file)
	if !errors.Is(err, dataset.ErrTable) || !strings.Contains(err.Error(), `column "junk"`) || !strings.Contains(err.Error(), "damaged") {
		t.Errorf("the damaged column is read without an error: %v", err)
	}
	table, err := dataset.Open(ctx, file, dataset.Ignore("junk"))
	if err != nil || show(table) != "x:float32=1|2|3 y:category=a|b|a" {
		t.Errorf("ignored: %v", err)
	}
	table, err = dataset.Open(ctx, file, dataset.As(table.Schema()))
	if err != nil || show(table) != "x:float32=1|2|3 y:category=a|b|a" {
		t.Errorf("not in the schema: %v", err)
	}
}

func atoi(t *testing.T, s string) int {
	t.Helper()
	n := 0
	for _, c := range s {
		if c < '0' || c > '9' {
			t.Fatalf("%q is no number", s)
		}
		n = n*10 + int(c-'0')
	}
	return n
}

// TestParquetRoles reads numbers, dates and booleans as categories and ids: they get
// the texts that a CSV file has for them.
func TestParquetRoles(t *testing.T) {
	ctx := context.Background()
	names := []string{"flag", "int64", "uint8", "decimal7", "date", "time_us", "text"}
	for _, role := range []func(...string) dataset.Option{dataset.Categorical, dataset.ID} {
		for _, name := range names {
			want, err := dataset.Open(ctx, interop("types.csv"), role(name))
			if err != nil {
				t.Fatal(err)
			}
			for _, variant := range []string{"snappy", "page1plain", "delta2"} {
				got, err := dataset.Open(ctx, interop("types."+variant+".parquet"), role(name))
				if err != nil {
					t.Errorf("%s: %v", name, err)
					continue
				}
				if got, want := showColumn(got.Column(name)), showColumn(want.Column(name)); got != want {
					t.Errorf("%s %s:\ngot  %s\nwant %s", variant, name, got, want)
				}
			}
		}
	}
	// Time stamps are written in one way: with a space, and Z where they are of UTC.
	table, err := dataset.Open(ctx, interop("types.snappy.parquet"), dataset.ID("stamp_us", "stamp_zone"))
	if err != nil {
		t.Fatal(err)
	}
	if got := table.Column("stamp_us").Text(1); got != "1970-01-02 06:59:58.5" {
		t.Errorf("a time stamp is %q", got)
	}
	if got := table.Column("stamp_zone").Text(0); got != "1969-12-31 18:29:58.25Z" {
		t.Errorf("a time stamp with a zone is %q", got)
	}
}

// TestParquetMissing gives numbers that stand for "no value".
func TestParquetMissing(t *testing.T) {
	missing := dataset.MissingOnly("", "-1", "1")
	want := mustRead(t, string(content(t, interop("types.csv"))), missing)
	got, err := dataset.Open(context.Background(), interop("types.snappy.parquet"), missing)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"int8", "int64", "uint16"} {
		if got, want := showColumn(got.Column(name)), showColumn(want.Column(name)); got != want || !strings.Contains(want, "||") {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

// TestColumnarIndex leaves out the index that pandas writes beside the columns, unless
// it is asked for.
func TestColumnarIndex(t *testing.T) {
	ctx := context.Background()
	for _, name := range []string{"pandas.index.parquet", "pandas.index.arrow", "pandas.index.arrows"} {
		table, err := dataset.Open(ctx, interop(name))
		if err != nil {
			t.Fatal(err)
		}
		if table.Column("__index_level_0__") != nil || !strings.Contains(strings.Join(table.Notes(), "\n"), "__index_level_0__") {
			t.Errorf("%s: columns %s, notes %q", name, show(table), table.Notes())
		}
		table, err = dataset.Open(ctx, interop(name), dataset.ID("__index_level_0__"))
		if err != nil || table.Column("__index_level_0__").Text(4) != "50" {
			t.Errorf("%s as an id: %v", name, err)
		}
	}
}

func TestParquetDamage(t *testing.T) {
	testenv.Unraced(t)
	whole := content(t, interop("types.none.parquet"))
	footer := int(binary.LittleEndian.Uint32(whole[len(whole)-8:]))
	change := func(edit func(b []byte) []byte) []byte { return edit(bytes.Clone(whole)) }
	cases := []struct {
		name string
		file []byte
		want string
	}{
		{"short", whole[:9], "too short for a Parquet file"},
		{"cut_off", whole[:len(whole)-20], "cut off or damaged"},
		{"footer_too_long", change(func(b []byte) []byte {
			binary.LittleEndian.PutUint32(b[len(b)-8:], 1<<31)
			return b
		}), "its footer claims 2147483648 bytes"},
		{"encrypted", change(func(b []byte) []byte {
			copy(b[len(b)-4:], "PARE")
			return b
		}), "encrypted"},
		{"no_footer", change(func(b []byte) []byte {
			clear(b[len(b)-8-footer : len(b)-8])
			return b
		}), "schema is empty"},
		// The pages are cut out, and the footer still refers to them.
		{"no_pages", slices.Concat(whole[:8], whole[len(whole)-8-footer:]), "outside the file"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			_, err := read(string(c.file), dataset.Format("parquet"))
			if !errors.Is(err, dataset.ErrTable) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q in it", err, c.want)
			}
		})
	}
}

// TestParquetMemoryLimit refuses a table before any of its pages is read.
func TestParquetMemoryLimit(t *testing.T) {
	testenv.Unraced(t)
	ctx := context.Background()
	_, err := dataset.Open(ctx, interop("types.none.parquet"), dataset.MemoryLimit(61*100))
	if !errors.Is(err, dataset.ErrMemory) || errors.Is(err, dataset.ErrTable) || !strings.Contains(err.Error(), "61 rows of") || !strings.Contains(err.Error(), "memory_limit is 5.957 KiB") {
		t.Errorf("got %v", err)
	}
	if _, err := dataset.Open(ctx, interop("types.none.parquet"), dataset.MemoryLimit(1<<20)); err != nil {
		t.Error(err)
	}
}

// TestParquetPipe reads a stream that comes in column chunks; without a copy that cannot be.
func TestParquetPipe(t *testing.T) {
	whole := string(content(t, interop("polars.zstd.parquet")))
	if _, err := read(whole); err != nil {
		t.Error(err)
	}
	_, err := read(whole, dataset.NoSpool())
	if !errors.Is(err, dataset.ErrTable) || !strings.Contains(err.Error(), "--no-spool") {
		t.Errorf("got %v", err)
	}
}

// TestColumnarMixed reads two files that give a column two types: all its values decide,
// and numbers that were read as such are read again.
func TestColumnarMixed(t *testing.T) {
	ctx := context.Background()
	const want = "x:category=1|2||3|a|2||b|a n:float32=0|1|2|3|0|1|2|3|4"
	for _, ending := range []string{".csv", ".pyarrow.parquet", ".pyarrow.arrow"} {
		table, err := dataset.OpenAll(ctx, []string{interop("mixed1" + ending), interop("mixed2" + ending)})
		if err != nil || show(table) != want {
			t.Errorf("%s: %v", ending, err)
		}
	}
	// As numbers, the first text is an error that names its row.
	s := dataset.Schema{Columns: []dataset.ColumnSchema{{Name: "x", Kind: dataset.Float32}}}
	for _, ending := range []string{".pyarrow.parquet", ".pyarrow.arrow"} {
		_, err := dataset.OpenAll(ctx, []string{interop("mixed1" + ending), interop("mixed2" + ending)}, dataset.As(s))
		var bad *dataset.ParseError
		if !errors.As(err, &bad) || bad.Column != "x" || bad.Line != 1 || bad.Value != "a" || !strings.Contains(err.Error(), "mixed2"+ending+": row 1: ") {
			t.Errorf("%s: %v", ending, err)
		}
	}
}

// TestColumnarHuge reads whole numbers beyond 2⁵³: they are rounded and it is said; as
// ids they keep their digits.
func TestColumnarHuge(t *testing.T) {
	ctx := context.Background()
	for _, file := range []string{"huge.csv", "huge.pyarrow.parquet", "huge.pyarrow.arrows"} {
		table, err := dataset.Open(ctx, interop(file))
		if err != nil {
			t.Fatal(err)
		}
		if notes := strings.Join(table.Notes(), "\n"); !strings.Contains(notes, `whole numbers from 2⁵³ on in columns "signed", "unsigned"`) ||
			!strings.Contains(notes, `column "signed" of `+interop(file)+map[bool]string{true: ":2", false: ": row 1"}[file == "huge.csv"]) {
			t.Errorf("%s: notes %q", file, notes)
		}
		if table, err = dataset.Open(ctx, interop(file), dataset.ID("signed", "unsigned")); err != nil {
			t.Fatal(err)
		}
		if got := table.Column("signed").Text(1) + " " + table.Column("unsigned").Text(0); got != "-9223372036854775808 18446744073709551615" {
			t.Errorf("%s: as ids %s", file, got)
		}
	}
}

// TestArrowStreamEnd cuts a stream off: inside a message that is an error; between two,
// where a stream may end, it is said.
func TestArrowStreamEnd(t *testing.T) {
	whole := content(t, interop("types.plain.arrows"))
	if end := whole[len(whole)-8:]; !bytes.Equal(end, []byte{0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0}) {
		t.Fatalf("the stream ends in % x", end)
	}
	_, err := read(string(whole[:len(whole)-100]))
	if !errors.Is(err, dataset.ErrTable) || !strings.Contains(err.Error(), "t.csv is damaged: a message claims") {
		t.Errorf("cut inside a message: %v", err)
	}
	table := mustRead(t, string(whole[:len(whole)-8]))
	want := "t.csv has no mark at its end: it may be cut off behind row 61"
	if table.NumRows() != 61 || !slices.Contains(table.Notes(), want) {
		t.Errorf("cut before the end's mark: %d rows, notes %q", table.NumRows(), table.Notes())
	}
}
