package configs

import (
	"regexp"
	"strings"
)

// What packages say to do about an error is a setting, as a config has it: set categorical = ["age"].
var (
	quotedText = `"(?:[^"\\]|\\.)*"`
	addMissing = regexp.MustCompile(`\badd (` + quotedText + `) to missing = \[…\]`)
	advised    = regexp.MustCompile(`\b(set|or|and|with|give) ((?:[a-z]+\.)?[a-z][a-z_0-9]*) = (` + quotedText + `(?: or ` + quotedText + `)*|\[(?:` + quotedText + `(?:, )?)*\]|\{[^}]*\}|[\w.+-]*\w)`)
)

// AsFlags returns a message with the settings that it advises as flags. flag words a key and its
// value, as it stands after --set KEY=.
func AsFlags(text string, flag func(k *Key, value string) string) string {
	if !strings.Contains(text, " = ") {
		return text
	}
	text = addMissing.ReplaceAllString(text, `set missing = [$1]`)
	return advised.ReplaceAllStringFunc(text, func(found string) string {
		parts := advised.FindStringSubmatch(found)
		word, written, value := parts[1], parts[2], parts[3]
		key, _, err := lookup(keys, written)
		if err != nil {
			return found
		}
		if word == "set" {
			word = "give"
		}
		var flags []string
		for one := range strings.SplitSeq(value, `" or "`) {
			if value != one {
				one = `"` + strings.Trim(one, `"`) + `"`
			}
			flags = append(flags, flag(key, key.assigned(one)))
		}
		return word + " " + strings.Join(flags, " or ")
	})
}

// assigned returns a TOML value of the key as it stands after --set KEY=.
func (k *Key) assigned(value string) string {
	v, err := tomlValue(value)
	if err != nil {
		return value
	}
	switch v := v.(type) {
	case string:
		if unquote(v) == v {
			return v
		}
	case []any:
		if len(v) != 1 {
			break
		}
		if name, ok := v[0].(string); ok && name != "" && name == strings.TrimSpace(name) && !strings.ContainsAny(name, ",[") {
			return name
		}
	}
	return value
}
