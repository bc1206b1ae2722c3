package arrowipc

import (
	"encoding/base64"
	"encoding/binary"
)

// Durations reads the schema that a Parquet file keeps as "ARROW:schema", base64 of a message, for what Parquet has no
// type for: columns of durations by name, each with the power of ten of which a second has so many of its units. A
// schema that cannot be understood has none.
func Durations(schema string) map[string]int32 {
	message, err := base64.StdEncoding.DecodeString(schema)
	if err != nil || len(message) < 8 {
		return nil
	}
	if binary.LittleEndian.Uint32(message) == continuation {
		message = message[4:]
	}
	scales := make(map[string]int32)
	left := len(message) // of names: fields that share one could have it copied over and over
	flatRoot(message[4:]).table(2).tables(1, func(field flatTable) {
		if field.integer(2, 1, 0) != arrowDuration {
			return
		}
		name, size := field.vector(0, 1)
		if scale, ok := durationScale(field.table(3)); ok && size <= left {
			left -= size
			scales[string(name)] = scale
		}
	})
	return scales
}
