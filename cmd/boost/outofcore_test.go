package main

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The cache and reading in chunks are ways of getting at the same model.
func TestTrainCacheAndOutOfCore(t *testing.T) {
	inFolder(t)
	file(t, "t.csv", table(600))
	file(t, "v.csv", table(90))
	for name, flags := range map[string][]string{
		"held_out":  {"train", "t.csv", "--label", "b", "--json", "--set", "train.rounds=30", "--set", "train.effort=quick"},
		"valid":     {"train", "t.csv", "--label", "y", "--valid", "v.csv", "--test", "v.csv", "--json", "--set", "data.id=id", "--set", "train.rounds=30", "--set", "train.effort=quick"},
		"retrained": {"train", "t.csv", "--label", "y", "--json", "--set", "train.rounds=30", "--set", "train.learning_rate=0.1"},
	} {
		t.Run(name, func(t *testing.T) {
			with := func(more ...string) result {
				t.Helper()
				return must(t, 0, boost(t, append(append([]string{}, flags...), more...)...))
			}
			want := trained(t, with("-o", "plain.boost")).SHA256
			same := func(what string, r result, words ...string) {
				t.Helper()
				if got := trained(t, r).SHA256; got != want {
					t.Errorf("%s: model %s, want %s", what, got, want)
				}
				says(t, r.errors, words...)
			}
			cache := []string{"--set", "data.cache=" + filepath.Join(t.TempDir(), "t.cache")}
			same("out of core", with("--set", "data.out_of_core=true"), "out of core", "data.out_of_core = true")
			same("first with a cache", with(cache...), "no cache yet", "cache written")
			same("second with a cache", with(cache...), "using cache")
			same("cache of another run", with(append(cache, "--set", "train.learning_rate=0.1", "--set", "data.out_of_core=true")...), "using cache")
			if name == "retrained" { // whose codes are of all rows
				says(t, with(append(cache, "--set", "train.retrain=false")...).errors, "other rows are held out")
				same("cache of a run that held rows out", with(cache...), "cache is rebuilt")
			}
			r := with(append(cache, "--set", "binning.max_bin=20")...)
			says(t, r.errors, "cache is rebuilt", "binning.max_bin was 255 and is 20")
			same("memory limit that is enough", with("--set", "train.memory_limit=1GiB"))
		})
	}
	t.Run("by memory limit", func(t *testing.T) {
		var text bytes.Buffer
		text.WriteString("y")
		for range 20 {
			text.WriteString(",f" + strings.Repeat("x", text.Len()%97))
		}
		text.WriteString("\n")
		header := strings.Split(strings.TrimSpace(text.String()), ",")
		text.Reset()
		for i := range header {
			header[i] = "f" + strings.Repeat("x", i)
		}
		text.WriteString(strings.Join(header, ",") + "\n")
		for row := range 9000 {
			for i := range header {
				if i > 0 {
					text.WriteByte(',')
				}
				text.WriteString([]string{"1.1", "2.2", "3.3"}[(row*(i+3)/7)%3])
			}
			text.WriteByte('\n')
		}
		if err := os.WriteFile("big.csv", text.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		flags := []string{"train", "big.csv", "--label", "f", "--json", "--set", "train.rounds=3", "--set", "train.early_stopping=0", "--set", "train.objective=regression"}
		want := trained(t, must(t, 0, boost(t, flags...))).SHA256
		r := must(t, 0, boost(t, append(flags, "--set", "train.memory_limit=1.4MB")...))
		says(t, r.errors, "out of core", "train.memory_limit is")
		if got := trained(t, r).SHA256; got != want {
			t.Errorf("model %s, want %s", got, want)
		}
		// Training on all rows after early stopping can stay in files too.
		flags = append(flags[:len(flags):len(flags)], "--set", "train.retrain=true")
		flags[slices.Index(flags, "train.early_stopping=0")] = "train.early_stopping=2"
		want = trained(t, must(t, 0, boost(t, flags...))).SHA256
		r = must(t, 0, boost(t, append(flags, "--set", "train.memory_limit=1.4MB")...))
		says(t, r.errors, "out of core", "train.memory_limit is")
		if got := trained(t, r).SHA256; got != want {
			t.Errorf("retrained: model %s, want %s", got, want)
		}
		r = must(t, 2, boost(t, append(flags, "--set", "data.out_of_core=true", "--set", "train.gradients=f32")...))
		says(t, r.errors, "train.gradients", "out of core")
	})
	t.Run("standard input", func(t *testing.T) {
		flags := []string{"train", "-", "--label", "y", "--json", "--set", "train.rounds=5", "-o", "s.boost"}
		want := trained(t, must(t, 0, boostWith(t, table(300), flags...))).SHA256
		r := must(t, 0, boostWith(t, table(300), append(flags, "--set", "data.out_of_core=true")...))
		if got := trained(t, r).SHA256; got != want {
			t.Errorf("model %s, want %s", got, want)
		}
		says(t, must(t, 3, boostWith(t, table(300), append(flags, "--set", "data.out_of_core=true", "--no-spool")...)).errors, "--no-spool")
		says(t, must(t, 2, boostWith(t, table(300), append(flags, "--set", "data.cache=c")...)).errors, "standard input")
	})
	t.Run("names", func(t *testing.T) {
		says(t, must(t, 2, boost(t, "train", "t.csv", "--label", "y", "--set", "data.cache=t.csv")).errors, "t.csv is read")
		says(t, must(t, 2, boost(t, "train", "t.csv", "--label", "y", "-o", "m", "--set", "data.cache=m")).errors, "data.cache")
		file(t, "c.csv", "BOOSTBIN")
		if err := os.Link("c.csv", "p.csv"); err != nil {
			t.Fatal(err)
		}
		file(t, "old.boost", "another model")
		for cache, reason := range map[string]string{"c.csv": "data.cache", "old.boost": "is a file of another kind"} {
			says(t, must(t, 2, boost(t, "train", "t.csv", "--label", "y", "--test", "t.csv", "-o", "m", "--set", "output.predictions=p.csv",
				"--set", "data.cache="+cache)).errors, cache, reason)
		}
		if b, err := os.ReadFile("old.boost"); err != nil || string(b) != "another model" {
			t.Errorf("old.boost was written over: %v", err)
		}
	})
}

// A cache whose rows are not those of the run, which its key cannot tell here, is rebuilt
// and said like any other that is out of date: it was written with another seed, by which
// other rows are held out, and its key altered, checksums and all.
func TestCacheOfOtherRows(t *testing.T) {
	inFolder(t)
	file(t, "t.csv", table(600))
	run := func(seed string, more ...string) result {
		t.Helper()
		return must(t, 0, boost(t, append([]string{"train", "t.csv", "--label", "y", "--json", "--test", "t.csv", "--set", "train.effort=quick", "--set", "train.rounds=3", "--set", "train.seed=" + seed}, more...)...))
	}
	want := trained(t, run("1")).SHA256
	cache := []string{"--set", "data.cache=c.cache"}
	run("2", cache...)
	alterCache(t, "c.cache", `"seed":2`, `"seed":1`)
	for _, words := range []string{"cache is rebuilt", "using cache"} {
		r := run("1", cache...)
		says(t, r.errors, words)
		if got := trained(t, r).SHA256; got != want {
			t.Errorf("%s: model %s, want %s", words, got, want)
		}
	}
}

// alterCache changes words of a cache's manifest to others of the same length and makes
// the checksums right: CRC32C of the section, of the table at the offset that stands at 16,
// of the length that stands at 24, and of the first 60 bytes (docs/format.md).
func alterCache(t *testing.T, name, old, altered string) {
	t.Helper()
	b := []byte(readFile(t, name))
	crc := func(b []byte) uint32 { return crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)) }
	at, size := binary.LittleEndian.Uint64(b[16:]), binary.LittleEndian.Uint64(b[24:])
	var entries []map[string]any
	if err := json.Unmarshal(b[at:at+size], &entries); err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e["name"] != "manifest" {
			continue
		}
		from, n := uint64(e["offset"].(float64)), uint64(e["length"].(float64))
		before := crc(b[from : from+n])
		if !bytes.Contains(b[from:from+n], []byte(old)) {
			t.Fatalf("no %s in the manifest", old)
		}
		copy(b[from:], bytes.Replace(b[from:from+n], []byte(old), []byte(altered), 1))
		was, is := fmt.Sprintf(`"crc32c":%d`, before), fmt.Sprintf(`"crc32c":%d`, crc(b[from:from+n]))
		table := bytes.Replace(b[at:at+size], []byte(was), []byte(is), 1)
		b = append(b[:at:at], table...)
		binary.LittleEndian.PutUint64(b[24:], uint64(len(table)))
		binary.LittleEndian.PutUint64(b[32:], uint64(len(b)))
		binary.LittleEndian.PutUint32(b[40:], crc(table))
		binary.LittleEndian.PutUint32(b[60:], crc(b[:60]))
	}
	file(t, name, string(b))
}
