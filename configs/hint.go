package configs

import (
	"regexp"
	"slices"
	"strings"
)

// Errors and notes of packages advise settings as a config has them. Those of one advice stand
// together: set categorical = ["age"], or: set goss_top = 0 and goss_other = 0. Texts in quotes are
// those of tables, and other settings in a message are what is, not what to do.
var (
	quotedText = `"(?:[^"\\]|\\.)*"`
	advised    = regexp.MustCompile(`((?:[a-z]+\.)?[a-z][a-z_0-9]*) = (` + quotedText + `(?: or ` + quotedText + `)*|\[(?:` + quotedText + `(?:, )?)*\]|\{[^}]*\}|[\w.+-]*\w)`)
	addMissing = regexp.MustCompile(`add (` + quotedText + `(?:, ` + quotedText + `)*) to missing = \[…\]`)
	advice     = regexp.MustCompile(quotedText + `|\b(?:` + addMissing.String() + `|(?:set|out with) ` + advised.String() + `(?:,? (?:or|and) ` + advised.String() + `)*)`)
)

// AsFlags returns a message with the settings that it advises as flags. flag words a key and its
// value, as it stands after --set KEY=; "" leaves the setting as it is.
func AsFlags(text string, flag func(k *Key, value string) string) string {
	if !strings.Contains(text, " = ") {
		return text
	}
	return advice.ReplaceAllStringFunc(text, func(found string) string {
		if found[0] == '"' {
			return found
		}
		said := addMissing.ReplaceAllString(found, `set missing = [$1]`)
		flags := advised.ReplaceAllStringFunc(said, func(setting string) string { return asFlag(setting, flag) })
		if flags == said {
			return found
		}
		if rest, ok := strings.CutPrefix(flags, "set "); ok {
			return "give " + rest
		}
		return flags
	})
}

// asFlag returns a setting as a flag, or one flag for each of several values; as it is, if there is
// no such key.
func asFlag(setting string, flag func(k *Key, value string) string) string {
	parts := advised.FindStringSubmatch(setting)
	written, value := parts[1], parts[2]
	key, _, err := lookup(keys, written)
	if err != nil {
		return setting
	}
	var flags []string
	for one := range strings.SplitSeq(value, `" or "`) {
		if value != one {
			one = `"` + strings.Trim(one, `"`) + `"`
		}
		given := flag(key, key.assigned(one))
		if given == "" {
			return setting
		}
		flags = append(flags, given)
	}
	return strings.Join(flags, " or ")
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
		if name, ok := v[0].(string); ok && name != "" && slices.Equal(splitQuoted(name), []string{name}) && !strings.Contains(name, "[") {
			return name
		}
	}
	return value
}
