package cache

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"boost/binning"
	"boost/dataset"
	"boost/internal/vfs"
	"boost/internal/vfs/crashfs"
	"boost/parallel"
)

// smallCache returns the bytes of a cache of four kinds of features and three sets: the rows of a
// table that are trained on, those held out, and a table of its own.
func smallCache(t testing.TB, pool *parallel.Pool) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "c")
	if err := writeSmall(t, pool, vfs.OS, path, 1); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// writeSmall writes that cache, its key with a seed.
func writeSmall(t testing.TB, pool *parallel.Pool, fsys vfs.FS, path string, seed uint64) error {
	t.Helper()
	var a, wide, y []float64
	var levels []string
	stored := dataset.Sparse{F64: []float64{}}
	var rows [2][]int32
	for i := range 40 {
		a, wide, y = append(a, float64(i%7)), append(wide, 0.1*float64(i%3)), append(y, float64(i%5))
		levels = append(levels, string(rune('p'+i%4)))
		if i%9 == 0 {
			stored.Rows, stored.F64 = append(stored.Rows, int32(i)), append(stored.F64, float64(1+i%2))
		}
		rows[i%10/9] = append(rows[i%10/9], int32(i))
	}
	table, err := dataset.FromColumns([]dataset.ColumnData{
		{Name: "a\xff", Values: a}, {Name: "wide", Values: wide}, {Name: "level", Values: levels}, {Name: "sparse", Values: stored}, {Name: "y", Values: y},
	}, dataset.Label("y"))
	if err == nil {
		table, err = table.Cross([]dataset.CrossedColumn{{Name: "count(level)", Of: []string{"level"}}, {Name: "level × a", Of: []string{"level", "a\xff"}}})
	}
	if err != nil {
		t.Fatal(err)
	}
	ctx, p := context.Background(), binning.Defaults()
	cuts, notes, err := binning.Fit(ctx, table.Take(rows[0]), nil, p, 1, pool)
	if err != nil {
		t.Fatal(err)
	}
	w, err := create(fsys, path)
	if err != nil {
		return err
	}
	for i, part := range []*dataset.Table{table.Take(rows[0]), table.Take(rows[1]), table} {
		set := Set{}
		if set.Codes, err = binning.Code(ctx, cuts, part, p, pool); err != nil {
			t.Fatal(err)
		}
		if i < len(rows) {
			set.Rows = rows[i]
		} else {
			set.Others = table.WithoutFeatures()
		}
		w.Add(set, p.Storage)
	}
	print := table.Fingerprint(pool)
	return w.Finish(&Key{Seed: seed}, &Contents{Schema: table.Schema(), Cuts: cuts, Notes: notes, Fingerprint: print,
		Others: table.WithoutFeatures(), Sets: []Set{{}, {}, {Fingerprint: print}}})
}

// A loss of power or an error of the disk leaves the cache of before or the new one, each whole.
func TestDiskFaults(t *testing.T) {
	pool := parallel.NewPool(1)
	defer pool.Close()
	write := func(seed uint64) func(*crashfs.FS) error {
		return func(disk *crashfs.FS) error { return writeSmall(t, pool, disk, "/d/cache", seed) }
	}
	if n := crashfs.Replaced(t, "/d/cache", write(1), write(2)); n < 100 {
		t.Errorf("only %d states", n)
	}
}

// sectionsOf reads all sections of a sound cache.
func sectionsOf(t testing.TB, b []byte) (names []string, data [][]byte) {
	t.Helper()
	r, err := newSectionReader(bytes.NewReader(b), uint64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range r.entries {
		section, err := r.bytes(e.Name)
		if err != nil {
			t.Fatal(err)
		}
		names, data = append(names, e.Name), append(data, section)
	}
	return names, data
}

// rewritten returns a cache with these sections, all checksums right.
func rewritten(t testing.TB, names []string, data [][]byte) []byte {
	t.Helper()
	f, err := os.CreateTemp(t.TempDir(), "c")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w := newSectionWriter(f)
	for i, name := range names {
		w.section(name, data[i])
	}
	if err := w.finish(); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(f.Name())
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// use opens a cache and goes through all that it holds.
func use(t testing.TB, b []byte, pool *parallel.Pool) (usable bool) {
	r, err := newSectionReader(bytes.NewReader(b), uint64(len(b)))
	var c *Contents
	if err == nil {
		c, err = decode(r, nil)
	}
	if err != nil {
		if !errors.Is(err, ErrUnusable) {
			t.Fatalf("error %v", err)
		}
		return false
	}
	for i := range c.Sets {
		s := &c.Sets[i]
		m, err := s.Codes.Matrix(context.Background(), binning.Defaults(), pool)
		if err != nil {
			continue // a layout may refuse what is too large for it
		}
		for f := range m.NFeatures() {
			for row := range m.NRows() {
				if code := m.Bin(f, row); code > c.Cuts.Features[f].MissingCode() {
					t.Fatalf("feature %d, row %d: code %d", f, row, code)
				}
			}
		}
		table := s.Others
		if table == nil {
			table = c.Others
		}
		if s.Rows != nil {
			table = table.Take(s.Rows)
		}
		for row := range table.NumRows() {
			table.Locate(row)
		}
	}
	return true
}

// What is written is read again.
func TestContents(t *testing.T) {
	pool := parallel.NewPool(1)
	defer pool.Close()
	b := smallCache(t, pool)
	r, err := newSectionReader(bytes.NewReader(b), uint64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	c, err := decode(r, &Key{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	table := c.Sets[2].Others
	if names := c.Schema.Columns; names[0].Name != "a\xff" || len(names) != 7 || !slices.Equal(names[6].Crossed, []string{"level", "a\xff"}) || table.NumRows() != 40 || len(c.Sets[1].Rows) != 4 {
		t.Errorf("%d columns, the first %q; %d and %d rows", len(names), names[0].Name, table.NumRows(), len(c.Sets[1].Rows))
	}
	schema, cuts, err := encodeSchema(c.Schema, c.Cuts)
	if err != nil {
		t.Fatal(err)
	}
	for name, got := range map[string][]byte{"schema": schema, "cuts": cuts} {
		if want, err := r.bytes(name); err != nil || !bytes.Equal(got, want) {
			t.Errorf("section %s: %q, want %q (%v)", name, got, want, err)
		}
	}
	section, data := sectionsOf(t, b)
	at := slices.Index(section, "schema")
	for _, of := range []string{`["eA=="]`, `["eQ=="]`, `["Y291bnQobGV2ZWwp"]`, `["bGV2ZWw=","bGV2ZWw=","bGV2ZWw="]`} { // x, y, count(level)
		changed := slices.Clone(data)
		changed[at] = bytes.Replace(data[at], []byte(`["bGV2ZWw=","Yf8="]`), []byte(of), 1)
		edited := rewritten(t, section, changed)
		if bytes.Equal(changed[at], data[at]) || use(t, edited, pool) {
			t.Errorf("a column that is made of %s: usable", of)
		}
	}
	if _, err := decode(r, &Key{Seed: 2}); !errors.Is(err, ErrUnusable) {
		t.Errorf("another key: %v", err)
	}
}

// FuzzCache opens damaged caches: as bytes, where a checksum has to tell, and with a
// section replaced under right checksums, where the contents have to.
func FuzzCache(f *testing.F) {
	pool := parallel.NewPool(1)
	sound := smallCache(f, pool)
	names, data := sectionsOf(f, sound)
	f.Add(uint8(255), sound)
	for i := range data {
		f.Add(uint8(i), data[i])
	}
	f.Fuzz(func(t *testing.T, section uint8, b []byte) {
		if int(section) >= len(data) {
			if use(t, b, pool) && !bytes.Equal(b, sound) {
				t.Error("a changed file is used")
			}
			return
		}
		changed := make([][]byte, len(data))
		copy(changed, data)
		changed[section] = b
		use(t, rewritten(t, names, changed), pool)
	})
}

// TestFlippedBits flips every bit of a cache in turn.
func TestFlippedBits(t *testing.T) {
	pool := parallel.NewPool(1)
	defer pool.Close()
	sound := smallCache(t, pool)
	if !use(t, sound, pool) {
		t.Fatal("the sound cache cannot be used")
	}
	step := 5 // every byte is met, and every bit within five bytes
	if testing.Short() {
		step = 61
	}
	for bit := 0; bit < 8*len(sound); bit += step {
		flipped := bytes.Clone(sound)
		flipped[bit/8] ^= 1 << (bit % 8)
		if use(t, flipped, pool) {
			t.Fatalf("bit %d is flipped and the cache is used", bit)
		}
	}
}
