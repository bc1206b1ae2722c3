package chunk

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"golang.org/x/text/encoding/charmap"
)

// runOptions are the options that change how a table is read and never what is read.
var runOptions = []string{"threads", "noSpool", "memoryLimit", "chunkSize", "chunkRows", "chooser", "chosen", "err", "missingNumbers", "onlyMissing", "pointInstead", "said", "formats"}

// Describe returns a text that is the same for options which read the same table from
// the same files, and another for those that may not.
func (o *Options) Describe() (string, error) {
	said := map[string]any{}
	v := reflect.ValueOf(o).Elem()
	for _, f := range reflect.VisibleFields(v.Type()) {
		if !f.Anonymous {
			said[optionName(f.Name)] = describeOption(v.FieldByIndex(f.Index))
		}
	}
	for _, name := range runOptions {
		delete(said, name)
	}
	said["encoding"], said["format"], said["schema"] = describeEncoding(o.Encoding), "", ""
	if o.Format != nil {
		said["format"] = o.Format.Name
	}
	if o.Schema != nil {
		said["schema"] = o.Schema
	}
	text, err := json.Marshal(said)
	return string(text), err
}

// optionName returns the name of an option in a description, which caches keep.
func optionName(field string) string {
	if field == "IDs" {
		return "ids"
	}
	return strings.ToLower(field[:1]) + field[1:]
}

// describeOption follows pointers to plain values.
func describeOption(v reflect.Value) string {
	if v.Kind() == reflect.Pointer {
		if v.IsNil() || v.Elem().Kind() == reflect.Struct {
			return "" // described by name
		}
		v = v.Elem()
	}
	if v.Kind() == reflect.Slice || v.Kind() == reflect.Map {
		return fmt.Sprintf("%q", v)
	}
	return fmt.Sprint(v)
}

func describeEncoding(m *charmap.Charmap) string {
	if m == nil {
		return "utf-8"
	}
	return m.String()
}
