package xlsx

import (
	"archive/zip"
	"encoding/xml"
	"io"
	"path"
	"slices"
	"strconv"
	"strings"

	"boost/dataset/internal/chunk"
)

// workbook is what a file holds beside the cells.
type workbook struct {
	zip      *zip.Reader
	sheet    string   // name of the part of the sheet that is read
	title    string   // name of that sheet
	above    int      // its first rows, which are not read
	names    []string // of the sheets
	since904 bool     // days are counted from 1904-01-01, not from 1899-12-30
	formats  []kind   // by style
	texts    []string
}

// sheetPart is a worksheet and the file that holds it.
type sheetPart struct{ name, file string }

// openWorkbook reads all but the cells. sheet names the worksheet, "" is the first. mostTexts bounds the memory of the texts
// that cells share.
func openWorkbook(b *chunk.Blob, sheet string, mostTexts int64) (*workbook, error) {
	w, err := readWorkbook(b, sheet, mostTexts)
	if err != nil {
		return nil, damaged(b.Name, err)
	}
	return w, nil
}

func quoted(names []string) []string {
	var all []string
	for _, name := range names {
		all = append(all, strconv.Quote(name))
	}
	return all
}

func readWorkbook(b *chunk.Blob, sheet string, mostTexts int64) (*workbook, error) {
	z, err := zip.NewReader(b, b.Size)
	if err != nil {
		return nil, chunk.Errorf("%s is a zip file, and damaged or cut off: %w", b.Name, err)
	}
	w := &workbook{zip: z}
	main, err := w.target("", "officeDocument")
	if err != nil {
		return nil, err
	}
	switch {
	case main == "" && w.has("META-INF/manifest.xml"):
		return nil, chunk.Errorf("%s is a zip file, perhaps an OpenDocument spreadsheet; save the table as .xlsx or CSV", b.Name)
	case main == "":
		return nil, chunk.Errorf("%s is a zip file; unzip it and give what is in it", b.Name)
	case strings.HasSuffix(main, ".bin"):
		return nil, chunk.Errorf("%s is a binary workbook (.xlsb); save it as .xlsx or CSV", b.Name)
	}
	sheets, err := w.sheets(main)
	if err != nil {
		return nil, err
	}
	if len(sheets) == 0 {
		return nil, chunk.Errorf("%s has no worksheet", b.Name)
	}
	var names []string
	for _, s := range sheets {
		names = append(names, s.name)
	}
	w.names = names
	at := 0
	if sheet != "" {
		if at = slices.Index(names, sheet); at < 0 {
			return nil, chunk.Errorf("%s has no sheet %q (set data.sheet = %s)", b.Name, sheet, strings.Join(quoted(names[:min(len(names), 10)]), " or "))
		}
	}
	w.title = sheets[at].name
	if w.sheet = sheets[at].file; !w.has(w.sheet) {
		return nil, chunk.Errorf("%s is damaged: its sheet %q is not in it", b.Name, w.title)
	}
	if err := w.readTexts(main, mostTexts); err != nil {
		return nil, err
	}
	return w, w.readStyles(main)
}

func (w *workbook) has(name string) bool {
	return slices.ContainsFunc(w.zip.File, func(f *zip.File) bool { return f.Name == name })
}

// eachTag visits the opening tags of a small part. An absent part has none.
func (w *workbook) eachTag(name string, visit func(p *part, e xml.StartElement) error) error {
	p, err := openPart(w.zip, name, mostPart)
	if p == nil || err != nil {
		return err
	}
	if err := p.each(func(e xml.StartElement) error { return visit(p, e) }); err != nil {
		p.file.Close()
		return err
	}
	return p.close()
}

// relations visits the references of a part: id, kind and name of the other part.
func (w *workbook) relations(of string, visit func(id, kind, target string)) error {
	dir, base := path.Split(of)
	return w.eachTag(dir+"_rels/"+base+".rels", func(_ *part, e xml.StartElement) error {
		if e.Name.Local != "Relationship" {
			return nil
		}
		target := attribute(e, "Target")
		if inside, absolute := strings.CutPrefix(target, "/"); absolute {
			target = inside
		} else {
			target = path.Join(dir, target)
		}
		visit(attribute(e, "Id"), path.Base(attribute(e, "Type")), target)
		return nil
	})
}

// target returns the name of the first part of a kind that a part refers to, "" for none. Of "" these are the
// parts that the file begins with.
func (w *workbook) target(of, kind string) (found string, err error) {
	err = w.relations(of, func(_, k, target string) {
		if k == kind && found == "" {
			found = target
		}
	})
	return found, err
}

// sheets returns the worksheets, in the order of their tabs.
func (w *workbook) sheets(main string) ([]sheetPart, error) {
	files := make(map[string]string) // by the id of the reference
	if err := w.relations(main, func(id, kind, target string) {
		if kind == "worksheet" {
			files[id] = target
		}
	}); err != nil {
		return nil, err
	}
	var sheets []sheetPart
	err := w.eachTag(main, func(_ *part, e xml.StartElement) error {
		switch e.Name.Local {
		case "workbookPr":
			v := attribute(e, "date1904")
			w.since904 = v == "1" || v == "true"
		case "sheet":
			for _, a := range e.Attr {
				if file, ok := files[a.Value]; ok && a.Name.Local == "id" && a.Name.Space != "" {
					sheets = append(sheets, sheetPart{attribute(e, "name"), file})
				}
			}
		}
		return nil
	})
	return sheets, err
}

// readTexts reads the texts that cells share.
func (w *workbook) readTexts(main string, most int64) error {
	name, err := w.target(main, "sharedStrings")
	if err != nil || name == "" {
		return err
	}
	p, err := openPart(w.zip, name, 1<<62)
	if p == nil || err != nil {
		return err
	}
	bytes := int64(0)
	var text []byte
	err = p.each(func(e xml.StartElement) error {
		if e.Name.Local != "si" {
			return nil
		}
		var err error
		if text, err = p.text(text[:0], false); err != nil {
			return err
		}
		if bytes += int64(len(text)) + 16; bytes > most {
			return chunk.TooLarge("the texts of the workbook take more than %s; save the table as CSV or Parquet", chunk.ByteText(most))
		}
		w.texts = append(w.texts, string(unescape(text)))
		return nil
	})
	if err != nil {
		p.file.Close()
		return err
	}
	return p.close()
}

// readStyles reads the formats of numbers, from which it follows which of them are dates.
func (w *workbook) readStyles(main string) error {
	name, err := w.target(main, "styles")
	if err != nil || name == "" {
		return err
	}
	codes := make(map[int]kind) // of formats that the workbook defines
	inCells := false
	p, err := openPart(w.zip, name, mostPart)
	if p == nil || err != nil {
		return err
	}
	defer p.file.Close()
	for {
		token, err := p.next()
		switch {
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		}
		switch e := token.(type) {
		case xml.EndElement:
			inCells = inCells && e.Name.Local != "cellXfs"
		case xml.StartElement:
			switch e.Name.Local {
			case "cellXfs":
				inCells = true
			case "numFmt":
				if id, err := strconv.Atoi(attribute(e, "numFmtId")); err == nil {
					codes[id] = kindOfCode(attribute(e, "formatCode"))
				}
			case "xf":
				if !inCells {
					continue
				}
				id, _ := strconv.Atoi(attribute(e, "numFmtId"))
				k, own := codes[id]
				if !own {
					k = kindOfBuiltin(id)
				}
				w.formats = append(w.formats, k)
			}
		}
	}
}
