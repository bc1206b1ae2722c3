package booster

import (
	"bytes"
	"context"
	"errors"
	"os"
	"testing"
	"time"

	"boost/binning"
	"boost/dataset"
	"boost/parallel"
)

// smallCache returns the bytes of a cache of three kinds of features and two sets.
func smallCache(t testing.TB) []byte {
	t.Helper()
	t.Chdir(t.TempDir()) // so that the names in the cache are the same everywhere
	table, cache := "t.csv", "c"
	text := []byte("a,b,c,y\n")
	for i := range 40 {
		text = append(text, byte('0'+i%7), ',', byte('0'+i%3), '.', '1', ',', byte('p'+i%4), ',', byte('0'+i%5), '\n')
	}
	if err := os.WriteFile(table, text, 0o600); err != nil {
		t.Fatal(err)
	}
	// The same bytes in every process of a fuzzing run.
	if err := os.Chtimes(table, time.Time{}, time.Unix(1_700_000_000, 0)); err != nil {
		t.Fatal(err)
	}
	p := Defaults()
	p.Objective, p.Rounds, p.EarlyStopping = "regression", 1, 1
	l, err := Load(context.Background(), p, Input{Train: []string{table}, Options: []dataset.Option{dataset.Label("y")}, Cache: cache})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := TrainOn(context.Background(), p, l.Train, l.Options()...); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(cache)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// sections reads all sections of a sound cache.
func sectionsOf(t testing.TB, b []byte) (names []string, data [][]byte) {
	t.Helper()
	r, err := newCacheReader(bytes.NewReader(b), uint64(len(b)))
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
	w := newCacheWriter(f)
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
	r, err := newCacheReader(bytes.NewReader(b), uint64(len(b)))
	var c *cached
	if err == nil {
		c, err = decodeCache(r, nil)
	}
	if err != nil {
		if !errors.Is(err, ErrCache) {
			t.Fatalf("error %v", err)
		}
		return false
	}
	cuts, _, err := c.whole.fit(context.Background(), nil, binning.Params{}, 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	sets := append([]*cachedSource{c.whole}, c.valid...)
	for _, part := range c.whole.parts {
		sets = append(sets, c.whole.take(part.rows).(*cachedSource))
	}
	for _, s := range sets {
		if s.codes == nil {
			continue
		}
		m, err := s.codes.Matrix(context.Background(), binning.Defaults(), pool)
		if err != nil {
			continue // a layout may refuse what is too large for it
		}
		for f := range m.NFeatures() {
			for row := range m.NRows() {
				if code := m.Bin(f, row); code > cuts.Features[f].MissingCode() {
					t.Fatalf("feature %d, row %d: code %d", f, row, code)
				}
			}
		}
		for row := range s.table.NumRows() {
			s.table.Locate(row)
		}
	}
	return true
}

// FuzzCache opens damaged caches: as bytes, where a checksum has to tell, and with a
// section replaced under right checksums, where the contents have to.
func FuzzCache(f *testing.F) {
	sound := smallCache(f)
	names, data := sectionsOf(f, sound)
	f.Add(uint8(255), sound)
	for i := range data {
		f.Add(uint8(i), data[i])
	}
	pool := parallel.NewPool(1)
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
	sound := smallCache(t)
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
