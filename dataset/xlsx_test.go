package dataset_test

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"boost/dataset"
	"boost/internal/testenv"
	"boost/parallel"
)

// What pandas with openpyxl, and polars with XlsxWriter, write as a workbook is the table that pandas writes as CSV.
func TestWorkbooksOfOthers(t *testing.T) {
	testenv.Unraced(t)
	ctx, folder := context.Background(), filepath.Join("testdata", "xlsx")
	open := func(name string, opts ...dataset.Option) *dataset.Table {
		table, err := dataset.Open(ctx, filepath.Join(folder, name), append(opts, dataset.Label("y"))...)
		if err != nil {
			t.Fatal(err)
		}
		return table
	}
	for name, opts := range map[string][]dataset.Option{"pandas.xlsx": {dataset.Sheet("My data")}, "polars.xlsx": nil} {
		want, got := open("table.csv"), open(name, opts...)
		if printOf(t, got) != printOf(t, want) {
			t.Errorf("%s is not the table of table.csv:\n%s\nwant\n%s", name, show(got), show(want))
		}
		if place := got.Place(30); !strings.HasSuffix(place, name+": row 32") {
			t.Errorf("%s: row 30 is at %s", name, place)
		}
		s, err := dataset.OpenChunked(ctx, []string{filepath.Join(folder, name)}, append(opts, dataset.Label("y"))...)
		if err != nil {
			t.Fatal(err)
		}
		pool := parallel.NewPool(1)
		sameTable(t, name, s, got, pool)
		pool.Close()
		s.Close()
	}
	data, err := os.ReadFile(filepath.Join(folder, "polars.xlsx"))
	if err != nil {
		t.Fatal(err)
	}
	for form, text := range map[string]string{"plain": string(data), "gzip": string(gzipText(t, string(data)))} {
		table, err := dataset.Read(ctx, strings.NewReader(text), "-", dataset.Label("y"))
		if err != nil || printOf(t, table) != printOf(t, open("polars.xlsx")) {
			t.Errorf("%s from a stream: %v", form, err)
		}
	}
	if _, err := dataset.Open(ctx, filepath.Join(folder, "pandas.xlsx"), dataset.Sheet("Data")); !errors.Is(err, dataset.ErrTable) || !strings.Contains(err.Error(), `has no sheet "Data" (set data.sheet = "About" or "My data")`) {
		t.Errorf("a sheet that is not there: %v", err)
	}
	first := `the sheet "About" of ` + filepath.Join(folder, "pandas.xlsx") + ` is read, the first of 2 (set data.sheet = "My data" for the next one)`
	if table, err := dataset.Open(ctx, filepath.Join(folder, "pandas.xlsx")); err != nil || !slices.Contains(table.Notes(), first) {
		t.Errorf("a workbook of two sheets: %v, notes %q", err, table.Notes())
	}
	if _, err := dataset.Open(ctx, filepath.Join(folder, "pandas.xlsx"), dataset.Label("y")); err == nil || !strings.Contains(err.Error(), first) {
		t.Errorf("a column of another sheet: %v", err)
	}
}

// Formulas have their cached results, blank rows are passed over, and formats tell dates, times and durations.
func TestWorkbookForms(t *testing.T) {
	testenv.Unraced(t)
	table, err := dataset.Open(context.Background(), filepath.Join("testdata", "xlsx", "forms.xlsx"))
	if err != nil {
		t.Fatal(err)
	}
	// 2000-01-01 is 946684800 seconds after 1970-01-01 (date -u -d 2000-01-01 +%s).
	const day2000 = 946_684_800
	for name, want := range map[string][]float64{
		"day":   {day2000, day2000 + 86400, day2000 + 2*86400, day2000 + 3*86400, day2000 + 4*86400},
		"lasts": {1.5, 2.5, 3.5, 4.5, 5.5}, "sum": {0, 2, 4, 6, 8}, "flag": {1, 0, 1, 0, 1},
	} {
		for row := range want {
			if got := numberOf(table.Column(name), row); got != want[row] {
				t.Errorf("%s of row %d is %v, want %v", name, row, got, want[row])
			}
		}
	}
	for name, want := range map[string][]string{
		"clock": {"06:30:00", "06:30:01", "06:30:02", "06:30:03", "06:30:04"}, "text": {"xy", "abc1", "abc0"},
		"broken": {"0", "1", "2", "#DIV/0!", "4"},
	} {
		if got := table.Column(name).Levels(); !slices.Equal(got, want) {
			t.Errorf("%s has the levels %q, want %q", name, got, want)
		}
	}
	if place := table.Place(2); !strings.HasSuffix(place, "forms.xlsx: row 8") {
		t.Errorf("row 2 is at %s", place)
	}
	table, err = dataset.Open(context.Background(), filepath.Join("testdata", "xlsx", "headless.xlsx"))
	if err != nil || table.NumRows() != 3 || table.Column("c3").Missing() != 1 || table.Column("c2").Missing() != 1 {
		t.Errorf("a sheet without a header: %v", err)
	}
	table, err = dataset.Open(context.Background(), filepath.Join("testdata", "xlsx", "headless.xlsx"), dataset.Header(true))
	if err != nil || table.NumRows() != 2 || table.Column("2.5") == nil {
		t.Errorf("a sheet whose header is numbers: %v", err)
	}
}

// workbook returns a workbook of one sheet with the given rows, and other parts in place of the usual ones.
func workbook(t testing.TB, rows string, parts map[string]string) []byte {
	t.Helper()
	const rels, head = `<Relationships xmlns="r">`, `<?xml version="1.0"?>`
	all := map[string]string{
		"_rels/.rels":                rels + `<Relationship Id="a" Type="x/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
		"xl/workbook.xml":            head + `<workbook xmlns:r="x"><sheets><sheet name="S" sheetId="1" r:id="b"/></sheets></workbook>`,
		"xl/_rels/workbook.xml.rels": rels + `<Relationship Id="b" Type="x/worksheet" Target="/xl/s.xml"/><Relationship Id="c" Type="x/sharedStrings" Target="texts.xml"/><Relationship Id="d" Type="x/styles" Target="styles.xml"/></Relationships>`,
		"xl/texts.xml":               `<sst><si><t>a</t></si><si><r><t>b</t></r><r><t xml:space="preserve"> c</t></r><rPh><t>no</t></rPh></si><si><t>x_x000D_y</t></si></sst>`,
		"xl/styles.xml":              `<styleSheet><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs></styleSheet>`,
		"xl/s.xml":                   head + `<worksheet><sheetData>` + rows + `</sheetData><mergeCells/></worksheet>`,
	}
	for name, text := range parts {
		if all[name] = text; text == "" {
			delete(all, name)
		}
	}
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for name, text := range all {
		f, err := w.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func readWorkbook(data []byte, opts ...dataset.Option) (*dataset.Table, error) {
	return dataset.Read(context.Background(), bytes.NewReader(data), "t.xlsx", opts...)
}

const headRow = `<row><c t="s"><v>0</v></c><c t="s"><v>1</v></c></row>`

// Rows above the names of the columns are left out where that is asked for, and reported where not.
func TestWorkbookTitle(t *testing.T) {
	testenv.Unraced(t)
	title := `<row r="2"><c t="inlineStr"><is><t>Sales</t></is></c></row><row r="4"><c t="s"><v>0</v></c><c t="s"><v>1</v></c></row>`
	data := workbook(t, title+`<row r="5"><c><v>1</v></c><c><v>2</v></c></row>`, nil)
	for skip, want := range map[int]string{
		0: "the table has no column \"a\", which is named as label; its only column is \"Sales\"; row 4 of t.xlsx looks like the names of the columns (set skip_lines = 3 to leave out",
		3: "", 5: "its sheet has no cell with a value below the 5 rows that skip_lines leaves out",
	} {
		table, err := readWorkbook(data, dataset.Label("a"), dataset.SkipLines(skip))
		switch {
		case want == "" && (err != nil || table.NumRows() != 1 || numberOf(table.Column("b c"), 0) != 2 || len(table.Notes()) > 0):
			t.Errorf("without %d rows: %v", skip, err)
		case want != "" && (!errors.Is(err, dataset.ErrTable) || !strings.Contains(err.Error(), want)):
			t.Errorf("without %d rows: %v, want %q", skip, err, want)
		}
	}
	if _, err := readWorkbook(data); err == nil || !strings.Contains(err.Error(), "set skip_lines = 3 if row 4 has the names of the columns") {
		t.Errorf("more cells than the title has: %v", err)
	}
	if _, err := readWorkbook(workbook(t, title+`<row r="5"><c><v>1</v></c><c><v>2</v></c><c><v>2</v></c></row>`, nil), dataset.SkipLines(3)); err == nil || !strings.Contains(err.Error(), "row 5: cell C5") {
		t.Errorf("a place below the title: %v", err)
	}
}

func TestWorkbookCells(t *testing.T) {
	testenv.Unraced(t)
	table, err := readWorkbook(workbook(t, headRow+`<row r="5"><c r="A5" s="1"><v>59</v></c><c r="B5" t="inlineStr"><is><t>in</t><t>line</t></is></c></row>
<row r="6"><c r="A6" s="1"><v>61.25</v></c><c t="str"><f>1</f><v>n_x0041_</v></c></row><row r="7"><c r="A7" s="7"/><c r="B7" t="s"><v>2</v></c></row>
<row><c t="d"><v>1900-03-02</v></c></row>`, nil))
	if err != nil {
		t.Fatal(err)
	}
	// Excel's day 59 is 1900-02-28 and its day 61 is 1900-03-01; there is a day 60 that never was.
	first := -2203977600.0 // date -u -d 1900-02-28 +%s
	for row, want := range []float64{first, first + 86400 + 21600, math.NaN(), first + 2*86400} {
		if got := numberOf(table.Column("a"), row); got != want && got == got {
			t.Errorf("day of row %d is %v, want %v", row, got, want)
		}
	}
	if got, want := table.Column("b c").Levels(), []string{"inline", "nA", "x\ry"}; !slices.Equal(got, want) {
		t.Errorf("levels %q, want %q", got, want)
	}
}

// A sheet that shows 12 % stores 0.12, and one that shows 12 kg stores 12: neither is what a model of text had.
func TestWorkbookOfAnotherForm(t *testing.T) {
	testenv.Unraced(t)
	row := func(cell string) []byte {
		return workbook(t, `<row><c t="inlineStr"><is><t>a</t></is></c></row><row>`+cell+`</row>`, nil)
	}
	number, day := row(`<c><v>0.12</v></c>`), row(`<c s="1"><v>36526</v></c>`) // 2000-01-01
	for _, c := range []struct {
		form string
		data []byte
		want float64 // NaN: is refused
	}{
		{"1234.5 %", number, math.NaN()}, {"1234.5 kg", number, math.NaN()}, {"mm/dd/yyyy", number, math.NaN()}, {"1,234.5 $", number, 0.12},
		{"1234.5 kg", day, math.NaN()}, {"1,234.5 $", day, math.NaN()}, {"mm/dd/yyyy", day, 946_684_800},
	} {
		table, err := readWorkbook(c.data, dataset.Parse(map[string]string{"a": c.form}))
		switch {
		case err != nil && (c.want == c.want || !strings.Contains(err.Error(), `is not written as "`+c.form)):
			t.Errorf("%s: %v", c.form, err)
		case err == nil && numberOf(table.Column("a"), 0) != c.want:
			t.Errorf("%s: %v, want %v", c.form, numberOf(table.Column("a"), 0), c.want)
		}
	}
}

func TestWorkbookRefusals(t *testing.T) {
	testenv.Unraced(t)
	for name, c := range map[string]struct {
		rows  string
		parts map[string]string
		want  string
	}{
		"no rows":            {"", nil, "t.xlsx is empty"},
		"only a header":      {headRow, nil, "t.xlsx has no rows"},
		"a cell too far":     {headRow + `<row r="9"><c r="C9"><v>1</v></c></row>`, nil, "t.xlsx: row 9: cell C9 is beyond the last column of the table, B"},
		"a text too far":     {headRow + `<row><c t="s"><v>3</v></c></row>`, nil, `cell A2 refers to text "3" of 3`},
		"no number":          {headRow + `<row><c><v>1,5</v></c></row>`, nil, `cell A2 holds the number "1,5"`},
		"rows that go back":  {`<row r="3"/><row r="3"/>`, nil, `row "3" follows row 3`},
		"cells that go back": {`<row><c r="B1"><v>1</v></c><c r="A1"><v>1</v></c></row>`, nil, `cell "A1" stands in row 1 behind column 2`},
		"beyond XFD":         {`<row><c r="XFE1"><v>1</v></c></row>`, nil, `cell "XFE1"`},
		"cut off":            {headRow, map[string]string{"xl/s.xml": `<worksheet><sheetData>` + headRow + `<row><c><v>1</v></c></row>`}, "t.xlsx is cut off or damaged"},
		"cut off in a cell":  {headRow, map[string]string{"xl/s.xml": `<worksheet><sheetData>` + headRow + `<row><c><v>1`}, "t.xlsx is cut off or damaged"},
		"no sheet":           {headRow, map[string]string{"xl/s.xml": ""}, `its sheet "S" is not in it`},
		"no sheets":          {headRow, map[string]string{"xl/_rels/workbook.xml.rels": ""}, "has no worksheet"},
		"no workbook":        {headRow, map[string]string{"_rels/.rels": ""}, "t.xlsx is a zip file; unzip it"},
		"OpenDocument":       {headRow, map[string]string{"_rels/.rels": "", "META-INF/manifest.xml": "<x/>"}, "OpenDocument"},
		"binary":             {headRow, map[string]string{"_rels/.rels": `<Relationship Type="x/officeDocument" Target="xl/workbook.bin"/>`}, ".xlsb"},
		"an entity":          {headRow + `<row><c t="str"><v>&lol;</v></c></row>`, nil, "t.xlsx is damaged: XML syntax error"},
		"a large text":       {headRow + `<row><c t="str"><v>` + strings.Repeat("x", 17<<20) + `</v></c></row>`, nil, "larger than 16 MiB"},
		"wrong UTF-8":        {headRow + "<row><c t=\"str\"><v>\xff</v></c></row>", nil, "t.xlsx is damaged: XML syntax error"},
		"a mixed column": {headRow + strings.Repeat(`<row><c><v>1</v></c></row>`, 19) + `<row><c t="e"><v>#N/A</v></c></row>`, nil,
			`t.xlsx: row 21: column "a": "#N/A" is not a number`},
	} {
		if _, err := readWorkbook(workbook(t, c.rows, c.parts)); !errors.Is(err, dataset.ErrTable) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", name, err, c.want)
		}
	}
	table, err := readWorkbook(workbook(t, headRow+`<row><c><v>1</v></c></row><row><c r="C3"><v>1</v></c></row>`, nil), dataset.SkipBadRows())
	if err != nil || table.NumRows() != 1 || table.Skipped() != 1 {
		t.Errorf("a bad row is skipped: %v", err)
	}
	both := filepath.Join(t.TempDir(), "*.xlsx")
	for i, rows := range []string{headRow + `<row><c><v>1</v></c></row>`, `<row><c t="s"><v>1</v></c></row>`} {
		if err := os.WriteFile(strings.Replace(both, "*", fmt.Sprint(i), 1), workbook(t, rows, nil), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := dataset.Open(context.Background(), both); err == nil || !strings.Contains(err.Error(), "need the same columns") {
		t.Errorf("files with other headers: %v", err)
	}
	second := strings.Replace(both, "*", "1", 1)
	for rows, want := range map[string]string{
		`<row><c t="s"><v>0</v></c><c><f>A1</f></c></row>`:              second + `: sheet "S" has 1 formula without a stored result, the first in cell B1`,
		strings.Replace(headRow, "</row>", "<c><f>A1</f></c></row>", 1): "need the same columns",
	} {
		if err := os.WriteFile(second, workbook(t, rows, nil), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := dataset.Open(context.Background(), both); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("a name that is a formula in the second file: %v, want %q", err, want)
		}
	}
}

// Programs that do not compute formulas, as openpyxl, store no result: its cells are <c><f>…</f><v/></c>. Excel writes the result
// that is the empty text as t="str" with an empty <v>, and Apache POI without one.
func TestWorkbookFormulasWithoutResult(t *testing.T) {
	testenv.Unraced(t)
	const row = `<row><c><v>1</v></c><c%s><f>A2*2</f>%s</c></row>`
	const refused = `t.xlsx: sheet "S" has %s (open the file in a spreadsheet program and save it; soffice --headless --convert-to xlsx`
	ignored := []dataset.Option{dataset.Ignore("b c")}
	for name, c := range map[string]struct {
		rows string
		opts []dataset.Option
		want string // "" is read
	}{
		"empty":          {headRow + fmt.Sprintf(row, "", "<v></v>"), nil, `1 formula without a stored result, the first in cell B2, in column "b c"`},
		"absent":         {headRow + fmt.Sprintf(row, ` t="b"`, ""), nil, `1 formula without a stored result, the first in cell B2, in column "b c"`},
		"some":           {headRow + fmt.Sprintf(row, "", "<v>2</v>") + strings.Repeat(fmt.Sprintf(row, "", "<v/>"), 3), nil, `3 formulas without a stored result, the first in cell B3, in column "b c"`},
		"shared":         {headRow + `<row r="7"><c r="B7"><f t="shared" si="0"/><v/></c></row>`, nil, `1 formula without a stored result, the first in cell B7, in column "b c"`},
		"several":        {headRow + `<row><c><f>1</f></c><c><f>2</f></c></row>`, nil, `2 formulas without a stored result, the first in cell A2, in columns "a", "b c"`},
		"bad rows":       {headRow + fmt.Sprintf(row, "", ""), []dataset.Option{dataset.SkipBadRows()}, `1 formula without a stored result, the first in cell B2, in column "b c"`},
		"name":           {`<row><c t="s"><v>0</v></c><c><f>A1</f></c></row><row><c><v>1</v></c></row>`, nil, `1 formula without a stored result, the first in cell B1, in column "c2"`},
		"no header":      {fmt.Sprintf(row, "", ""), nil, `1 formula without a stored result, the first in cell B1, in column "c2"`},
		"ignored":        {headRow + fmt.Sprintf(row, "", "<v/>"), ignored, ""},
		"the empty text": {headRow + fmt.Sprintf(row, ` t="str"`, "<v></v>") + fmt.Sprintf(row, ` t="str"`, ""), nil, ""},
	} {
		table, err := readWorkbook(workbook(t, c.rows, nil), c.opts...)
		switch {
		case c.want == "" && (err != nil || table.Column("a") == nil):
			t.Errorf("%s: %v", name, err)
		case c.want != "" && (!errors.Is(err, dataset.ErrTable) || !strings.Contains(err.Error(), fmt.Sprintf(refused, c.want))):
			t.Errorf("%s: error %v, want %q", name, err, fmt.Sprintf(refused, c.want))
		}
	}
	table, err := readWorkbook(workbook(t, headRow+fmt.Sprintf(row, "", "<v>2</v>")+fmt.Sprintf(row, ` t="str"`, "<v></v>"), nil))
	if err != nil || table.Column("b c").Missing() != 1 || numberOf(table.Column("b c"), 0) != 2 {
		t.Errorf("the empty text among numbers: %v", err)
	}
}

// A workbook that is cut off or has a wrong byte is refused, or is read as it was.
func TestWorkbookDamages(t *testing.T) {
	testenv.Unraced(t)
	whole := workbook(t, headRow+strings.Repeat(`<row><c><v>1.25</v></c><c t="s"><v>1</v></c></row>`, 50), nil)
	table, err := readWorkbook(whole)
	if err != nil {
		t.Fatal(err)
	}
	want := show(table)
	for n := 4; n < len(whole); n += 3 {
		if _, err := readWorkbook(whole[:n]); !errors.Is(err, dataset.ErrTable) {
			t.Fatalf("cut off after %d of %d bytes: %v", n, len(whole), err)
		}
		damaged := slices.Clone(whole)
		damaged[n] ^= 0x55
		got, err := readWorkbook(damaged)
		if err != nil && !errors.Is(err, dataset.ErrTable) || err == nil && show(got) != want {
			t.Fatalf("byte %d changed: %v", n, err)
		}
	}
}

// Small files must not take the memory of what they unpack to.
func TestWorkbookBombs(t *testing.T) {
	testenv.Memory(t)
	texts := "<sst>" + strings.Repeat("<si><t>"+strings.Repeat("a", 1<<16)+"</t></si>", 20) + "</sst>"
	data := workbook(t, headRow, map[string]string{"xl/texts.xml": texts})
	if _, err := readWorkbook(data, dataset.LeastUnpacked(1<<20)); !errors.Is(err, dataset.ErrMemory) || !strings.Contains(err.Error(), "texts of the workbook take more than 1 MiB") {
		t.Errorf("texts: %v", err)
	}
	styles := "<styleSheet><numFmts>" + strings.Repeat(" ", 65<<20)
	if _, err := readWorkbook(workbook(t, headRow, map[string]string{"xl/styles.xml": styles})); !errors.Is(err, dataset.ErrTable) {
		t.Errorf("styles: %v", err)
	}
}

// FuzzReadWorkbook reads any XML as a sheet: never a panic, only table errors.
func FuzzReadWorkbook(f *testing.F) {
	f.Add([]byte(headRow + `<row r="5"><c r="A5" s="1"><v>59.5</v></c><c r="B5" t="inlineStr"><is><t>in</t></is></c></row>`))
	f.Add([]byte(headRow + `<row><c t="b"><v>1</v></c><c t="e"><f>1/0</f><v>#DIV/0!</v></c></row></sheetData>`))
	f.Fuzz(func(t *testing.T, rows []byte) {
		if len(rows) > 10_000 {
			return
		}
		data := workbook(t, string(rows), nil)
		for _, opts := range [][]dataset.Option{nil, {dataset.SkipBadRows(), dataset.LenientTypes()}} {
			if _, err := readWorkbook(data, opts...); err != nil && !errors.Is(err, dataset.ErrTable) {
				t.Fatalf("%v does not wrap ErrTable", err)
			}
		}
	})
}
