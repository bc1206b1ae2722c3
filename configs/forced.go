package configs

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"boost/tree/forced"
)

// assignForced sets forced splits from a table, their JSON text, or a file of it. The field holds the text, so that a model keeps
// the splits and not the name of a file.
func (k *Key) assignForced(field *string, v any, dir string) error {
	var text string
	switch v := v.(type) {
	case map[string]any:
		b, err := json.Marshal(v)
		if err != nil {
			return fmt.Errorf("%s: %v", k.Name, err)
		}
		text = string(b)
	case string:
		if text = strings.TrimSpace(v); text != "" && text[0] != '{' {
			b, err := os.ReadFile(resolve(dir, text))
			if err != nil {
				return fmt.Errorf("%s: %v: give a file, or JSON that begins with {", k.Name, err)
			}
			text = string(b)
		}
	default:
		return k.wrongType(v)
	}
	if text != "" {
		var err error
		if text, err = forced.Compact(text); err != nil {
			return fmt.Errorf("%s: %w", k.Name, err)
		}
	}
	*field = text
	return nil
}
