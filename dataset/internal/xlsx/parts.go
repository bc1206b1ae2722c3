package xlsx

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"encoding/xml"
	"errors"
	"io"
	"strconv"

	"boost/dataset/internal/chunk"
)

// Limits of what a workbook unpacks to. A worksheet may have any size, because its rows pass by; the texts that cells share may
// take as much as any packed file may hold.
const (
	mostToken = 16 << 20 // bytes between two tags
	mostPart  = 64 << 20 // bytes of lists of sheets and styles
)

var errTooLarge = errors.New("a text in it is larger than 16 MiB")

// part is an XML document in a zip file, read tag by tag.
type part struct {
	*xml.Decoder
	file   io.ReadCloser
	budget int64 // bytes until the next token
	left   int64 // bytes of the part
}

// openPart opens a file in a zip file; nil without an error if there is none.
func openPart(z *zip.Reader, name string, most int64) (*part, error) {
	for _, f := range z.File {
		if f.Name != name {
			continue
		}
		file, err := f.Open()
		if err != nil {
			return nil, err
		}
		p := &part{file: file, left: most}
		p.Decoder = xml.NewDecoder(p)
		p.Strict = true
		return p, nil
	}
	return nil, nil
}

// Read counts what is unpacked.
func (p *part) Read(b []byte) (int, error) {
	n, err := p.file.Read(b)
	p.budget -= int64(n)
	p.left -= int64(n)
	if p.budget < 0 || p.left < 0 {
		return n, errTooLarge
	}
	return n, err
}

// next returns the next tag or text, io.EOF at the end.
func (p *part) next() (xml.Token, error) {
	p.budget = mostToken
	return p.RawToken()
}

// close reads the rest, so that the checksum is verified, and closes the part.
func (p *part) close() error {
	defer p.file.Close()
	_, err := io.Copy(io.Discard, p.file)
	return err
}

// each calls visit for every opening tag. visit may read on.
func (p *part) each(visit func(xml.StartElement) error) error {
	for {
		token, err := p.next()
		switch {
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		}
		if start, ok := token.(xml.StartElement); ok {
			if err := visit(start); err != nil {
				return err
			}
		}
	}
}

// attribute returns the value of an attribute, whatever its prefix.
func attribute(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// text appends the texts of the element that was opened: those in tags t, or all of it with every. Those of phonetic
// readings (rPh) do not count.
func (p *part) text(to []byte, every bool) ([]byte, error) {
	depth, phonetic, inside := 1, 0, every
	for depth > 0 {
		token, err := p.next()
		if err != nil {
			return to, cutOff(err)
		}
		switch t := token.(type) {
		case xml.StartElement:
			depth++
			if t.Name.Local == "rPh" || phonetic > 0 {
				phonetic++
			}
			inside = every || t.Name.Local == "t" && phonetic == 0
		case xml.EndElement:
			depth--
			phonetic = max(0, phonetic-1)
			inside = every
		case xml.CharData:
			if inside {
				if to = append(to, t...); len(to) > mostToken {
					return to, errTooLarge
				}
			}
		}
	}
	return to, nil
}

// cutOff turns the end of a document that is not complete into an error.
func cutOff(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// damaged is the error about a workbook that cannot be read.
func damaged(name string, err error) error {
	var corrupt flate.CorruptInputError
	switch {
	case chunk.IsExplained(err):
		return err
	case errors.Is(err, errTooLarge):
		return chunk.Errorf("%s: %w", name, err)
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, zip.ErrChecksum), errors.Is(err, zip.ErrFormat), errors.As(err, &corrupt):
		return chunk.Errorf("%s is cut off or damaged: %w", name, err)
	}
	return chunk.Errorf("%s is damaged: %w", name, err)
}

// unescape resolves _x000D_ and its like, by which Excel writes characters that XML lacks.
func unescape(text []byte) []byte {
	if !bytes.Contains(text, []byte("_x")) {
		return text
	}
	out := text[:0:0]
	for i := 0; i < len(text); {
		if c, ok := escapeAt(text[i:]); ok {
			out = append(out, string(c)...)
			i += len("_x0000_")
			continue
		}
		out = append(out, text[i])
		i++
	}
	return out
}

func escapeAt(text []byte) (rune, bool) {
	if len(text) < 7 || text[0] != '_' || text[1] != 'x' || text[6] != '_' {
		return 0, false
	}
	c, err := strconv.ParseUint(string(text[2:6]), 16, 16)
	return rune(c), err == nil
}
