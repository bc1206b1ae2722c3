package packed

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"boost/dataset/internal/chunk"
)

// Head describes a table whose values stand in bytes beside it, in this order and
// little-endian:
//
//	per column   its values: float32, float64 or int32 codes × rows
//	             the runs of the row locations: row, line, file, int64 × 3 each
//	             the origins of the rows, int32 × rows, if it has any
type Head struct {
	Rows    int      `json:"rows"`
	Columns columns  `json:"columns"`
	Levels  [][]byte `json:"levels"` // by column: its levels, each as a length and bytes
	Counts  []int    `json:"counts"` // by column: the number of levels
	Files   []string `json:"files,omitempty"`
	Runs    int      `json:"runs,omitempty"`
	ByRow   bool     `json:"by_row,omitempty"`
	Origin  bool     `json:"origin,omitempty"`
	Skipped int      `json:"skipped,omitempty"`
	Notes   []string `json:"notes,omitempty"`
}

// most is how many columns a packed table may have: the label, weights, groups and as many start scores as there
// are classes. It may have 16 times as many names of files and notes.
const most = 1 << 14

// Bytes returns the head as text.
func (h *Head) Bytes() []byte {
	head, err := json.Marshal(h)
	if err != nil {
		panic(err) // texts and numbers always marshal
	}
	return head
}

// ParseHead reads the head of a table that has so many bytes of values.
func ParseHead(head []byte, values int) (h Head, err error) {
	if bytes.Count(head, []byte("{")) > most || bytes.Count(head, []byte(",")) > 16*most {
		return h, errors.New("it has more columns or files than can be")
	}
	if err := json.Unmarshal(head, &h); err != nil {
		return h, err
	}
	if h.Rows < 0 || h.Rows > math.MaxInt32 || h.Runs < 0 || h.Runs > values ||
		len(h.Levels) != len(h.Columns) || len(h.Counts) != len(h.Columns) {
		return h, errors.New("its head makes no sense")
	}
	return h, nil
}

type columns []chunk.ColumnSchema

// UnmarshalJSON ends at the first element that is no column, where package json goes on and makes room for all that follow.
func (c *columns) UnmarshalJSON(b []byte) error {
	d := json.NewDecoder(bytes.NewReader(b))
	if open, err := d.Token(); err != nil || open == nil {
		return err
	} else if open != json.Delim('[') {
		return errors.New("columns are a list")
	}
	for d.More() {
		var one chunk.ColumnSchema
		if err := d.Decode(&one); err != nil {
			return err
		}
		if *c = append(*c, one); len(*c) > most {
			return fmt.Errorf("more than %d columns", most)
		}
	}
	return nil
}

// Codes takes the codes of a column with so many levels, one a row.
func (r *Reader) Codes(rows, levels int) ([]int32, error) {
	codes := r.Int32s(rows)
	for _, code := range codes {
		if code < chunk.MissingCode || int(code) >= levels {
			return nil, fmt.Errorf("code %d of %d levels", code, levels)
		}
	}
	return codes, nil
}
