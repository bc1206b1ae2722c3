package fingerprint

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"hash"
	"strconv"

	"boost/dataset/internal/chunk"
	"boost/internal/kernel/mix"
)

// Table hashes the names and roles of a table's columns, then the number of its rows and the sum over its cells. The
// hash is of one JSON object, which is long for a million columns, and is hashed while it is written.
type Table struct {
	hash    hash.Hash
	columns int
	text    []byte // not hashed yet
}

// NewTable returns the hash of a table without columns.
func NewTable() *Table {
	return &Table{hash: sha256.New(), text: []byte(`{"columns":`)}
}

// Add hashes the next column. The caller leaves out ids.
func (t *Table) Add(column string, role chunk.Role) {
	name, err := json.Marshal(column)
	if err != nil {
		panic(err) // strings always marshal
	}
	b := append(append(t.text, "[,"[min(t.columns, 1)]), `{"name":`...)
	b = append(append(b, name...), `,"role":"`...)
	b = append(append(b, role.String()...), `"}`...)
	t.hash.Write(b)
	t.text = b[:0]
	t.columns++
}

// Digits returns the 32 hex digits of the fingerprint. cells is the sum over the columns that were added.
func (t *Table) Digits(rows int, cells mix.Sum) string {
	b := append(t.text, ']')
	if t.columns == 0 {
		b = append(t.text, "null"...)
	}
	b = strconv.AppendInt(append(b, `,"rows":`...), int64(rows), 10)
	b = append(append(b, `,"sum":"`...), hex.EncodeToString(cells.Bytes())...)
	t.hash.Write(append(b, `"}`...))
	return hex.EncodeToString(t.hash.Sum(nil)[:16])
}
