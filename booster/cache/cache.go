package cache

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"boost/binning"
	"boost/dataset"
)

// Contents are what a cache holds.
type Contents struct {
	Schema      dataset.Schema
	Cuts        *binning.Cuts
	Notes       []string       // of finding the cuts
	Fingerprint string         // of the training table
	Crossed     string         // what its crossed columns follow from, "" for none
	Others      *dataset.Table // columns of the training table that are no features
	Sets        []Set          // the training rows come first
}

// Set is a set of rows with their codes: rows of the training table, or a table of its own.
type Set struct {
	Rows        []int32        // of the training table, ascending; nil for all of a table
	Others      *dataset.Table // columns of a validation table that are no features; not read of the training table
	Fingerprint string         // of a validation table
	Codes       *binning.Codes
}

// manifest is the section that describes the others.
type manifest struct {
	Key         Key    `json:"key"`
	Fingerprint string `json:"fingerprint"`
	Crossed     string `json:"crossed,omitempty"`
	Notes       notes  `json:"notes"`
	Sets        sets   `json:"sets"`
}

type setEntry struct {
	Fingerprint string          `json:"fingerprint,omitempty"`
	Part        bool            `json:"part,omitempty"` // the set has a section of rows
	Codes       json.RawMessage `json:"codes"`
}

// Open reads a cache whole and checks all of it. An error that wraps fs.ErrNotExist means that
// there is none. Another gives the reason why the cache cannot be used in words.
func Open(path string, want *Key) (*Contents, error) {
	if info, err := os.Stat(path); err != nil {
		return nil, err
	} else if !info.Mode().IsRegular() { // opening a pipe would wait for its writer
		return nil, errNoRegular
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errNoRegular
	}
	r, err := newSectionReader(f, uint64(info.Size()))
	if err != nil {
		return nil, err
	}
	return decode(r, want)
}

var errNoRegular = fmt.Errorf("%w: it is no regular file", ErrUnusable)

// decode checks and reads every section. A want of nil takes any key.
func decode(r *sectionReader, want *Key) (*Contents, error) {
	text, err := r.bytes("manifest")
	if err != nil {
		return nil, err
	}
	var m manifest
	if err := json.Unmarshal(text, &m); err != nil {
		return nil, damaged("%v", err)
	}
	if want != nil {
		if reason := m.Key.Differs(want); reason != "" {
			return nil, fmt.Errorf("%w: it is out of date: %s", ErrUnusable, reason)
		}
	}
	if len(m.Sets) == 0 {
		return nil, damaged("it holds no set")
	}
	cuts, err := r.bytes("cuts")
	if err != nil {
		return nil, err
	}
	c := &Contents{Notes: m.Notes, Fingerprint: m.Fingerprint, Crossed: m.Crossed}
	schema := func() (io.Reader, error) { return r.checked("schema") }
	if c.Schema, c.Cuts, err = decodeSchema(schema, cuts, bytes.Count(m.Sets[0].Codes, []byte("{"))-1); err != nil {
		return nil, err
	}
	if c.Others, err = r.table("rest", "values"); err != nil {
		return nil, err
	}
	c.Sets = make([]Set, len(m.Sets))
	for i := range c.Sets {
		if err := c.readSet(r, i, &m.Sets[i]); err != nil {
			return nil, err
		}
	}
	return c, nil
}

func (c *Contents) readSet(r *sectionReader, i int, from *setEntry) (err error) {
	s := &c.Sets[i]
	s.Fingerprint = from.Fingerprint
	n := c.Others.NumRows()
	switch {
	case from.Part:
		if s.Rows, err = r.rows(section(i, "rows"), n); err != nil {
			return err
		}
		n = len(s.Rows)
	case i > 0:
		if s.Others, err = r.table(section(i, "rest"), section(i, "values")); err != nil {
			return err
		}
		n = s.Others.NumRows()
	}
	s.Codes, err = r.codes(section(i, "codes"), c.Cuts, from.Codes, n)
	return err
}

// section is the name of a section of a set.
func section(set int, what string) string { return fmt.Sprintf("%d.%s", set, what) }

// codes reads the codes of n rows.
func (r *sectionReader) codes(name string, cuts *binning.Cuts, head []byte, n int) (*binning.Codes, error) {
	e, err := r.find(name)
	if err != nil {
		return nil, err
	}
	codes, err := binning.DecodeCodes(cuts, head, e.Length, r.stream(e))
	switch {
	case errors.Is(err, ErrUnusable):
		return nil, err
	case err != nil:
		return nil, damaged("%v", err)
	case codes.NRows() != n:
		return nil, damaged("%d rows of codes for %d rows", codes.NRows(), n)
	}
	return codes, nil
}

func (r *sectionReader) table(head, values string) (*dataset.Table, error) {
	h, err := r.bytes(head)
	if err != nil {
		return nil, err
	}
	v, err := r.bytes(values)
	if err != nil {
		return nil, err
	}
	table, err := dataset.Unpack(h, v)
	if err != nil {
		return nil, damaged("%v", err)
	}
	return table, nil
}

// rows reads numbers of rows, of which the training table has n.
func (r *sectionReader) rows(name string, n int) ([]int32, error) {
	b, err := r.bytes(name)
	if err != nil {
		return nil, err
	}
	rows, last := make([]int32, len(b)/4), int32(-1)
	for i := range rows {
		rows[i] = int32(binary.LittleEndian.Uint32(b[4*i:]))
		if rows[i] <= last || int(rows[i]) >= n {
			return nil, damaged("the rows of section %s do not ascend", name)
		}
		last = rows[i]
	}
	return rows, nil
}
