package traindata

import (
	"context"
	"os"
	"testing"

	"boost/booster"
	"boost/booster/cache"
	"boost/dataset"
)

// A cache of a program that reads or calculates otherwise is not used.
func TestCacheKeyVersions(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("t.csv", []byte("a,y\n1,2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p := booster.Defaults()
	key, err := (&Input{Train: []string{"t.csv"}}).cacheKey(context.Background(), &p)
	if err != nil {
		t.Fatal(err)
	}
	if key.Reader != dataset.ReaderVersion || key.Numerics != booster.NumericsVersion {
		t.Errorf("the key says reader %d and numerics %d, want %d and %d", key.Reader, key.Numerics, dataset.ReaderVersion, booster.NumericsVersion)
	}
	if reason := key.Differs(key); reason != "" {
		t.Errorf("a key differs from itself: %s", reason)
	}
	reader, numerics := *key, *key
	reader.Reader++
	numerics.Numerics++
	for _, other := range []cache.Key{reader, numerics} {
		if got, want := other.Differs(key), "another version of the program wrote it"; got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
