package arrowipc

import (
	"encoding/base64"
	"encoding/binary"

	"boost/dataset/internal/columnar"
)

// Embedded is what a schema of Arrow says of the columns of another format, by name.
type Embedded struct {
	Durations  map[string]int32 // the power of ten of which a second has so many of its units
	Categories map[string]bool  // dictionaries that can have been a Categorical of pandas
}

// ReadEmbedded reads the schema that a Parquet file keeps as "ARROW:schema", base64 of a message, for what Parquet has no
// type for. A schema that cannot be understood says nothing.
func ReadEmbedded(schema string) (e Embedded) {
	message, err := base64.StdEncoding.DecodeString(schema)
	if err != nil || len(message) < 8 {
		return e
	}
	if binary.LittleEndian.Uint32(message) == continuation {
		message = message[4:]
	}
	e = Embedded{make(map[string]int32), make(map[string]bool)}
	left := len(message) // of names: fields that share one could have it copied over and over
	flatRoot(message[4:]).table(2).tables(1, func(field flatTable) {
		var c arrowColumn
		c.takeType(field)
		isCategory := field.table(4).ok() && c.hasLevels()
		if !isCategory && c.Logical != columnar.LogicalDuration {
			return
		}
		name, size := field.vector(0, 1)
		if size > left {
			return
		}
		if left -= size; isCategory {
			e.Categories[string(name)] = true
		} else {
			e.Durations[string(name)] = c.Scale
		}
	})
	return e
}
