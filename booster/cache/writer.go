package cache

import (
	"encoding/binary"
	"encoding/json"
	"errors"

	"boost/internal/replace"
	"boost/internal/vfs"
)

// Writer writes a cache in steps: a set at a time, so that its codes need not be kept, and then
// what is known only after all sets are coded. It ends with Finish or Discard.
type Writer struct {
	draft *replace.Draft
	out   *sectionWriter
	sets  []setEntry
	err   error
}

// Create begins the cache at path. A cache that is there is replaced by Finish.
func Create(path string) (*Writer, error) { return create(vfs.OS, path) }

func create(fsys vfs.FS, path string) (*Writer, error) {
	draft, err := replace.Create(fsys, path)
	if err != nil {
		return nil, err
	}
	return &Writer{draft: draft, out: newSectionWriter(draft.File)}, nil
}

// Add writes the next set. storage is what its codes were made with. An error is returned by Finish.
func (w *Writer) Add(s Set, storage string) {
	head, pieces, err := s.Codes.Encode(storage)
	if err != nil {
		w.err = errors.Join(w.err, err)
		return
	}
	n := len(w.sets)
	w.out.section(section(n, "codes"), pieces...)
	if s.Rows != nil {
		rows := make([]byte, 0, 4*len(s.Rows))
		for _, row := range s.Rows {
			rows = binary.LittleEndian.AppendUint32(rows, uint32(row))
		}
		w.out.section(section(n, "rows"), rows)
	} else if n > 0 { // those of the training table are Contents.Others
		head, values := s.Others.Pack()
		w.out.section(section(n, "rest"), head)
		w.out.section(section(n, "values"), values)
	}
	w.sets = append(w.sets, setEntry{Part: s.Rows != nil, Codes: head})
}

// Finish writes the contents beside the sets, of which it takes the fingerprints, and puts the cache
// in its place.
func (w *Writer) Finish(key *Key, c *Contents) error {
	err := w.finish(key, c)
	if err != nil {
		w.draft.Discard()
		return err
	}
	return w.draft.Commit()
}

func (w *Writer) finish(key *Key, c *Contents) error {
	if w.err != nil {
		return w.err
	}
	head, values := c.Others.Pack()
	w.out.section("rest", head)
	w.out.section("values", values)
	schema, cuts, err := encodeSchema(c.Schema, c.Cuts)
	if err != nil {
		return err
	}
	w.out.section("schema", schema)
	w.out.section("cuts", cuts)
	for i := range c.Sets {
		w.sets[i].Fingerprint = c.Sets[i].Fingerprint
	}
	text, err := json.Marshal(manifest{Key: *key, Fingerprint: c.Fingerprint, Crossed: c.Crossed, Notes: c.Notes, Sets: w.sets})
	if err != nil {
		return err
	}
	w.out.section("manifest", text)
	return w.out.finish()
}

// Discard leaves the file as it was.
func (w *Writer) Discard() { w.draft.Discard() }
