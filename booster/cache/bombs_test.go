package cache

import (
	"bytes"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"boost/internal/heapsize"
	"boost/internal/testenv"
	"boost/parallel"
)

// million is a list of a million elements.
func million(element string) string {
	return "[" + strings.TrimSuffix(strings.Repeat(element+",", 1_000_000), ",") + "]"
}

// refusedWithin has a cache refused with at most twice its bytes and 16 MiB on the heap.
func refusedWithin(t *testing.T, b []byte) {
	t.Helper()
	var err error
	peak := heapsize.Peak(func() {
		var r *sectionReader
		if r, err = newSectionReader(bytes.NewReader(b), uint64(len(b))); err == nil {
			_, err = decode(r, nil)
		}
	})
	if !errors.Is(err, ErrUnusable) {
		t.Errorf("%v, want ErrUnusable", err)
	}
	if most := uint64(2*len(b) + 16<<20); peak > most {
		t.Errorf("%d bytes were refused with %d on the heap, at most %d allowed: %v", len(b), peak, most, err)
	}
}

// Everything that a cache counts, a million times: features, cells, levels, codes, sets, files, notes and sections.
func TestBombs(t *testing.T) {
	testenv.Memory(t)
	pool := parallel.NewPool(1)
	defer pool.Close()
	names, data := sectionsOf(t, smallCache(t, pool))
	with := func(section, text string) []byte {
		changed := append([][]byte(nil), data...)
		for i, name := range names {
			if name == section {
				changed[i] = []byte(text)
			}
		}
		return rewritten(t, names, changed)
	}
	of := func(section string) string {
		for i, name := range names {
			if name == section {
				return string(data[i])
			}
		}
		t.Fatalf("no section %s", section)
		return ""
	}
	column := `{"name":"","role":0,"kind":0,"regular":1%s}`
	codes := `{"key":{"train":{"options":"","files":null},"valid":null,"binning":null},"sets":[{"codes":%s}]}`
	for name, b := range map[string][]byte{
		"columns of nothing":   with("schema", million("{}")),
		"columns":              with("schema", million(fmt.Sprintf(column, ""))),
		"levels":               with("schema", "["+fmt.Sprintf(column, `,"levels":`+million(`""`))+"]"),
		"codes of levels":      with("schema", "["+fmt.Sprintf(column, `,"codes":`+million("0"))+"]"),
		"hashes":               with("schema", "["+fmt.Sprintf(column, `,"name_hashes":`+million("0"))+"]"),
		"cuts":                 with("schema", `[{"name":"","role":0,"kind":0,"regular":4294967295}]`),
		"files":                with("manifest", `{"key":{"train":{"files":`+million("{}")+`}}}`),
		"tables":               with("manifest", `{"key":{"valid":`+million("{}")+`}}`),
		"settings":             with("manifest", `{"key":{"binning":{`+strings.Repeat(`"a":0,`, 1_000_000)+`"b":0}}}`),
		"notes":                with("manifest", `{"notes":`+million(`""`)+"}"),
		"sets":                 with("manifest", `{"sets":`+million("{}")+"}"),
		"sets of codes":        with("manifest", `{"sets":`+million(`{"codes":{"rows":0,"features":[]}}`)+"}"),
		"features":             with("manifest", fmt.Sprintf(codes, `{"features":`+million("{}")+"}")),
		"features of nothing":  with("manifest", fmt.Sprintf(codes, `{"features":`+million("null")+"}")),
		"rows":                 with("manifest", fmt.Sprintf(codes, `{"rows":2000000000,"storage":"uniform","features":[{"codes":8},{"codes":4},{"codes":5},{"codes":4}]}`)),
		"cells":                with("manifest", fmt.Sprintf(codes, `{"rows":2000000000,"features":[{"codes":8,"sparse":true,"cells":2000000000},{"codes":4},{"codes":5},{"codes":4}]}`)),
		"columns of a table":   with("rest", `{"columns":`+million("{}")+"}"),
		"numbers as columns":   with("rest", `{"rows":40,"columns":[`+strings.Repeat("0,", 60_000)+`0]}`),
		"nulls as columns":     with("rest", `{"rows":40,"columns":[`+strings.Repeat("null,", 60_000)+`null]}`),
		"columns without rows": with("rest", `{"rows":0,"columns":`+million("{}")+`,"levels":`+million("null")+`,"counts":`+million("0")+"}"),
		"files of a table":     with("rest", `{"files":`+million(`""`)+"}"),
		"notes of a table":     with("rest", `{"notes":`+million(`""`)+"}"),
		"rows of a table":      with("rest", strings.Replace(of("rest"), `"rows":40`, `"rows":2000000000`, 1)),
		"runs":                 with("rest", strings.Replace(of("rest"), `"rows":40`, `"runs":2000000000,"rows":40`, 1)),
		"levels of a table":    with("rest", strings.Replace(of("rest"), `"counts":[`, `"counts":[2000000000,`, 1)),
	} {
		t.Run(name, func(t *testing.T) { refusedWithin(t, b) })
	}
	t.Run("sections", func(t *testing.T) {
		many, nothing := append([]string(nil), names...), append([][]byte(nil), data...)
		for range 100_000 {
			many, nothing = append(many, "rest"), append(nothing, nil)
		}
		nothing[len(names)-1] = []byte("{}") // the manifest
		refusedWithin(t, rewritten(t, many, nothing))
	})
}

// FuzzClaims repeats a piece in a section whose checksum is right. What is refused takes no more than twice the file and
// 16 MiB.
func FuzzClaims(f *testing.F) {
	pool := parallel.NewPool(1)
	names, data := sectionsOf(f, smallCache(f, pool))
	for i := range data {
		for _, piece := range []string{"{},", "0,", `"",`, "[],", "null,", "\x00", "\xff\xff\xff\xff"} {
			f.Add(uint8(i), uint16(len(data[i])/2), uint16(60_000), []byte(piece))
		}
	}
	f.Fuzz(func(t *testing.T, section uint8, at, times uint16, piece []byte) {
		i := int(section) % len(data)
		place := int(at) % (len(data[i]) + 1)
		piece = bytes.Repeat(piece, min(int(times), 1<<20/max(len(piece), 1)))
		changed := append([][]byte(nil), data...)
		changed[i] = append(append(bytes.Clone(data[i][:place]), piece...), data[i][place:]...)
		b := rewritten(t, names, changed)
		usable, most := false, uint64(2*len(b)+16<<20)
		open := func() {
			r, err := newSectionReader(bytes.NewReader(b), uint64(len(b)))
			if err == nil {
				_, err = decode(r, nil)
			}
			usable = err == nil
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		open()
		runtime.ReadMemStats(&after)
		if usable || after.TotalAlloc-before.TotalAlloc <= most {
			return
		}
		if peak := heapsize.Peak(open); peak > most {
			t.Fatalf("%d bytes were refused with %d on the heap, at most %d allowed", len(b), peak, most)
		}
	})
}
