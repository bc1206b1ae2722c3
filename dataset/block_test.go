package dataset_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"boost/dataset"
	"boost/internal/testenv"
)

// blockText writes a table of text, mostly in one form, with rows of other forms between.
// Its columns are three of levels, one to leave out, one of numbers and one of ids.
func blockText(r *rand.Rand, rows int, ending string, quoted float64, odd int) string {
	words := make([]string, 400)
	for i := range words {
		words[i] = strings.Repeat(string(rune('a'+i%26)), r.IntN(22)) + fmt.Sprint(i)
	}
	var b strings.Builder
	b.WriteString("s2,s20,s400,left,number,id" + ending)
	for row := range rows {
		cells := []string{words[r.IntN(2)], words[r.IntN(20)], words[r.IntN(400)], "x", fmt.Sprint(r.IntN(1000)), fmt.Sprintf("id é %d", row)}
		for i, cell := range cells {
			if r.Float64() < quoted {
				cells[i] = `"` + cell + `"`
			}
		}
		switch {
		case odd == 0 || r.IntN(odd) > 0:
		case r.IntN(5) == 0:
			cells[r.IntN(3)] = "\"with \"\"quotes\"\"\""
		case r.IntN(4) == 0:
			cells[r.IntN(3)] = "\"on two" + ending + "lines\""
		case r.IntN(3) == 0:
			cells[r.IntN(3)] = "\"a,b\""
		case r.IntN(2) == 0:
			cells[r.IntN(3)] = ""
		default:
			b.WriteString(ending)
		}
		b.WriteString(strings.Join(cells, ",") + ending)
	}
	return b.String()
}

// TestBlocksEqualEncodingCSV reads tables of all the forms that are read in blocks, and
// such as interrupt blocks, with any number of threads and size of chunk, and compares
// cells and dictionaries with those of encoding/csv.
func TestBlocksEqualEncodingCSV(t *testing.T) {
	testenv.Unraced(t)
	const rows = 6_000
	for _, form := range []struct {
		name   string
		ending string
		quoted float64
		odd    int
	}{
		{"plain", "\n", 0, 0}, {"carriage_returns", "\r\n", 0, 0}, {"quoted", "\n", 1, 0},
		{"quoted_carriage_returns", "\r\n", 1, 0}, {"some_quoted", "\n", .2, 0},
		{"rarely_odd", "\n", 0, 900}, {"quoted_rarely_odd", "\r\n", 1, 900}, {"often_odd", "\n", .5, 7},
	} {
		t.Run(form.name, func(t *testing.T) {
			text := blockText(rand.New(rand.NewPCG(9, 10)), rows, form.ending, form.quoted, form.odd)
			records, err := csv.NewReader(strings.NewReader(text)).ReadAll()
			if err != nil {
				t.Fatal(err)
			}
			for _, threads := range []int{1, 3} {
				for _, size := range []int{1 << 20, 30_000, 3_000} {
					table := mustRead(t, text, dataset.Threads(threads), dataset.ChunkSize(size), dataset.Ignore("left"),
						dataset.ID("id"), dataset.Categorical("s2", "s20", "s400"), dataset.KeepBlanks(), dataset.MissingOnly("\x02"))
					equalRecords(t, fmt.Sprintf("%d threads, chunks of %d", threads, size), table, records)
				}
			}
		})
	}
}

// equalRecords compares a table with records, of which the first is the header.
func equalRecords(t *testing.T, name string, table *dataset.Table, records [][]string) {
	t.Helper()
	if table.NumRows() != len(records)-1 {
		t.Fatalf("%s: %d rows, want %d", name, table.NumRows(), len(records)-1)
	}
	for i, header := range records[0] {
		c := table.Column(header)
		if c == nil {
			continue
		}
		var levels []string
		for row, record := range records[1:] {
			var got string
			switch c.Kind() {
			case dataset.Text:
				got = c.Text(row)
			case dataset.Category:
				got = c.Levels()[c.Codes()[row]]
				if !slices.Contains(levels, record[i]) {
					levels = append(levels, record[i])
				}
			default:
				got = dataset.FormatNumber(valueAt(c, row))
			}
			if got != record[i] {
				t.Fatalf("%s: row %d of %s is %q, want %q", name, row, header, got, record[i])
			}
		}
		if c.Kind() == dataset.Category && !slices.Equal(c.Levels(), levels) {
			t.Errorf("%s: levels of %s are not in the order of their rows", name, header)
		}
	}
}

// TestLevelsOfSkippedRows reads a table whose second level comes first in a row of a wrong
// shape, and again much later: its place is that of the later row.
func TestLevelsOfSkippedRows(t *testing.T) {
	for _, size := range []int{1 << 20, 4_000} {
		text := "s,n,t\nfirst,1,x\nskipped,1\nonly there,1,x,x\n" + strings.Repeat("usual,2,y\n", 3_000) +
			"third,3,x\nskipped,3,x\n" + strings.Repeat("usual,2,y\n", 300)
		table := mustRead(t, text, dataset.Threads(1), dataset.ChunkSize(size), dataset.SkipBadRows())
		if got, want := table.Column("s").Levels(), []string{"first", "usual", "third", "skipped"}; !slices.Equal(got, want) {
			t.Errorf("chunks of %d: levels %q, want %q", size, got, want)
		}
		if table.NumRows() != 3_303 {
			t.Errorf("chunks of %d: %d rows", size, table.NumRows())
		}
	}
}

// TestShortCells reads columns of cells that one word holds, with zeros among their bytes
// once the head is over, which makes a table no text, and such where a cell that needs two words, or more, comes first, late or now and then.
func TestShortCells(t *testing.T) {
	testenv.Unraced(t)
	const rows = 5_000
	r := rand.New(rand.NewPCG(11, 12))
	short := []string{"a", "a\x00", "a\x00\x00", "\x00", "\x00\x00\x00\x00\x00\x00\x00\x00", "1234567", "12345678", "1234567\x00", "\xff\xfe", "é"}
	for i := range 900 {
		short = append(short, fmt.Sprintf("s%d", i))
	}
	long := []string{"123456789", "12345678\x00", "1234567890123456", "123456789012345\x00", "12345678901234567", strings.Repeat("long ", 9)}
	var b strings.Builder
	b.WriteString("short,first,late,mixed,end\n")
	records := [][]string{{"short", "first", "late", "mixed", "end"}}
	for row := range rows {
		record := make([]string, 5)
		for i := range record {
			record[i] = short[r.IntN(len(short))]
			if i == 1 && row == 0 || i == 2 && row > 4_000 && r.IntN(200) == 0 || i == 3 && r.IntN(3) == 0 || i == 4 && r.IntN(400) == 0 {
				record[i] = long[r.IntN(len(long))]
			}
			if row < 3_000 {
				record[i] = strings.ReplaceAll(record[i], "\x00", "0")
			}
		}
		records = append(records, record)
		b.WriteString(strings.Join(record, ",") + "\n")
	}
	for i, record := range records {
		for k, cell := range record {
			records[i][k] = strings.ReplaceAll(cell, "\xff\xfe", "ÿþ")
		}
	}
	text := strings.ReplaceAll(b.String(), "é", "\xe9")
	for _, size := range []int{1 << 20, 30_000, 3_000} {
		table := mustRead(t, text, dataset.Threads(2), dataset.ChunkSize(size), dataset.MissingOnly("\x02"), dataset.Encoding("latin1"), dataset.KeepBlanks())
		equalRecords(t, fmt.Sprintf("chunks of %d", size), table, records)
	}
}

// TestErrorsBehindBlocks holds that lines are counted through blocks, and that cells that
// are no text and rows of a wrong shape are found among them.
func TestErrorsBehindBlocks(t *testing.T) {
	before := "s,t,u\n" + strings.Repeat("some,text,here\n", 1_000) + "two,\"lines\nhere\",x\n" + strings.Repeat("some,text,here\n", 1_000)
	after := strings.Repeat("some,text,here\n", 1_000)
	for row, want := range map[string]string{
		"a,b\n":          "t.csv:2004: 2 cells, expected 3",
		"a,b,c,d\n":      "t.csv:2004: 4 cells, expected 3",
		"a\nb,c\n":       "t.csv:2004: 1 cell, expected 3",
		"a,\"b\" b,c\n":  "t.csv:2004: text follows the closing quote",
		"a,b,c\xff\n":    "t.csv:2004: column \"u\"",
		"a,b,\"c\nd,e\n": "t.csv:2004: a quote is opened",
	} {
		_, err := read(before + row + after)
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: error %v, want %s …", row, err, want)
		}
	}
	table := mustRead(t, before+"a,5\" nail,say \"\"no\"\"\n"+after)
	if got := table.Column("t").Levels(); !slices.Equal(got, []string{"text", "lines\nhere", "5\" nail"}) {
		t.Errorf("levels %q", got)
	}
	if got := table.Column("u").Levels(); !slices.Equal(got, []string{"here", "x", "say \"\"no\"\""}) {
		t.Errorf("levels %q", got)
	}
	if _, line := table.Locate(2_001); line != 2_004 {
		t.Errorf("row 2001 is on line %d, want 2004", line)
	}
}

// TestMixedColumnOfPlacedChunks counts the cells of levels that are numbers: "7" stands in
// 95 of 100 cells of a column whose head is text.
func TestMixedColumnOfPlacedChunks(t *testing.T) {
	var b bytes.Buffer
	b.WriteString("s,t\nword,a\n")
	for row := range 9_999 {
		s := "7"
		if row%20 == 0 {
			s = "word"
		}
		fmt.Fprintf(&b, "%s,%s\n", s, "a")
	}
	for _, size := range []int{1 << 20, 5_000} {
		_, err := dataset.Read(context.Background(), bytes.NewReader(b.Bytes()), "t.csv", dataset.ChunkSize(size))
		if err == nil || !strings.Contains(err.Error(), "94.9 %") {
			t.Errorf("chunks of %d: error %v, want one that says 94.9 %%", size, err)
		}
	}
}
