package dataset_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
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
	}
	f.Fuzz(func(t *testing.T, text []byte, size uint8) {
		if len(text) > 10_000 {
			return
		}
		ctx := context.Background()
		table, err := dataset.Read(ctx, bytes.NewReader(text), "t.csv", dataset.Threads(1))
		small, smallErr := dataset.Read(ctx, bytes.NewReader(text), "t.csv", dataset.Threads(2), dataset.ChunkSize(int(size)+1))
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
		if _, err := dataset.Read(ctx, bytes.NewReader(text), "t.csv", dataset.SkipBadRows(), dataset.LenientTypes()); err != nil && !errors.Is(err, dataset.ErrTable) {
			t.Fatalf("%v does not wrap ErrTable", err)
		}
		compareWithEncodingCSV(t, text)
	})
}

// compareWithEncodingCSV reads text as ids, the form in which every cell is kept.
func compareWithEncodingCSV(t *testing.T, text []byte) {
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
		dataset.Separator(','), dataset.Header(true), dataset.ID(names...), dataset.Encoding("latin1"))
	if err != nil {
		for _, magic := range []string{"is a zstd", "is a zip", "is a Parquet", "is an Arrow", "is a bzip2", "is an xz", "is UTF-16", "is cut off", "cannot be read"} {
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
