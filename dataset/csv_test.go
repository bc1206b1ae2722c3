package dataset_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"boost/dataset"
	"boost/internal/testenv"
)

func read(text string, opts ...dataset.Option) (*dataset.Table, error) {
	return dataset.Read(context.Background(), strings.NewReader(text), "t.csv", opts...)
}

func mustRead(t *testing.T, text string, opts ...dataset.Option) *dataset.Table {
	t.Helper()
	table, err := read(text, opts...)
	if err != nil {
		t.Fatalf("%v", err)
	}
	return table
}

// show writes a table as one line: name:kind=cell|cell for each column.
func show(table *dataset.Table) string {
	var columns []string
	for _, c := range table.Columns() {
		columns = append(columns, showColumn(c))
	}
	return strings.Join(columns, " ")
}

func showColumn(c *dataset.Column) string {
	var s strings.Builder
	fmt.Fprintf(&s, "%s:%v=", c.Name(), c.Kind())
	for row := range c.Len() {
		if row > 0 {
			s.WriteString("|")
		}
		switch c.Kind() {
		case dataset.Category:
			if code := c.Codes()[row]; code >= 0 {
				s.WriteString(c.Levels()[code])
			}
		case dataset.Text:
			s.WriteString(c.Text(row))
		default:
			if v := valueAt(c, row); v == v {
				s.WriteString(dataset.FormatNumber(v))
			}
		}
	}
	return s.String()
}

func TestReadTexts(t *testing.T) {
	cases := []struct {
		name, text, want string
		opts             []dataset.Option
	}{
		{"plain", "a,b\n1,x\n2,y\n", "a:float32=1|2 b:category=x|y", nil},
		{"no_final_line_feed", "a,b\n1,x\n2,y", "a:float32=1|2 b:category=x|y", nil},
		{"crlf", "a,b\r\n1,x\r\n2,y\r\n", "a:float32=1|2 b:category=x|y", nil},
		{"crlf_no_final", "a,b\r\n1,x\r\n2,y\r", "a:float32=1|2 b:category=x|y", nil},
		{"byte_order_mark", "\xef\xbb\xbfa,b\n1,2\n", "a:float32=1 b:float32=2", nil},
		{"byte_order_mark_and_quotes", "\xef\xbb\xbf\"a\",\"b\"\n1,2\n", "a:float32=1 b:float32=2", nil},
		{"blank_lines", "\n\na,b\n\n1,2\n\r\n3,4\n\n", "a:float32=1|3 b:float32=2|4", nil},
		{"quotes", "a,b\n\"1\",\"x,\"\"y\"\"\n z\"\n2,w\n", "a:float32=1|2 b:category=x,\"y\"\n z|w", nil},
		{"quoted_crlf", "a,b\r\n1,\"x\r\ny\"\r\n", "a:float32=1 b:category=x\ny", nil},
		{"spaces", "a, b\n 1 , \"x\" \n 2,  NA \n", "a:float32=1|2 b:category=x|", nil},
		{"spaces_in_text", "a,b\n1, x \n2,y z \n3,\tx\n4,  x\r\n", "a:float32=1|2|3|4 b:category=x|y z|x|x", nil},
		{"spaces_in_quotes", "a,b\n1,\" x \"\n2,\"x\"\n3, \" x \" \n", "a:float32=1|2|3 b:category= x |x| x ", nil},
		{"spaces_in_and_around_quotes", "a,b\n1,\" x \"\n2, x\n3,y\n", "a:float32=1|2|3 b:category=x|x|y", nil},
		{"spaces_kept", "a,b\n1, x \n2,\" x \"\n3,x\n", "a:float32=1|2|3 b:category= x | x |x", []dataset.Option{dataset.KeepBlanks()}},
		{"spaces_of_ids", "a,b\n1, x \n2,y \n", "a:float32=1|2 b:text= x |y ", []dataset.Option{dataset.ID("b")}},
		{"only_spaces", "a,b\n1,  \n2,x\n", "a:float32=1|2 b:category=|x", nil},
		{"spaces_separate", "a b\n1 x\n2 \ty\n", "a:float32=1|2 b:category=x|y", []dataset.Option{dataset.Separator(' ')}},
		{"stray_quote", "a,b\n1,5\" pipe\n2,x\n", "a:float32=1|2 b:category=5\" pipe|x", nil},
		{"tabs", "a\tb\n1\tx y\n\t\"q\tr\"\n", "a:float32=1| b:category=x y|q\tr", nil},
		{"semicolons", "a;b\n1,5;x\n2,25;y\n", "a:float32=1.5|2.25 b:category=x|y", []dataset.Option{dataset.Decimal(',')}},
		{"decimal_comma_in_quotes", "a,b\n\"1,5\",x\n\"2,25\",y\n", "a:float32=1.5|2.25 b:category=x|y",
			[]dataset.Option{dataset.Decimal(',')}},
		{"decimal_comma_and_separator", "a,b\n\"1,5\",2\n2,4\n", "a:float32=1.5|2 b:float32=2|4",
			[]dataset.Option{dataset.Decimal(','), dataset.Separator(',')}},
		{"decimal_comma_one_column", "1,5\n2,5\n", "c1:float32=1.5|2.5", []dataset.Option{dataset.Decimal(',')}},
		{"sep_line", "sep=;\na,b;c\n1,5;x\n2,25;y\n", "a,b:float32=1.5|2.25 c:category=x|y", []dataset.Option{dataset.Decimal(',')}},
		{"sep_line_crlf", "\xef\xbb\xbfsep=|\r\na|b\r\n1|x\r\n", "a:float32=1 b:category=x", nil},
		{"sep_line_and_option", "sep=;\na,b\n1,x\n", "a:float32=1 b:category=x", []dataset.Option{dataset.Separator(',')}},
		{"no_sep_line", "sep=1\nsep=2\n", "c1:category=sep=1|sep=2", []dataset.Option{dataset.Header(false)}},
		{"skip_lines", "\ufeffa \"report\r\n\r\nsep=|\r\na|b\r\n1|x\r\n", "a:float32=1 b:category=x", []dataset.Option{dataset.SkipLines(2)}},
		{"skip_lines_without_header", "2025\n1,x\n2,y\n", "c1:float32=1|2 c2:category=x|y", []dataset.Option{dataset.SkipLines(1), dataset.Header(false)}},
		{"bars", "a|b\n1|x\n", "a:float32=1 b:category=x", nil},
		{"separator_given", "a b\n1 x\n", "a:float32=1 b:category=x", []dataset.Option{dataset.Separator(' ')}},
		{"no_header", "1,x\n2,y\n", "c1:float32=1|2 c2:category=x|y", nil},
		{"no_header_texts", "p,x,s\np,x,t\ne,x,s\n", "c1:category=p|p|e c2:category=x|x|x c3:category=s|t|s", nil},
		{"header_of_texts", "kind,color\np,red\ne,blue\n", "kind:category=p|e color:category=red|blue", nil},
		{"header_with_number", "id,2019\na,1\nb,2.5\n", "c1:category=id|a|b c2:float32=2019|1|2.5", nil},
		{"header_with_number_and_evidence", "x,2019,y\n1,1,a\n2,2.5,b\n", "x:float32=1|2 2019:float32=1|2.5 y:category=a|b", nil},
		{"header_forced", "1,2\n3,4\n", "1:float32=3 2:float32=4", []dataset.Option{dataset.Header(true)}},
		{"header_denied", "a,b\nc,d\n", "c1:category=a|c c2:category=b|d", []dataset.Option{dataset.Header(false)}},
		{"header_by_label", "y,x\nx,y\ny,y\n", "y:category=x|y x:category=y|y", []dataset.Option{dataset.Label("y")}},
		{"unnamed_column", ",x\n0,5\n1,6\n", "c1:float32=0|1 x:float32=5|6", nil},
		{"one_column", "x\n1\n2\n", "x:float32=1|2", nil},
		{"one_row", "x,y\n1,a\n", "x:float32=1 y:category=a", nil},
		{"all_missing", "x,y\n,NA\n?,null\n", "x:float32=| y:float32=|", nil},
		{"missing_tokens", "x,y\n1,None\n-999,a\n", "x:float32=1| y:category=None|a", []dataset.Option{dataset.MissingOnly("-999")}},
		{"missing_tokens_added", "x,y\n1,None\n-999,a\n-,?\n", "x:float32=1|| y:category=|a|", []dataset.Option{dataset.Missing("-999"), dataset.Missing("-", "NA")}},
		{"missing_tokens_added_to_only", "x,y\n1,None\n-999,a\n", "x:float32=1| y:category=None|", []dataset.Option{dataset.Missing("a"), dataset.MissingOnly("-999")}},
		{"missing_numbers", "x,y\n1,-1.0\n-1,2\n" + strings.Repeat("3,4\n", 20), "x:float32=1|" + strings.Repeat("|3", 20) + " y:float32=|2" + strings.Repeat("|4", 20),
			[]dataset.Option{dataset.MissingOnly("", "-1")}},
		{"missing_number_levels", "x\na\n-1\n", "x:category=a|", []dataset.Option{dataset.MissingOnly("", "-1")}},
		{"booleans", "x\ntrue\nFALSE\nTrue\n", "x:float32=1|0|1", nil},
		{"boolean levels", "x\ntrue\nFALSE\nTrue\n0\n", "x:category=1|0|1|0", []dataset.Option{dataset.Categorical("x")}},
		{"date levels", "x\n1970-01-02\n1970-01-02T05:00+05\n1970-01-01 00:00:00.250\n", "x:category=86400|86400|0.25", []dataset.Option{dataset.Categorical("x")}},
		{"text among dates", "x\n1970-01-02\ntrue\nsoon\n", "x:category=1970-01-02|true|soon", []dataset.Option{dataset.Categorical("x")}},
		{"dates", "x\n1970-01-02\n1970-01-01T00:00:01Z\n", "x:float32=86400|1", nil},
		{"float64", "x\n1\n0.1\n", "x:float64=1|0.1", nil},
		{"extremes", "x,y\n1e308,5e-324\n-inf,Infinity\n-0,1e-45\n", "x:float64=1e+308|-inf|0 y:float64=5e-324|inf|1e-45", nil},
		{"float32_extremes", "x\n3.4028234663852886e38\n-inf\n1.401298464324817e-45\n", "x:float32=3.4028234663852886e+38|-inf|1.401298464324817e-45", nil},
		{"numeric_levels", "x\n1\n01\n1.0\n2\n1e0\n-0\n", "x:category=1|1|1|2|1|0", []dataset.Option{dataset.Categorical("x")}},
		{"text_levels", "x\n1\n01\nb\n", "x:category=1|01|b", []dataset.Option{dataset.Categorical("x")}},
		{"ids_stay_text", "x,id\n1, 007 \n2,NA\n", "x:float32=1|2 id:text= 007 |NA", []dataset.Option{dataset.ID("id")}},
		{"ignored", "x,junk,y\n1,\"a\nb\",2\n3,\xff,4\n", "x:float32=1|3 y:float32=2|4", []dataset.Option{dataset.Ignore("junk")}},
		{"latin1", "n,x\nM\xfcller,1\ncaf\xe9,2\n", "n:category=Müller|café x:float32=1|2", []dataset.Option{dataset.Encoding("latin1")}},
		{"cp1252", "n\xe9,x\n\x80uro,1\n\x93q\x94,2\n", "né:category=€uro|“q” x:float32=1|2", []dataset.Option{dataset.Encoding("cp1252")}},
		{"latin1_repeated", "n,x\n\xfc,1\n\xfc,2\na,3\n\xfc,4\n", "n:category=ü|ü|a|ü x:float32=1|2|3|4", []dataset.Option{dataset.Encoding("latin1")}},
		{"below_90_percent", "x\n" + strings.Repeat("1\n", 8) + "a\nb\n", "x:category=1|1|1|1|1|1|1|1|a|b", nil},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			for _, size := range []int{1 << 20, 16, 1} { // 1: chunks of one record
				table := mustRead(t, c.text, append(slices.Clone(c.opts), dataset.ChunkSize(size))...)
				if got := show(table); got != c.want {
					t.Errorf("chunks of %d bytes:\ngot  %q\nwant %q", size, got, c.want)
				}
			}
		})
	}
}

func TestReadErrors(t *testing.T) {
	in := func(rows int, odd ...string) string {
		return "x,y\n" + strings.Repeat("1,2\n", rows) + strings.Join(odd, "\n") + "\n"
	}
	label := dataset.Label("y")
	cases := []struct {
		name, text, want string
		opts             []dataset.Option
	}{
		{"empty", "", "t.csv is empty", nil},
		{"blank", "\n \n\r\n", "t.csv is empty", nil},
		{"header_only", "x,y\n", "t.csv has no rows", nil},
		{"too_few", in(2, "3"), `t.csv:4: 1 cell, expected 2 as in the header (quote cells that contain the separator, or set on_bad_row = "skip" to leave such rows out)`, nil},
		{"sep_line_counts", "sep=;\nx;y\n1;2\n3\n", `t.csv:4: 1 cell, expected 2 as in the header (quote cells that contain the separator, or set on_bad_row = "skip" to leave such rows out)`, nil},
		{"too_many", in(2, `3,"a,b",5,6`), `t.csv:4: 4 cells, expected 2 as in the header (quote cells that contain the separator, or set on_bad_row = "skip" to leave such rows out)`, nil},
		{"no_header_ragged", "1,2\n3,4\n5\n", `t.csv:3: 1 cell, expected 2 as in the first row (quote cells that contain the separator, or set on_bad_row = "skip" to leave such rows out)`, nil},
		{"open_quote", in(2, `3,"4`, "5,6"), `t.csv:4: a quote is opened in this record and never closed (double the quotes that are part of the text, or remove it)`, nil},
		{"open_quote_skip", in(2, `3,"4`, "5,6"), `t.csv:4: a quote is opened in this record and never closed (double the quotes that are part of the text, or remove it)`,
			[]dataset.Option{dataset.SkipBadRows()}},
		{"after_quote", in(2, `3,"4"5`, "5,6"), `t.csv:4: text follows the closing quote of a cell (double the quotes that are part of the text, or set on_bad_row = "skip" to leave such rows out)`, nil},
		{"mixed", in(28, "forty,5", "fifty,6"), `t.csv:30: column "x": "forty" is not a number, as 93.3 % of the column's cells are; nor is "fifty" in line 31 (set categorical = ["x"] to use the column as text, add "forty", "fifty" to missing = […] if they mean no value, or set on_bad_row = "skip" to leave such rows out)`, nil},
		{"mixed_exactly_90", in(9, "forty,5"), `t.csv:11: column "x": "forty" is not a number, as 90 % of the column's cells are (set categorical = ["x"] to use the column as text, add "forty" to missing = […] if it means no value, or set on_bad_row = "skip" to leave such rows out)`, nil},
		{"missing_label", in(2, "1,"), `t.csv:4: column "y": the cell has no value, expected a label, and every row needs one (fill it in, or set on_bad_row = "skip" to leave such rows out)`, []dataset.Option{label}},
		{"weight", in(2, "1,heavy"), `t.csv:4: column "y": "heavy" is not a number, and a weight has to be one`, []dataset.Option{dataset.Weight("y")}},
		{"event", in(2, "1,yes"), `t.csv:4: column "y": "yes" is not an event: 1 if it came at the row's time, 0 if the row is censored`, []dataset.Option{dataset.Event("y")}},
		{"upper", in(2, "1,later"), `t.csv:4: column "y": "later" is not a number, and a time has to be one`, []dataset.Option{dataset.LabelUpper("y")}},
		{"position", in(2, "1,top"), `t.csv:4: column "y": "top" is not a number, and a position has to be one`, []dataset.Option{dataset.Position("y")}},
		{"not_utf8", "x,y\n1,a\n2,M\xfcller\n", `t.csv:3: column "y": "M\xfcller" is not UTF-8 text (set encoding = "latin1" or "cp1252" if the file is written in one of them)`, nil},
		{"not_utf8_id", "x,y\n1,a\n2,M\xfcller\n", `t.csv:3: column "y": "M\xfcller" is not UTF-8 text (set encoding = "latin1" or "cp1252" if the file is written in one of them)`, []dataset.Option{dataset.ID("y")}},
		{"not_utf8_header", "x,\xfc\n1,a\n", `t.csv:1: the name of column 2 is not UTF-8 text (set encoding = "latin1" or "cp1252" if the file is written in one of them)`, nil},
		{"repeated", "x,y,x\n1,2,3\n", `t.csv: column "x" stands in the table twice, as columns 1 and 3; rename one`, nil},
		{"absent", "x,y\n1,2\n", `t.csv: the table has no column "z", which is named as label; its columns are "x", "y"`, []dataset.Option{dataset.Label("z")}},
		{"case", "x,Y\n1,2\n", `t.csv: the table has no column "y", which is named as label (did you mean "Y"?); its columns are "x", "Y"`, []dataset.Option{label}},
		{"title", "my table\nx,y\n1,2\n", `t.csv:2: 2 cells, expected 1 as in the header (set skip_lines = 1 if line 2 has the names of the columns)`, nil},
		{"title_of_cells", "my table, 2025\n\n\"of\nx\",y\n1,2\n3,4\n5\n", `t.csv:7: 1 cell, expected 2 as in the header (quote cells that contain the separator, or set on_bad_row = "skip" to leave such rows out)`,
			[]dataset.Option{dataset.SkipLines(2)}},
		{"title_of_other_cells", "my table, 2025\n\nx,y,z\n1,2,3\n4,5,6\n", `t.csv:3: 3 cells, expected 2 as in the first row (set skip_lines = 2 if line 3 has the names of the columns)`, nil},
		{"commas_of_text", "name,city\nSmith, John,Paris\nDoe, Ann,Rome\n", `t.csv:2: 3 cells, expected 2 as in the header (quote cells that contain the separator, or set on_bad_row = "skip" to leave such rows out)`, nil},
		{"no_title", "x\n1,2\n3,4\n", `t.csv:2: 2 cells, expected 1 as in the header (delete all that stands above the names of the columns, or set separator if that is another one)`, nil},
		{"skip_all_lines", "x,y\n1,2", "t.csv has not more than the 2 lines that skip_lines leaves out", []dataset.Option{dataset.SkipLines(2)}},
		{"skip_all_but_nothing", "x,y\n1,2\n", "t.csv is empty", []dataset.Option{dataset.SkipLines(2)}},
		{"skip_too_few_lines", "x,y\n", "skip_lines = -1: a number from 0 on is expected", []dataset.Option{dataset.SkipLines(-1)}},
		{"not_utf8_header_below", "a\nx,\xfc\n1,a\n", `t.csv:2: the name of column 2 is not UTF-8 text (set encoding = "latin1" or "cp1252" if the file is written in one of them)`, []dataset.Option{dataset.SkipLines(1)}},
		{"title_and_label", "my table\nx,y\n1,2\n", `t.csv: the table has no column "y", which is named as label; its only column is "my table"; line 2 of t.csv looks like the names of the columns (set skip_lines = 1 to leave out what stands above it)`, []dataset.Option{label}},
		{"rare_separator_and_label", "x^y\n1^2\n", `t.csv: the table has no column "y", which is named as label; its only column is "x^y" (name what stands between the cells by data.separator; tr -s ' ' , < FILE makes one comma of several blanks)`, []dataset.Option{label}},
		{"separator_and_label", "x y\n1  2\n", `t.csv: the table has no column "y", which is named as label; its only column is "x y" (name what stands between the cells by data.separator; tr -s ' ' , < FILE makes one comma of several blanks)`, []dataset.Option{label}},
		{"no_header_and_label", "1,2\n3,4\n", `t.csv: the table has no column "y", which is named as label; its columns are "c1", "c2"; t.csv has no header line: its columns are called c1 to c2`, []dataset.Option{label}},
		{"array", "[\n  {\"x\": 1}\n]\n", `t.csv is a JSON array; jq -c '.[]' t.csv writes it as JSON lines`, nil},
		{"utf16", "\xff\xfex\x00,\x00", `t.csv is UTF-16 text; iconv -f UTF-16 -t UTF-8 t.csv > t.csv.utf8 writes it as UTF-8`, nil},
		{"parquet", "PAR1\x00\x00", `t.csv is too short for a Parquet file`, nil},
		{"binary", "x,y\n\x00\x01,2\n", `t.csv is not a text file (contains NUL bytes)`, nil},
		{"lines_of_old", "x,y\r1,2\r3,4\r", `t.csv ends its lines with a carriage return alone; write them with a line feed (tr '\r' '\n')`, nil},
		{"bad_cell_before_bad_shape", in(2, "1,heavy", "3"), `t.csv:4: column "y": "heavy" is not a number, and a weight has to be one
t.csv:5: 1 cell, expected 2 as in the header (quote cells that contain the separator, or set on_bad_row = "skip" to leave such rows out)`, []dataset.Option{dataset.Weight("y")}},
		{"bad_shape_before_bad_cell", in(2, "3", "1,heavy"), `t.csv:4: 1 cell, expected 2 as in the header (quote cells that contain the separator, or set on_bad_row = "skip" to leave such rows out)
t.csv:5: column "y": "heavy" is not a number, and a weight has to be one`, []dataset.Option{dataset.Weight("y")}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			for _, size := range []int{1 << 20, 16, 1} {
				_, err := read(c.text, append(slices.Clone(c.opts), dataset.ChunkSize(size))...)
				if !errors.Is(err, dataset.ErrTable) {
					t.Fatalf("error %v does not wrap ErrTable", err)
				}
				if err.Error() != c.want {
					t.Errorf("chunks of %d bytes:\ngot  %s\nwant %s", size, err, c.want)
				}
			}
		})
	}
}

func TestParseErrorFields(t *testing.T) {
	_, err := read("x,y\n1,\"a\nb\"\n2,c\n3,\n", dataset.Label("y"), dataset.Weight("x"), dataset.MissingOnly("", "c"))
	var e *dataset.ParseError
	if !errors.As(err, &e) {
		t.Fatalf("%v is no ParseError", err)
	}
	if e.File != "t.csv" || e.Line != 4 || e.Column != "y" || e.Value != "" {
		t.Errorf("got %+v", e)
	}
}

// messyTable has everything that chunking could disturb: quoted line breaks,
// doubled quotes, blank lines, late text, late float64, many levels.
func messyTable(rows int) string {
	var s strings.Builder
	s.WriteString("num,late,wide,cat,\"quoted\nname\",date\n")
	for i := range rows {
		late := fmt.Sprint(i)
		if i >= rows/2 {
			late = fmt.Sprintf("t%d", i%7)
		}
		wide := "0.5"
		if i == rows-2 {
			wide = "0.1"
		}
		quoted := fmt.Sprintf("\"line %d\nof \"\"%d\"\", \r\nend\"", i%5, i)
		if i%3 == 0 {
			quoted = "NA"
		}
		fmt.Fprintf(&s, "%d,%s,%s,c%d,%s,2024-01-%02d\n", i, late, wide, i*i%11, quoted, i%28+1)
		if i%10 == 9 {
			s.WriteString("\r\n")
		}
	}
	return s.String()
}

func TestChunkingDoesNotMatter(t *testing.T) {
	text := messyTable(300)
	want := mustRead(t, text)
	for _, size := range []int{1, 7, 64, 1000, 4096} {
		for _, threads := range []int{1, 2, 5} {
			got := mustRead(t, text, dataset.ChunkSize(size), dataset.Threads(threads))
			if show(got) != show(want) {
				t.Fatalf("chunks of %d bytes, %d threads: the table differs", size, threads)
			}
			for i, c := range got.Columns() {
				if !slices.Equal(c.Levels(), want.Columns()[i].Levels()) {
					t.Errorf("chunks of %d bytes, %d threads: levels of %q differ", size, threads, c.Name())
				}
			}
			for row := range got.NumRows() {
				_, line := got.Locate(row)
				_, wantLine := want.Locate(row)
				if line != wantLine {
					t.Fatalf("chunks of %d bytes: row %d on line %d, want %d", size, row, line, wantLine)
				}
			}
		}
	}
	// Lines of the first rows, by hand: the header has 2, rows 1 and 2 of each three have 3.
	for row, line := range []int{3, 4, 7, 10, 11} {
		if _, got := want.Locate(row); got != line {
			t.Errorf("row %d on line %d, want %d", row, got, line)
		}
	}
}

func TestLateTextIsReadAgain(t *testing.T) {
	text := "x,y\n" + strings.Repeat("1,2\n", 5000) + strings.Repeat("a,3\n", 5000)
	table := mustRead(t, text, dataset.ChunkSize(4096))
	x := table.Column("x")
	if x.Kind() != dataset.Category || !slices.Equal(x.Levels(), []string{"1", "a"}) || x.Codes()[4999] != 0 || x.Codes()[5000] != 1 {
		t.Errorf("x is %v with levels %q", x.Kind(), x.Levels())
	}
	if y := table.Column("y"); y.Kind() != dataset.Float32 {
		t.Errorf("y is %v", y.Kind())
	}
	_, err := read(text, dataset.ChunkSize(4096), dataset.NoSpool())
	want := `column "x" of t.csv looked like numbers until cells that are text came, and no copy was kept to read it again (set categorical = ["x"], leave out --no-spool, or read from a file)`
	if err == nil || err.Error() != want {
		t.Errorf("without a copy:\ngot  %v\nwant %s", err, want)
	}
	if _, err := read(text, dataset.NoSpool(), dataset.Categorical("x")); err != nil {
		t.Errorf("without a copy, categorical given: %v", err)
	}
}

func TestNoSpoolFileIsLeft(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	mustRead(t, "x\n1\n2\n")
	left, err := os.ReadDir(dir)
	if err != nil || len(left) > 0 {
		t.Errorf("%v left in the temporary folder (%v)", left, err)
	}
}

// Tables that are read with a schema keep rows without a label, for predictions, unless it is asked to leave them out too.
func TestSkipUnlabelled(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "t.csv")
	if err := os.WriteFile(path, []byte("x,y\n1,2\n2,\n3,4\nnone,5\nbad,6\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	schema := dataset.Schema{Columns: []dataset.ColumnSchema{{Name: "x", Kind: dataset.Float64}, {Name: "y", Role: dataset.LabelRole, Kind: dataset.Float64}}}
	for _, c := range []struct {
		rows, skipped int
		opts          []dataset.Option
	}{
		{4, 1, []dataset.Option{dataset.SkipBadRows()}},
		{3, 2, []dataset.Option{dataset.SkipBadRows(), dataset.SkipUnlabelled()}},
	} {
		opts := append(c.opts, dataset.As(schema), dataset.Missing("none"))
		table, err := dataset.Open(t.Context(), path, opts...)
		if err != nil {
			t.Fatal(err)
		}
		if table.NumRows() != c.rows || table.Skipped() != c.skipped {
			t.Errorf("%d rows, %d skipped, want %d and %d", table.NumRows(), table.Skipped(), c.rows, c.skipped)
		}
		if c.rows == 4 {
			continue // rows in chunks are to train on
		}
		chunked, err := dataset.OpenChunked(t.Context(), []string{path}, opts...)
		if err != nil {
			t.Fatal(err)
		}
		defer chunked.Close()
		if rows := chunked.MetaColumns().NumRows(); rows != c.rows {
			t.Errorf("%d rows in chunks, want %d", rows, c.rows)
		}
	}
	table, err := dataset.Open(t.Context(), path, dataset.SkipUnlabelled(), dataset.As(schema), dataset.Missing("none", "bad"))
	if err != nil || table.NumRows() != 5 {
		t.Errorf("without SkipBadRows: %v, %v", table, err)
	}
}

func TestSkipBadRows(t *testing.T) {
	skip := dataset.SkipBadRows()
	t.Run("shapes", func(t *testing.T) {
		table := mustRead(t, "x,y\n1,a\n2\n3,b,c\n4,\"d\"e\n5,f\n", skip)
		if got, want := show(table), "x:float32=1|5 y:category=a|f"; got != want || table.Skipped() != 3 {
			t.Errorf("got %s with %d skipped, want %s with 3", got, table.Skipped(), want)
		}
		if _, line := table.Locate(1); line != 6 {
			t.Errorf("row 1 on line %d, want 6", line)
		}
		want := `3 bad rows skipped; the first: t.csv:3: 1 cell, expected 2 as in the header`
		if got := table.Notes(); !slices.Equal(got, []string{want}) {
			t.Errorf("notes %q", got)
		}
	})
	t.Run("labels", func(t *testing.T) {
		table := mustRead(t, "x,y\nq,1\nr,\nq,3\n", skip, dataset.Label("y"))
		if got, want := show(table), "x:category=q|q y:float32=1|3"; got != want || table.Skipped() != 1 {
			t.Errorf("got %s with %d skipped, want %s", got, table.Skipped(), want)
		}
		if got := table.Column("x").Levels(); !slices.Equal(got, []string{"q"}) {
			t.Errorf("levels %q, want those of the rows that are left", got)
		}
		if _, line := table.Locate(1); line != 4 {
			t.Errorf("row 1 on line %d, want 4", line)
		}
	})
	t.Run("mixed_columns", func(t *testing.T) {
		text := "x,y\n" + strings.Repeat("1,2\n", 20) + "oops,0.1\n3,4\n"
		table := mustRead(t, text, skip)
		if table.NumRows() != 21 || table.Skipped() != 1 || table.Column("x").Missing() != 0 {
			t.Errorf("%d rows, %d skipped", table.NumRows(), table.Skipped())
		}
		if got := table.Column("y").Kind(); got != dataset.Float32 {
			t.Errorf("y is %v: the only value that needs more is in a row that is left out", got)
		}
		if got := table.Notes(); len(got) != 1 || !strings.Contains(got[0], `t.csv:22: column "x": "oops" is not a number`) {
			t.Errorf("notes %q", got)
		}
	})
	t.Run("encoding", func(t *testing.T) {
		table := mustRead(t, "x,id\na\xff,1\nb,\xff\nc,3\n", skip, dataset.ID("id"))
		if got, want := show(table), "x:category=c id:text=3"; got != want || table.Skipped() != 2 {
			t.Errorf("got %s with %d skipped, want %s", got, table.Skipped(), want)
		}
	})
	t.Run("nothing_left", func(t *testing.T) {
		if _, err := read("x,y\n1\n2\n", skip); err == nil || err.Error() != "t.csv has no rows" {
			t.Errorf("%v", err)
		}
	})
	t.Run("chunks", func(t *testing.T) {
		text := strings.ReplaceAll(messyTable(200), "100,", "100")
		want := mustRead(t, text, skip)
		for _, size := range []int{1, 50, 999} {
			got := mustRead(t, text, skip, dataset.ChunkSize(size))
			if show(got) != show(want) || !slices.Equal(got.Notes(), want.Notes()) || got.Skipped() != want.Skipped() {
				t.Errorf("chunks of %d bytes differ: %q %q", size, got.Notes(), want.Notes())
			}
		}
	})
}

func TestLenientTypes(t *testing.T) {
	text := "x\n" + strings.Repeat("1\n", 99) + "odd\n"
	table := mustRead(t, text, dataset.LenientTypes(), dataset.ChunkSize(50))
	if c := table.Column("x"); c.Kind() != dataset.Category || len(c.Levels()) != 2 {
		t.Errorf("x is %v with levels %q", c.Kind(), c.Levels())
	}
	mixed := table.Mixed()
	if len(mixed) != 1 || mixed[0].Column != "x" || mixed[0].Value != "odd" || mixed[0].Line != 101 {
		t.Errorf("mixed columns %v", mixed)
	}
}

func TestDropTextLike(t *testing.T) {
	var s strings.Builder
	s.WriteString("name,kind,code,y\n")
	for i := range 101 {
		fmt.Fprintf(&s, "n%d,k%d,%d,%d\n", i%60, i%50, i, i)
	}
	table := mustRead(t, s.String(), dataset.DropTextLike(), dataset.Label("y"))
	if table.Column("name") != nil || table.Column("kind") == nil || table.Column("code") == nil {
		t.Errorf("columns %s", show(table)[:60])
	}
	want := `column "name" is ignored: 60 of its 101 texts are distinct (set categorical = ["name"] to use it)`
	if got := table.Notes(); !slices.Equal(got, []string{want}) {
		t.Errorf("notes %q", got)
	}
	if table := mustRead(t, s.String(), dataset.DropTextLike(), dataset.Categorical("name")); table.Column("name") == nil {
		t.Error("a column named as categorical was dropped")
	}
	short := strings.Join(strings.SplitAfter(s.String(), "\n")[:101], "")
	if table := mustRead(t, short, dataset.DropTextLike()); table.NumRows() != 100 || table.Column("name") == nil {
		t.Error("a column of 100 rows was dropped")
	}
}

// Whole numbers that float64 rounds are read, and said once; quantities and numbers that it
// holds are not spoken of.
func TestLargeWholeNumbers(t *testing.T) {
	text := "huge,fits,ratio,far,gaps\n9007199254740993,9007199254740991,9007199254740993.5,1e300,\n" +
		"9007199254740995,1,0.5,-1e300,-18014398509481987\n1,2,3,4,5\n"
	want := []string{`whole numbers from 2⁵³ on in columns "huge", "gaps" are read as the nearest 64-bit floats, so that different ones may become equal; the first stands in column "huge" of t.csv:2 (name the column in id or categorical if they are names)`}
	table := mustRead(t, text)
	if got := table.Notes(); !slices.Equal(got, want) {
		t.Errorf("notes %q, want %q", got, want)
	}
	// 2⁵³+1 lies halfway between 2⁵³ and 2⁵³+2 and rounds to even.
	if got := table.Column("huge").Float64s(); !slices.Equal(got, []float64{1 << 53, 1<<53 + 4, 1}) {
		t.Errorf("huge is read as %v", got)
	}
	if got := mustRead(t, text, dataset.As(table.Schema())).Notes(); len(got) != 0 {
		t.Errorf("a table read with a schema says %q", got)
	}
	if got := mustRead(t, text, dataset.Categorical("huge", "gaps")).Notes(); len(got) != 0 {
		t.Errorf("categories are spoken of: %q", got)
	}
}

// Numbers that are exact in float32 once they are rounded are spoken of like others, with
// the place of the first, whatever the table was read from and how.
func TestLargeRounded(t *testing.T) {
	text := "a,b\n1,x\n2,y\n9007199254740993,z\n1152921504606846977,z\n"
	want := `whole numbers from 2⁵³ on in column "a" are read as the nearest 64-bit floats, so that different ones may become equal; the first stands in column "a" of t.csv:4 (name the column in id or categorical if they are names)`
	for _, size := range []int{1, 1 << 20} {
		table := mustRead(t, text, dataset.ChunkSize(size))
		if got := table.Notes(); table.Column("a").Kind() != dataset.Float32 || !slices.Equal(got, []string{want}) {
			t.Errorf("in chunks of %d: notes %q, want %q", size, got, want)
		}
		scan := must(dataset.ReadChunked(context.Background(), strings.NewReader(text), "t.csv", dataset.ChunkSize(size)))(t)
		if got := scan.MetaColumns().Notes(); !slices.Equal(got, []string{want}) {
			t.Errorf("out of core, in chunks of %d: notes %q, want %q", size, got, want)
		}
		scan.Close()
	}
	svm := mustRead(t, "1 1:1\n0 2:9007199254740993\n0\n0\n", dataset.Format("libsvm")).Notes()
	if want := `column "f2" of t.csv:2`; !strings.Contains(strings.Join(svm, " "), want) {
		t.Errorf("notes %q, want %q in them", svm, want)
	}
}

func TestNotes(t *testing.T) {
	table := mustRead(t, "1970-01-01,1\n1970-01-02,2\n")
	want := []string{
		"t.csv has no header line: its columns are called c1 to c2",
		`dates in column "c1" are read as seconds since 1970-01-01 UTC`,
	}
	if got := table.Notes(); !slices.Equal(got, want) {
		t.Errorf("notes %q, want %q", got, want)
	}
	table = mustRead(t, "x\n1\n\n2\n")
	want = []string{`1 blank line of t.csv skipped; in a table of one column a missing value is written as "" or NA`}
	if got := table.Notes(); !slices.Equal(got, want) || table.NumRows() != 2 {
		t.Errorf("notes %q, want %q", got, want)
	}
	// Text that decimal = "," would make numbers of; thousands, codes and words are none.
	table = mustRead(t, "a;b;c;d;e;f\n1,5;2;1,000;1,2,3;1,2;\n-3,25;+0,5;2,500;3;x;\n")
	want = []string{`text in columns "a", "b" looks like numbers with a decimal comma: --set data.decimal=, reads it so`,
		`no row has a value in column "f", which training cannot use`,
		`column "c" is used as text, and can be read in two ways: "1,000" is 1000 with --set 'data.parse={c="1,234.5"}', and 1 with --set 'data.parse={c="1.234,5"}'`}
	if got := table.Notes(); !slices.Equal(got, want) {
		t.Errorf("notes %q, want %q", got, want)
	}
	if got := mustRead(t, "a;b\n1,5;x\n", dataset.Decimal(',')).Notes(); got != nil {
		t.Errorf("notes %q, want none", got)
	}
}

func writeFile(t testing.TB, name string, text []byte) string {
	t.Helper()
	if err := os.WriteFile(name, text, 0o644); err != nil {
		t.Fatal(err)
	}
	return name
}

func zipped(text string) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	z.Write([]byte(text))
	z.Close()
	return b.Bytes()
}

func TestFiles(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	open := func(paths ...string) (*dataset.Table, error) { return dataset.OpenAll(context.Background(), paths) }
	writeFile(t, in("b.csv"), []byte("x,y\n3,c\n"))
	writeFile(t, in("a.csv"), []byte("\xef\xbb\xbfx,y\r\n1,a\r\n\r\n2,b"))
	writeFile(t, in("c.csv.gz"), zipped("x,y\n4,0\n"))
	writeFile(t, in("d.csv"), []byte("x,y\n"))
	t.Run("several", func(t *testing.T) {
		table, err := open(in("?.csv*"), in("b.csv"))
		if err != nil {
			t.Fatal(err)
		}
		if got, want := show(table), "x:float32=1|2|3|4 y:category=a|b|c|0"; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		for row, want := range []string{"a.csv:2", "a.csv:4", "b.csv:2", "c.csv.gz:2"} {
			file, line := table.Locate(row)
			if got := fmt.Sprintf("%s:%d", filepath.Base(file), line); got != want {
				t.Errorf("row %d is at %s, want %s", row, got, want)
			}
		}
	})
	writeFile(t, in("other.csv"), []byte("x,z\n1,2\n"))
	writeFile(t, in("wide.csv"), []byte("x,y,z\n1,2,3\n"))
	writeFile(t, in("narrow.csv"), []byte("x\n1\n"))
	writeFile(t, in("turned.csv"), []byte("y,x\n1,2\n"))
	writeFile(t, in("empty.csv"), nil)
	writeFile(t, in("cut.csv.gz"), zipped(messyTable(1000))[:2000])
	flipped := zipped("x,y\n1,2\n")
	flipped[len(flipped)-5] ^= 1
	writeFile(t, in("flipped.csv.gz"), flipped)
	// Columns have the places of the first file, whose numbers a later file makes text.
	t.Run("other_order", func(t *testing.T) {
		writeFile(t, in("text.csv"), []byte("y,x\n8,w\n"))
		for other, want := range map[string]string{
			"turned.csv": "x:float32=1|2|2 y:category=a|b|1",
			"text.csv":   "x:category=1|2|w y:category=a|b|8",
		} {
			table, err := open(in("a.csv"), in(other))
			if err != nil {
				t.Fatal(err)
			}
			if got := show(table); got != want {
				t.Errorf("%s: got %s, want %s", other, got, want)
			}
		}
	})
	for _, c := range []struct {
		name  string
		paths []string
		want  string
	}{
		{"absent", []string{in("none.csv")}, in("none.csv") + " cannot be read: no such file or directory"},
		{"directory", []string{dir}, dir + " is a directory; name a file, or several by a pattern such as " + in("*.csv")},
		{"no_match", []string{in("*.tsv")}, "no file matches " + in("*.tsv")},
		{"empty", []string{in("empty.csv")}, in("empty.csv") + " is empty"},
		{"header", []string{in("a.csv"), in("other.csv")},
			in("other.csv") + ` has column "z" where ` + in("a.csv") + ` has column "y"; files that are read as one need the same columns`},
		{"width", []string{in("a.csv"), in("wide.csv")}, in("wide.csv") + " has column \"z\", which " + in("a.csv") + " lacks; files that are read as one need the same columns"},
		{"lacking", []string{in("a.csv"), in("narrow.csv")}, in("narrow.csv") + " lacks column \"y\", which " + in("a.csv") + " has; files that are read as one need the same columns"},
		{"one_empty", []string{in("a.csv"), in("empty.csv")}, in("empty.csv") + " is empty"},
		{"cut_off", []string{in("cut.csv.gz")}, in("cut.csv.gz") + " is cut off: its gzip data ends too early: unexpected EOF"},
		{"damaged", []string{in("flipped.csv.gz")}, in("flipped.csv.gz") + " is damaged: gzip: invalid checksum"},
		{"stdin_and_file", []string{in("a.csv"), "-"}, "standard input (-) cannot be joined with files"},
		{"nothing", nil, "a table needs the name of a file"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := open(c.paths...)
			if !errors.Is(err, dataset.ErrTable) || err.Error() != c.want {
				t.Errorf("got  %v\nwant %s", err, c.want)
			}
		})
	}
	t.Run("unreadable", func(t *testing.T) {
		name := writeFile(t, in("locked.csv"), []byte("x\n1\n"))
		if err := os.Chmod(name, 0); err != nil {
			t.Fatal(err)
		}
		if f, err := os.Open(name); err == nil {
			f.Close()
			t.Skip("this user may read every file")
		}
		if _, err := open(name); !errors.Is(err, dataset.ErrTable) || !errors.Is(err, os.ErrPermission) {
			t.Errorf("%v", err)
		}
	})
	t.Run("late_text_in_gzip", func(t *testing.T) {
		text := "x\n" + strings.Repeat("1\n", 70000) + strings.Repeat("a\n", 70000)
		name := writeFile(t, in("late.csv.gz"), zipped(text))
		table, err := dataset.Open(context.Background(), name, dataset.ChunkSize(1000))
		if err != nil {
			t.Fatal(err)
		}
		if c := table.Column("x"); c.Kind() != dataset.Category || c.Len() != 140000 || c.Codes()[139999] != 1 {
			t.Errorf("x is %v of %d rows", c.Kind(), c.Len())
		}
	})
}

// A file that has a header only takes no buffer from those that follow.
func TestFilesWithoutRows(t *testing.T) {
	dir := t.TempDir()
	names := []string{writeFile(t, filepath.Join(dir, "rows.csv"), []byte("a,b\n1,2\n"))}
	for i := range 5 {
		names = append(names, writeFile(t, filepath.Join(dir, fmt.Sprintf("empty-%d.csv", i)), []byte("a,b\n")))
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	table, err := dataset.OpenAll(ctx, names, dataset.Threads(1))
	if err != nil {
		t.Fatal(err)
	}
	if got := show(table); got != "a:float32=1 b:float32=2" {
		t.Errorf("got %s", got)
	}
}

func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := dataset.Read(ctx, strings.NewReader(messyTable(1000)), "t.csv", dataset.ChunkSize(100))
	if !errors.Is(err, context.Canceled) || errors.Is(err, dataset.ErrTable) {
		t.Errorf("got %v, want the context's error alone", err)
	}
}

func TestHostileShapes(t *testing.T) {
	testenv.Unraced(t)
	t.Run("many_levels", func(t *testing.T) {
		var s strings.Builder
		s.WriteString("x\n")
		for i := range 100_000 {
			fmt.Fprintf(&s, "level%d\n", i)
		}
		c := mustRead(t, s.String()).Column("x")
		if len(c.Levels()) != 100_000 || c.Levels()[99_999] != "level99999" || c.Codes()[99_999] != 99_999 {
			t.Errorf("%d levels", len(c.Levels()))
		}
	})
	t.Run("many_columns", func(t *testing.T) {
		const width = 30_000 // a header longer than the first look at a file
		names, row := make([]string, width), make([]string, width)
		for i := range width {
			names[i], row[i] = fmt.Sprintf("column_%d", i), fmt.Sprint(i)
		}
		table := mustRead(t, strings.Join(names, ",")+"\n"+strings.Join(row, ",")+"\n")
		if len(table.Columns()) != width || table.Column("column_29999").Float32s()[0] != 29999 {
			t.Errorf("%d columns", len(table.Columns()))
		}
	})
	t.Run("long_record", func(t *testing.T) {
		long := strings.Repeat("word, \n", 50_000)
		table := mustRead(t, "a,b\n1,\""+long+"\"\n2,x\n", dataset.ChunkSize(1000))
		if got := table.Column("b").Levels()[0]; got != long {
			t.Errorf("%d bytes, want %d", len(got), len(long))
		}
		if _, line := table.Locate(1); line != 50_003 {
			t.Errorf("row 1 on line %d", line)
		}
	})
	t.Run("blank_lines_under_many_columns", func(t *testing.T) {
		// Room for a row per line would be 4 GB.
		names := make([]string, 10_000)
		for i := range names {
			names[i] = fmt.Sprintf("x%d", i)
		}
		_, err := read(strings.Join(names, ",") + "\n" + strings.Repeat("\n", 100_000))
		if err == nil || err.Error() != "t.csv has no rows" {
			t.Errorf("%v", err)
		}
	})
	t.Run("negative_zero", func(t *testing.T) {
		x := mustRead(t, "x\n-0\n0\n").Column("x").Float32s()
		if !math.Signbit(float64(x[0])) || math.Signbit(float64(x[1])) {
			t.Errorf("%v", x)
		}
	})
	t.Run("long_cell_in_message", func(t *testing.T) {
		_, err := read("x\n"+strings.Repeat("1\n", 50)+strings.Repeat("é", 1000)+"\n", nil...)
		if err == nil || len(err.Error()) > 400 || !strings.Contains(err.Error(), "é…") {
			t.Errorf("%v", err)
		}
	})
}

// A file that a pattern finds again is read once; one that is named twice, or has two names, is refused, as its rows would count twice.
func TestFileNamedTwice(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("a.csv", []byte("x,y\n1,2\n3,4\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	for _, paths := range [][]string{{"a.csv", "*.csv"}, {"*.csv", "./a.csv"}, {"*.csv", "a.*"}} {
		table, err := dataset.OpenAll(ctx, paths)
		if err != nil {
			t.Fatal(err)
		}
		if table.NumRows() != 2 {
			t.Errorf("%v: %d rows, want 2", paths, table.NumRows())
		}
	}
	for _, paths := range [][]string{{"a.csv", "a.csv"}, {"./a.csv", "a.csv"}, {"*.csv", "a.csv", "a.csv"}} {
		want := strings.Join(paths[len(paths)-2:], " and ") + " are one file: leave one of them out"
		if _, err := dataset.OpenAll(ctx, paths); err == nil || err.Error() != want {
			t.Errorf("%v: %v, want %q", paths, err, want)
		}
		if table, err := dataset.OpenAll(ctx, paths, dataset.InOrder()); err != nil || table.NumRows() != 2*len(paths) {
			t.Errorf("%v in order: %v", paths, err)
		}
	}
	if err := os.Link("a.csv", "b.csv"); err != nil {
		t.Fatal(err)
	}
	want := "a.csv and b.csv are one file: leave one of them out"
	if _, err := dataset.OpenAll(ctx, []string{"*.csv"}); err == nil || err.Error() != want {
		t.Errorf("%v, want %q", err, want)
	}
}
