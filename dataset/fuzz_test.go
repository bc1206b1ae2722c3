package dataset_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"boost/dataset"
)

// FuzzRead reads any bytes: never a panic, only table errors, the same table for
// every chunk size, and the cells of encoding/csv where that accepts the text.
func FuzzRead(f *testing.F) {
	for _, seed := range []string{
		"a,b\n1,x\n2,y\n", "a;b\r\n1;\"x\r\n\"\"y\"\r\n", "x\n1\n\n2", "\"a\",b\n\"1,2\",\"\"\n", "1\t2\n3\t4", "a|b\n\"",
		"\xef\xbb\xbfa,b\n\xff,1\n", "a,b\n5\",1\n", "x,y\n1\n2,3,4\n", "d,t\n2024-01-01,true\n2024-01-02T00:00:00Z,false\n",
		"x,y\n1e308,-0\n1e-320,inf\n", "a, \"b\"\n1 , \"2\" \n",
	} {
		f.Add([]byte(seed), uint8(3))
		f.Add(gzipText(f, seed), uint8(3))
		f.Add(zstdText(f, seed), uint8(3))
	}
	f.Fuzz(func(t *testing.T, text []byte, size uint8) {
		if len(text) > 10_000 {
			return
		}
		ctx := context.Background()
		table, err := dataset.Read(ctx, bytes.NewReader(text), "t.csv", dataset.Threads(1), dataset.Format("csv"))
		small, smallErr := dataset.Read(ctx, bytes.NewReader(text), "t.csv", dataset.Threads(2), dataset.ChunkSize(int(size)+1), dataset.Format("csv"))
		if err != nil {
			if !errors.Is(err, dataset.ErrTable) {
				t.Fatalf("%v does not wrap ErrTable", err)
			}
			if smallErr == nil || smallErr.Error() != err.Error() {
				t.Fatalf("in small chunks the error is\n%v, not\n%v", smallErr, err)
			}
		} else if smallErr != nil || show(small) != show(table) {
			t.Fatalf("in small chunks the table is another (%v)", smallErr)
		}
		if _, err := dataset.Read(ctx, bytes.NewReader(text), "t.csv", dataset.SkipBadRows(), dataset.LenientTypes(), dataset.Format("csv")); err != nil && !errors.Is(err, dataset.ErrTable) {
			t.Fatalf("%v does not wrap ErrTable", err)
		}
		compareWithEncodingCSV(t, text)
	})
}

// compareWithEncodingCSV reads text as ids, the form in which every cell is kept.
func compareWithEncodingCSV(t *testing.T, text []byte) {
	if len(bytes.TrimSpace(text)) == 0 {
		return // blanks of any kind are an empty table here
	}
	if bytes.HasPrefix(text, []byte("\x28\xb5\x2f\xfd")) || bytes.HasPrefix(text, []byte("\x1f\x8b")) {
		return // what zstd or gzip make of it is read, whatever it is as text
	}
	r := csv.NewReader(bytes.NewReader(text))
	records, err := r.ReadAll()
	if err != nil || len(records) < 2 || bytes.ContainsAny(text, "\x00") || strings.HasPrefix(string(text), "\xef\xbb\xbf") {
		return
	}
	names := make([]string, 0, len(records[0]))
	seen := make(map[string]bool)
	for _, name := range records[0] {
		name = strings.Trim(name, " \t")
		if name == "" || seen[name] {
			return
		}
		seen[name] = true
		names = append(names, name)
	}
	table, err := dataset.Read(context.Background(), bytes.NewReader(text), "t.csv",
		dataset.Separator(','), dataset.Header(true), dataset.ID(names...), dataset.Encoding("latin1"), dataset.Format("csv"))
	if err != nil {
		for _, magic := range []string{"is a zstd", "is a zip", "is a Parquet", "is an Arrow", "is a bzip2", "is an xz", "is UTF-16", "is cut off", "is damaged", "asks for more", "cannot be read"} {
			if strings.Contains(err.Error(), magic) {
				return
			}
		}
		// Names that only differ in bytes that are one letter in latin1 cannot occur;
		// names that are not ASCII are called differently there.
		if strings.Contains(err.Error(), "the table has no column") {
			return
		}
		t.Fatalf("encoding/csv accepts what is refused here: %v", err)
	}
	if table.NumRows() != len(records)-1 {
		t.Fatalf("%d rows, encoding/csv has %d", table.NumRows(), len(records)-1)
	}
	for row, record := range records[1:] {
		for i, cell := range record {
			want := latin1(cell)
			if got := table.Columns()[i].Text(row); got != want {
				t.Fatalf("row %d column %d is %q, encoding/csv has %q", row, i, got, want)
			}
		}
	}
}

func latin1(s string) string {
	runes := make([]rune, len(s))
	for i := range len(s) {
		runes[i] = rune(s[i])
	}
	return string(runes)
}

// FuzzLibSVM reads any bytes as LibSVM text: never a panic, only table errors, the same
// table for every chunk size, and where plain splitting and strconv understand the text
// the cells that they find.
func FuzzLibSVM(f *testing.F) {
	for _, seed := range []string{
		"1 1:2 3:4\n0 2:0.5\n", "1 0:1\n", "+1 qid:3 1:1e-3 # x\r\n\r\n-1 qid:3 2:nan\n", "\xef\xbb\xbf1 1:1", "1,2 1:1\n",
		"1 3:1 2:1 1:0\n", "1 1:1 1:2\n", "1\t1:1\n# c\n", "1 1:inf 2:-Infinity\n", "0.1 1:0.30000000000000004 2:1e308\n",
		"1 1:12345678 12345678:1\n", "1 1:\n", "1 :1\n", "1 qid:1 1:1\n1 1:1\n", "1 1:-0 2:1e-320\n", "? 1:1\n",
		"1 1:1 2:2 3:3 4:4 5:5 6:6 7:7 8:8 9:9 10:10\n0 1:0.5 2:0.25 3:0.125 4:0.1 5:0.2 6:0.3 7:0.4 8:0.5 9:0.6 10:0.7\n1 1:1 2:2 3:3 4:4 5:5 6:6\n",
	} {
		f.Add([]byte(seed), uint8(5), false)
		f.Add([]byte(seed), uint8(70), true)
	}
	f.Fuzz(func(t *testing.T, text []byte, size uint8, missing bool) {
		if len(text) > 10_000 {
			return
		}
		want, widest, known := plainSVM(string(text), missing)
		if widest > 5_000 {
			return // tables that wide take their time
		}
		opts := []dataset.Option{dataset.Format("libsvm"), dataset.Threads(2)}
		if missing {
			opts = append(opts, dataset.Absent("missing"))
		}
		ctx := context.Background()
		table, err := dataset.Read(ctx, bytes.NewReader(text), "t.svm", opts...)
		small, smallErr := dataset.Read(ctx, bytes.NewReader(text), "t.svm", append(opts, dataset.ChunkSize(int(size)+1))...)
		if err != nil {
			if !errors.Is(err, dataset.ErrTable) {
				t.Fatalf("%v does not wrap ErrTable", err)
			}
			if smallErr == nil || smallErr.Error() != err.Error() {
				t.Fatalf("in small chunks the error is\n%v, not\n%v", smallErr, err)
			}
			if known {
				t.Fatalf("plain splitting accepts what is refused here: %v", err)
			}
		} else if smallErr != nil || show(small) != show(table) {
			t.Fatalf("in small chunks the table is another (%v)", smallErr)
		} else if known {
			compareWithPlainSVM(t, table, want)
		}
		skipping := append(opts, dataset.SkipBadRows())
		if _, err := dataset.Read(ctx, bytes.NewReader(text), "t.svm", skipping...); err != nil && !errors.Is(err, dataset.ErrTable) {
			t.Fatalf("%v does not wrap ErrTable", err)
		}
	})
}

// plainSVM reads rows of column name → value, the simplest way. known is false for text
// that it does not vouch for; widest is the largest number that may be an index.
func plainSVM(text string, missing bool) (rows []map[string]float64, widest float64, known bool) {
	known = true
	for _, r := range text {
		if r > 126 || r < 32 && r != '\n' && r != '\r' && r != '\t' {
			known = false
		}
	}
	for _, token := range strings.FieldsFunc(text, func(r rune) bool { return !('0' <= r && r <= '9') }) {
		if v, err := strconv.ParseFloat(token, 64); err == nil && strings.Contains(text, token+":") {
			widest = max(widest, v)
		}
	}
	for line := range strings.SplitSeq(text, "\n") {
		line, _, _ = strings.Cut(line, "#")
		fields := strings.Fields(line)
		if len(fields) == 0 {
			continue
		}
		row, seen := make(map[string]float64), make(map[string]bool)
		for i, field := range fields {
			name, value := "label", field
			if i > 0 {
				index, text, _ := strings.Cut(field, ":")
				n, err := strconv.Atoi(index)
				known = known && err == nil && strconv.Itoa(n) == index && n >= 0
				name, value = "f"+index, text
			}
			v, err := strconv.ParseFloat(value, 64)
			plain := strings.Trim(value, "0123456789.eE+-") == ""
			if err != nil || seen[name] || !plain {
				known = false
			}
			seen[name] = true
			if v != 0 || missing || i == 0 {
				row[name] = v
			}
		}
		rows = append(rows, row)
	}
	return rows, widest, known && len(rows) > 0
}

func compareWithPlainSVM(t *testing.T, table *dataset.Table, rows []map[string]float64) {
	if table.NumRows() != len(rows) {
		t.Fatalf("%d rows, want %d", table.NumRows(), len(rows))
	}
	cells := 0
	for _, c := range table.Columns() {
		for row, want := range rows {
			v, stored := want[c.Name()]
			var got float64
			if c.Kind() == dataset.Float32 {
				got = float64(c.Float32s()[row])
			} else {
				got = c.Float64s()[row]
			}
			if stored && got != v || !stored && got == got && got != 0 {
				t.Fatalf("row %d column %s is %v, want %v (%v)", row, c.Name(), got, v, stored)
			}
			if stored {
				cells++
			}
		}
	}
	for _, row := range rows {
		cells -= len(row)
	}
	if cells != 0 {
		t.Fatalf("%d cells more than in the text", cells)
	}
}

// FuzzSideFiles lays any bytes beside a table of three rows, as weights, queries or
// init scores: never a panic, only table errors, and what is taken is what plain
// splitting and strconv find.
func FuzzSideFiles(f *testing.F) {
	for _, seed := range []string{"1\n2\n3\n", "1\r\n2.5\r\n0", "3\n", "1\n0\n2\n\n\n", "1 2\n3 4\n5 6\n", "1,2\n3\t4\n5,6\n", "", "\n1\n2\n3\n", "x\n", "nan\n1\n1\n", "-1\n4\n", "1e400\n1\n1\n", "2147483647\n2147483647\n", "0\n0\n0\n3\n"} {
		for kind := range uint8(3) {
			f.Add([]byte(seed), kind)
		}
	}
	folder := f.TempDir()
	file := writeFile(f, filepath.Join(folder, "t.csv"), []byte("y,x\n1,2\n0,3\n1,5\n"))
	f.Fuzz(func(t *testing.T, text []byte, kind uint8) {
		suffix := []string{".weight", ".query", ".init"}[kind%3]
		beside := writeFile(t, file+suffix, text)
		table, err := dataset.Open(context.Background(), file, dataset.Label("y"), dataset.Threads(1))
		if err := os.Remove(beside); err != nil {
			t.Fatal(err)
		}
		if err != nil {
			if !errors.Is(err, dataset.ErrTable) || strings.Contains(err.Error(), "runtime error") {
				t.Fatalf("%v", err)
			}
			return
		}
		var cells [][]float64
		for line := range strings.Lines(strings.TrimRight(string(text), " \t\r\n,")) {
			var row []float64
			for _, cell := range strings.FieldsFunc(line, func(c rune) bool { return strings.ContainsRune(" \t,\r\n", c) }) {
				v, err := strconv.ParseFloat(cell, 64)
				if err != nil && !errors.Is(err, strconv.ErrRange) {
					return // another word for a number or for no value
				}
				row = append(row, v)
			}
			cells = append(cells, row)
		}
		if suffix == ".query" {
			var queries [][]float64
			for i, row := range cells {
				for range int(row[0]) {
					queries = append(queries, []float64{float64(i)})
				}
			}
			cells = queries
		}
		if len(cells) != table.NumRows() {
			t.Fatalf("%d lines for %d rows are taken", len(cells), table.NumRows())
		}
		names := map[string]string{".weight": "weight", ".query": "qid", ".init": "init_score"}
		for i := range cells[0] {
			name := names[suffix]
			if len(cells[0]) > 1 {
				name += strconv.Itoa(i + 1)
			}
			for row := range cells {
				c := table.Column(name)
				got, want := numberOf(c, row), cells[row][i]
				if suffix != ".query" {
					if got != want && !(math.IsNaN(got) && math.IsNaN(want)) {
						t.Fatalf("%s, row %d: %v, want %v", name, row, got, want)
					}
				} else if row > 0 && (got == numberOf(c, row-1)) != (want == cells[row-1][0]) {
					t.Fatalf("rows %d and %d: queries %v and %v", row-1, row, numberOf(c, row-1), got)
				}
			}
		}
	})
}

func numberOf(c *dataset.Column, row int) float64 {
	if c.Kind() == dataset.Float32 {
		return float64(c.Float32s()[row])
	}
	return c.Float64s()[row]
}
