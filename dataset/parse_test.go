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
	"sync/atomic"
	"testing"

	"boost/dataset"
	"boost/dataset/write"
	"boost/parallel"
)

// messy is a table of numbers in disguise; plainly is the same table as it is meant.
const (
	messy = "income,rate,weight,share,born,seen,y\n" +
		"\"$1,200.50\",12 %,80 kg,\"12,5\",31.12.2024,12/31/2024,1\n" +
		"$950,7.5%,-3 kg,\"1.234,25\",1.2.1970,1/2/1970 06:00,2\n" +
		",NA,?,,NA,,3\n" +
		"($12),100 %,7.25kg,-3,2.1.1970,1/13/1970,4\n"
	// 2024-12-31 is day 20088; times are seconds.
	plainly = "income,rate,weight,share,born,seen,y\n" +
		"1200.5,12,80,12.5,1735603200,1735603200,1\n" +
		"950,7.5,-3,1234.25,2678400,108000,2\n" +
		",NA,?,,NA,,3\n" +
		"-12,100,7.25,-3,86400,1036800,4\n"
)

// forms are those of the messy table.
var forms = map[string]string{"income": "1,234.5 $", "rate": "1,234.5 %", "weight": "1,234.5 kg", "share": "1.234,5", "born": "dd/mm/yyyy", "seen": "mm/dd/yyyy"}

func TestParse(t *testing.T) {
	plain := mustRead(t, plainly, dataset.Label("y"))
	want := cells(plain)
	pool := parallel.NewPool(2)
	defer pool.Close()
	numbers := map[string]string{"income": "number", "rate": "number", "weight": "number", "share": "number", "born": "date", "seen": "date"}
	for name, how := range map[string]map[string]string{"auto": {"": "auto"}, "named": numbers, "forms": forms} {
		options := []dataset.Option{dataset.Parse(how), dataset.Label("y")}
		check := func(from string, table *dataset.Table) {
			t.Helper()
			if got := cells(table); got != want {
				t.Errorf("%s, %s:\n got %s\nwant %s", name, from, got, want)
			}
			if got, want := table.Fingerprint(pool), plain.Fingerprint(pool); got != want {
				t.Errorf("%s, %s: fingerprint %s, want that of the plain numbers, %s", name, from, got, want)
			}
			for _, c := range table.Schema().Columns {
				if c.Written != forms[c.Name] {
					t.Errorf("%s, %s: column %q is written %q, want %q", name, from, c.Name, c.Written, forms[c.Name])
				}
			}
		}
		trained := mustRead(t, messy, options...)
		check("csv", trained)
		for size := 1; size < len(messy); size += 23 {
			check("chunks", mustRead(t, messy, append(options, dataset.ChunkSize(size), dataset.Threads(2))...))
		}
		// What a model remembers reads the table without a word, also part by part; and the plain table of money too.
		as := []dataset.Option{dataset.As(trained.Schema())}
		check("as the model", mustRead(t, messy, as...))
		check("packed", mustRead(t, packed(t, messy), as...))
		check("several files", several(t, messy, options...))
		check("several files as the model", several(t, messy, as...))
		check("again in memory", must(mustRead(t, messy, append(options, dataset.Label("y"))...).As(trained.Schema()))(t))
	}
}

func packed(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// several reads a table from one file for each row.
func several(t *testing.T, text string, opts ...dataset.Option) *dataset.Table {
	t.Helper()
	dir := t.TempDir()
	lines := strings.SplitAfter(text, "\n")
	for i, line := range lines[1 : len(lines)-1] {
		if err := os.WriteFile(filepath.Join(dir, string(rune('a'+i))+".csv"), []byte(lines[0]+line), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return must(dataset.Open(context.Background(), filepath.Join(dir, "*.csv"), append(opts, dataset.Header(true))...))(t)
}

// cells are the values of a table's columns.
func cells(t *dataset.Table) string {
	var s strings.Builder
	for _, c := range t.Columns() {
		s.WriteString(c.Name() + "=")
		switch c.Kind() {
		case dataset.Float32:
			for _, v := range c.Float32s() {
				s.WriteString(dataset.FormatNumber(float64(v)) + " ")
			}
		case dataset.Float64:
			for _, v := range c.Float64s() {
				s.WriteString(dataset.FormatNumber(v) + " ")
			}
		default:
			s.WriteString(c.Kind().String())
		}
	}
	return s.String()
}

// The text of Parquet and Arrow files is read as that of a CSV file. Numbers in them are money without its sign, but
// not shares, because a stored 0.12 may mean 0.12 or 12 percent.
func TestParseColumnar(t *testing.T) {
	ctx := context.Background()
	text := mustRead(t, messy, dataset.Categorical("income", "rate", "weight", "share", "born", "seen"))
	trained := mustRead(t, messy, dataset.Parse(map[string]string{"": "auto"}), dataset.Label("y"))
	plain := mustRead(t, plainly, dataset.Label("y"))
	for _, format := range []string{"parquet", "arrow"} {
		var texts, numbers []write.Column
		for _, c := range text.Columns() {
			if c.Kind() == dataset.Category {
				words, values := make([]string, 4), make([]float64, 4)
				for i, code := range c.Codes() {
					if values[i] = math.NaN(); code >= 0 {
						words[i], values[i] = c.Levels()[code], float64(i)
					}
				}
				texts = append(texts, write.Column{Name: c.Name(), Texts: words})
				numbers = append(numbers, write.Column{Name: c.Name(), Floats: values, Stride: 1})
			}
		}
		one := func(columns []write.Column) string {
			var b bytes.Buffer
			if err := write.All(ctx, &b, format, []write.Table{{Rows: 4, Columns: columns}}); err != nil {
				t.Fatal(err)
			}
			return b.String()
		}
		want, _, _ := strings.Cut(cells(plain), "y=")
		for name, o := range map[string]dataset.Option{"auto": dataset.Parse(map[string]string{"": "auto"}), "forms": dataset.Parse(forms), "model": dataset.As(trained.Schema())} {
			if got := cells(mustRead(t, one(texts), o)); got != want {
				t.Errorf("%s, %s:\n got %s\nwant %s", format, name, got, want)
			}
		}
		for i, c := range numbers {
			columns := slices.Clone(texts)
			columns[i] = c
			_, err := dataset.Read(ctx, strings.NewReader(one(columns)), "t", dataset.As(trained.Schema()))
			if bare := c.Name == "income" || c.Name == "share"; bare != (err == nil) || !bare && !strings.Contains(err.Error(), "holds plain numbers") {
				t.Errorf("%s, numbers in %s: %v", format, c.Name, err)
			}
		}
	}
}

func TestParseErrors(t *testing.T) {
	for _, c := range []struct {
		text, how, want string
	}{
		{"a,y\n\"88,923\",1\n", "number", `column "a" can be read in two ways: "88,923" is 88923 with --set 'data.parse={a="1,234.5"}', and 88.923 with --set 'data.parse={a="1.234,5"}'`},
		{"a,y\n1/2/2024,1\n", "date", `column "a" can be read in two ways: "1/2/2024" is mm/dd/yyyy with --set 'data.parse={a="mm/dd/yyyy"}', and dd/mm/yyyy with --set 'data.parse={a="dd/mm/yyyy"}'`},
		{"a,y\n$5,1\nabout 5,2\n", "number", `t.csv:3: column "a": "about 5" is not a number written as the cells before it are (add "about 5" to missing = […] if it means no value, or set parse = {"a" = "text"})`},
		{"a,y\nold,1\n$5,2\n", "number", `t.csv:2: column "a": "old" is not a number in a form that is known (`},
		{"a,y\n$5,1\n€5,2\n", "number", `t.csv:3: column "a": "€5" is not a number written`},
		{"a,y\n$5,1\n", "date", `t.csv:2: column "a": "$5" is not a date`},
		{"a,y\n20240131,1\n", "date", `column "a"`},
		{"a,y\n$5,1\n7 kg,2\n", "1,234.5 $", `t.csv:3: column "a": "7 kg" is not written as "1,234.5 $" (add "7 kg" to missing`},
		{"a,y\n$5,1\n", "dollars", `"dollars" is no way to write numbers`},
	} {
		_, err := dataset.Read(context.Background(), strings.NewReader(c.text), "t.csv", dataset.Label("y"), dataset.Parse(map[string]string{"a": c.how}), dataset.Header(true))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q as %s:\n got %v\nwant %s", c.text, c.how, err, c.want)
		}
	}
	_, err := dataset.Read(context.Background(), strings.NewReader("a,y\n1,2\n"), "t.csv", dataset.Parse(map[string]string{"b": "number"}))
	if err == nil || !strings.Contains(err.Error(), `"b"`) {
		t.Errorf("an absent column: %v", err)
	}
	for _, o := range []dataset.Option{dataset.ID("a"), dataset.Group("a"), dataset.Categorical("a")} {
		_, err := dataset.Read(context.Background(), strings.NewReader("a,y\n1,2\n"), "t.csv", o, dataset.Parse(map[string]string{"a": "number"}))
		if err == nil || !strings.Contains(err.Error(), `column "a" is named in parse`) {
			t.Errorf("another role: %v", err)
		}
	}
}

// A table that is written in another way than that of the model is refused with the flag that reads it, and a
// number without its unit is no number with it.
func TestParseAnotherWay(t *testing.T) {
	schema := mustRead(t, messy, dataset.Parse(map[string]string{"": "auto"}), dataset.Label("y")).Schema()
	row := func(column, cell string) string {
		values := map[string]string{"income": "$1", "rate": "1 %", "weight": "1 kg", "share": "1", "born": "1.1.2000", "seen": "1/1/2000"}
		values[column] = `"` + cell + `"`
		return "income,rate,weight,share,born,seen\n" + strings.Join([]string{values["income"], values["rate"], values["weight"], values["share"], values["born"], values["seen"]}, ",") + "\n"
	}
	for _, c := range []struct{ column, cell, want string }{
		{"income", "€ 1.200,50", `"€ 1.200,50" is not written as "1,234.5 $", as in the table of the model (give --set 'data.parse={income="1.234,5 €"}' if the table is written so)`},
		{"rate", "0.12", `"0.12" is not written as "1,234.5 %", as in the table of the model (give --set 'data.parse={rate="1,234.5"}' if "0.12" means 0.12 %)`},
		{"weight", "12 lb", `"12 lb" is not written as "1,234.5 kg"`},
		{"share", "1,234.5", `"1,234.5" is not written as "1.234,5"`},
		{"born", "12/31/2000", `(give --set 'data.parse={born="mm/dd/yyyy"}' if the table is written so)`},
		{"seen", "31.12.2000", `(give --set 'data.parse={seen="dd/mm/yyyy"}' if the table is written so)`},
		{"seen", "soon", `(add "soon" to missing = […] if it means no value)`},
	} {
		_, err := dataset.Read(context.Background(), strings.NewReader(row(c.column, c.cell)), "t.csv", dataset.As(schema))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %s:\n got %v\nwant %s", c.column, c.cell, err, c.want)
		}
	}
	// A form that is asked for is not the model's, and no other one is advised.
	_, err := dataset.Read(context.Background(), strings.NewReader(row("share", "40%")), "t.csv", dataset.As(schema), dataset.Parse(map[string]string{"share": "1234.5"}))
	if want := `"40%" is not written as "1234.5" (write all cells of the column in one way)`; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v\nwant %s", err, want)
	}
	for column, cell := range map[string]string{"income": "1200.50", "seen": "2024-12-31", "born": "2024-12-31T05:00"} {
		mustRead(t, row(column, cell), dataset.As(schema))
	}
	// What is given stands above what is remembered.
	table := mustRead(t, row("rate", "0.12"), dataset.As(schema), dataset.Parse(map[string]string{"rate": "1234.5"}))
	if got := table.Column("rate").Float64s()[0]; got != 0.12 {
		t.Errorf("rate is %v", got)
	}
	if _, err := dataset.FromColumns([]dataset.ColumnData{{Name: "a", Values: []string{"$1,200", "$3"}}}, dataset.Parse(map[string]string{"a": "number"})); err != nil {
		t.Error(err)
	}
}

// Numbers in disguise that are left as text are named with what reads them.
func TestParseNotes(t *testing.T) {
	table := mustRead(t, messy, dataset.Label("y"), dataset.Parse(map[string]string{"born": "text"}))
	want := []string{
		`columns "income" (1,234.5 $), "rate" (1,234.5 %), "weight" (1,234.5 kg), "share" (1.234,5), "seen" (mm/dd/yyyy) hold numbers or dates and are used as text: --set 'data.parse={income="number", rate="number", seen="date", share="number", weight="number"}' reads them`,
	}
	got := table.Notes()
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	_, err := dataset.Read(context.Background(), strings.NewReader("a,y\n"+strings.Repeat("9,1\n", 40)+"\"1,007\",1\n"), "t.csv")
	if err == nil || !strings.Contains(err.Error(), `give --set 'data.parse={a="1,234.5"}' or --set 'data.parse={a="1.234,5"}' to read numbers written so`) {
		t.Errorf("few thousands: %v", err)
	}
	_, err = dataset.Read(context.Background(), strings.NewReader("a,y\n"+strings.Repeat("9,1\n", 40)+"\"$1,007\",1\n"), "t.csv")
	if err == nil || !strings.Contains(err.Error(), `give --set 'data.parse={a="number"}' to read numbers written so`) {
		t.Errorf("some money: %v", err)
	}
	_, err = dataset.Read(context.Background(), strings.NewReader("a,y\n"+strings.Repeat("9,1\n", 40)+"9 %,1\n"), "t.csv")
	if err == nil || strings.Contains(err.Error(), "parse") {
		t.Errorf("percent among numbers: %v", err)
	}
	money := mustRead(t, "a,y\n"+strings.Repeat("9,1\n", 40)+"\"$1,007\",1\n", dataset.Parse(map[string]string{"a": "number"}))
	if got := money.Column("a").Float32s()[40]; got != 1007 {
		t.Errorf("money among numbers is %v", got)
	}
}

// Out of core the same forms are found, with the same notes.
func TestParseChunked(t *testing.T) {
	var s strings.Builder
	s.WriteString("money,late,y\n")
	for i := range 3000 {
		late := "12"
		if i > 2500 {
			late = `"1,234.5"`
		}
		s.WriteString([]string{`"$1,200.50"`, "$7", "NA"}[i%3] + "," + late + "," + []string{"1", "2"}[i%2] + "\n")
	}
	file := filepath.Join(t.TempDir(), "t.csv")
	if err := os.WriteFile(file, []byte(s.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, how := range []string{"auto", "number"} {
		parse := map[string]string{"": how}
		if how == "number" {
			parse = map[string]string{"money": how, "late": how}
		}
		opts := []dataset.Option{dataset.Label("y"), dataset.Parse(parse), dataset.ChunkSize(997)}
		whole := must(dataset.Open(context.Background(), file, opts...))(t)
		chunked := must(dataset.OpenChunked(context.Background(), []string{file}, opts...))(t)
		defer chunked.Close()
		if got, want := strings.Join(chunked.MetaColumns().Notes(), "\n"), strings.Join(whole.Notes(), "\n"); got != want {
			t.Errorf("notes %q, want %q", got, want)
		}
		for i, c := range chunked.Schema().Columns {
			if w := whole.Schema().Columns[i]; c.Kind != w.Kind || c.Written != w.Written {
				t.Errorf("column %v, want %v", c, w)
			}
		}
		var rows atomic.Int64 // parts come from several goroutines
		err := chunked.Chunks(context.Background(), func(first int, part *dataset.Table) error {
			rows.Add(int64(part.NumRows()))
			return nil
		})
		if err != nil || rows.Load() != 3000 {
			t.Errorf("%d rows: %v", rows.Load(), err)
		}
		pool := parallel.NewPool(1)
		if got, want := chunked.Fingerprint(), whole.Fingerprint(pool); got != want {
			t.Errorf("fingerprint %s, want %s", got, want)
		}
		pool.Close()
		stream := must(dataset.OpenStream(context.Background(), []string{file}, dataset.As(whole.Schema())))(t)
		defer stream.Close()
		err = stream.Each(context.Background(), func(part *dataset.Table) (func() error, error) { return nil, nil })
		if err != nil || stream.NumRows() != 3000 {
			t.Errorf("stream of %d rows: %v", stream.NumRows(), err)
		}
	}
}

// Columns of numbers or dates that no form reads are named, with what to do.
func TestUnreadableNumbers(t *testing.T) {
	text := "money,day,size,y\n"
	for i := range 12 {
		size := fmt.Sprint(i, " kg")
		if i == 7 {
			size = "big"
		}
		text += fmt.Sprintf("%s%d,%02d-Jan-24,%s,%d\n", []string{"$", "€"}[i%2], i, i+1, size, i)
	}
	table, err := dataset.Read(context.Background(), strings.NewReader(text), "t.csv", dataset.Label("y"))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		`column "money" holds numbers or dates written in several ways, like "$0" and "€1", and is used as text: write them in one way`,
		`column "day" holds dates with years of two digits, like "01-Jan-24", and is used as text: write years with four digits`,
		`column "size" is used as text, because "big" is not written as its other texts are (1234.5 kg): add "big" to missing = […] if it means no value, and --set 'data.parse={size="number"}' reads the others`,
	}
	if got := table.Notes(); !slices.Equal(got, want) {
		t.Errorf("notes %q, want %q", got, want)
	}
	_, err = dataset.Read(context.Background(), strings.NewReader(text), "t.csv", dataset.Label("y"), dataset.Parse(map[string]string{"day": dataset.ParseDate}))
	if want := `t.csv:2: column "day": "01-Jan-24" is not a date in a form that is known (write years with four digits, or set parse = {"day" = "text"})`; fmt.Sprint(err) != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

// The form of a column follows from all cells, also where those of some chunks are plain numbers and were read as such.
func TestParsePlainBeside(t *testing.T) {
	rows := func(cells ...string) string { return "y,x\n" + strings.Join(cells, "\n") + "\n" }
	for name, c := range map[string]struct {
		text, how, format, want string
	}{
		// 20 of 23 cells are numbers: text.
		"text between": {rows(append(slices.Repeat([]string{"1,2", "2,3"}, 9), "1,z0", "1,z1", "1,z2", "1,7", "2,8")...), "auto", "csv", "20"},
		"no dates":     {strings.Repeat(`{"y":1,"x":7}`+"\n", 3), "date", "jsonl", `t.csv:1: column "x": "7" is not a date in a form that is known`},
		"no numbers": {strings.Repeat(`{"y":1,"x":1.5}`+"\n", 30) + `{"y":1,"x":"1.234,5"}` + "\n", "number", "jsonl",
			`t.csv:31: column "x": "1.234,5" is not a number written as the cells before it are`},
	} {
		for _, size := range []int{16, 40, 100, 1 << 20} {
			table, err := read(c.text, dataset.Parse(map[string]string{"x": c.how}), dataset.Format(c.format), dataset.ChunkSize(size), dataset.Threads(1))
			if err != nil {
				if !strings.HasPrefix(err.Error(), c.want) {
					t.Errorf("%s, chunks of %d: got %v, want %s", name, size, err, c.want)
				}
				continue
			}
			if x := table.Column("x"); x.Kind() != dataset.Category || fmt.Sprint(len(x.Codes())-3) != c.want {
				t.Errorf("%s, chunks of %d: got %v of %d cells, want text", name, size, x.Kind(), x.Len())
			}
		}
	}
}

// Numbers that are stored as such are no dates of any form.
func TestParseStoredNumbers(t *testing.T) {
	want := `column "f1" is to be read as dates (parse), and is stored as numbers: leave it out of parse to use them as they are`
	_, err := read("1 1:20240101\n2 1:20240102\n", dataset.Format("libsvm"), dataset.Parse(map[string]string{"f1": "date"}))
	if !errors.Is(err, dataset.ErrTable) || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

// A few numbers, or dates, and a word that often means no value: the note names it, whatever the share of it is.
func TestWordsForMissing(t *testing.T) {
	for text, want := range map[string]string{
		"y,x\n1,1\n2,NULL\n3,2\n4,NULL\n":              `column "x" is used as text, because "NULL" is not written as its other texts are (1234.5): add "NULL" to missing = […] if it means no value`,
		"y,x\n1,0.5\n2,-\n3,2.5\n":                     `column "x" is used as text, because "-" is not written as its other texts are (1234.5): add "-" to missing = […] if it means no value`,
		"y,x\n1,2024-01-01\n2,unknown\n3,2024-01-03\n": `column "x" is used as text, because "unknown" is not written as its other texts are (yyyy-mm-dd): add "unknown" to missing = […] if it means no value`,
		"y,x\n1,1\n2,low\n3,2\n4,low\n":                "",
	} {
		if got := strings.Join(mustRead(t, text).Notes(), "\n"); got != want {
			t.Errorf("%q:\n got %s\nwant %s", text, got, want)
		}
	}
}

// A day that no calendar has is named with its place, as it makes a column of dates text.
func TestNoSuchDay(t *testing.T) {
	rows := func(cells ...string) string { return "y,x\n1," + strings.Join(cells, "\n1,") + "\n" }
	// 2024 is a leap year, 2023 and 1900 are none.
	for name, c := range map[string]struct{ text, want string }{
		"leap days":    {rows("2024-02-29", "2023-02-29", "2024-01-31"), `column "x" holds dates and is read as text, because there is no day "2023-02-29" (t.csv:3): correct it, or add "2023-02-29" to missing = […] if it means no value`},
		"with a time":  {rows("1900-02-28T12:00:00Z", "1900-02-29T12:00:00Z"), `there is no day "1900-02-29T12:00:00Z" (t.csv:3): `},
		"month first":  {rows("1/31/2024", "9/31/2024", "1/31/2024", "2/30/2024"), `there is no day "9/31/2024" (t.csv:3), nor 1 other: correct them`},
		"beside words": {rows("2024-01-01", "later", "2024-13-01", "2024-01-02"), `there is no day "2024-13-01" (t.csv:4): `},
		"all right":    {rows("2024-01-01", "later"), ""},
		"no dates":     {rows("10.20.30", "a", "2024-02-30", "b", "c"), ""},
	} {
		table := mustRead(t, c.text)
		if got := strings.Join(table.Notes(), "\n"); !strings.Contains(got, c.want) || c.want == "" && got != "" {
			t.Errorf("%s: notes %q, want %q", name, got, c.want)
		}
		if table.Column("x").Kind() != dataset.Category {
			t.Errorf("%s: %v", name, table.Column("x").Kind())
		}
	}
	_, err := read(rows(append(slices.Repeat([]string{"2024-02-29"}, 19), "2024-02-30")...))
	if want := `t.csv:21: column "x": "2024-02-30" is not a day of the calendar, as 95 % of the column's cells are`; err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}
