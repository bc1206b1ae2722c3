package chunk

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"boost/dataset/internal/plain"
	"boost/dataset/internal/written"
)

// The words for how a column is written, beside the forms themselves: its cells decide.
const (
	ParseAuto     = "auto"   // numbers or dates in the one form that all cells have; otherwise as without it
	ParseAsNumber = "number" // numbers, in the one form that all cells have
	ParseAsDate   = "date"   // dates, likewise
	ParseText     = "text"   // text, whatever it looks like
)

// parseWords lists them.
var parseWords = []string{ParseAuto, ParseAsNumber, ParseAsDate, ParseText}

// CheckParse returns an error about a way of writing that Parse does not know.
func CheckParse(how string) error {
	if slices.Contains(parseWords, how) {
		return nil
	}
	if _, err := written.ParseForm(how); err != nil {
		return Errorf("parse: %w, or one of %s", err, strings.Join(parseWords, ", "))
	}
	return nil
}

// checkParseNames checks that the columns of Parse exist.
func (o *Options) checkParseNames(names []string, position map[string]int) error {
	for _, name := range slices.Sorted(maps.Keys(o.Parse)) {
		if _, ok := position[name]; !ok && name != "" {
			return absent(names, name, "parse")
		}
	}
	return nil
}

// setParse sets the way of writing of a target without a schema.
func (o *Options) setParse(t *Target) error {
	how, named := o.Parse[t.Name]
	if !named {
		how = o.Parse[""]
	}
	if how == "" {
		return nil
	}
	if t.Role == IDRole || t.Role == GroupRole || t.Want == WantCategory {
		if named && how != ParseText {
			return Errorf("column %q is named in parse, and as %s; it can be one of them", t.Name, map[bool]string{true: "categorical", false: t.Role.String()}[t.Want == WantCategory])
		}
		return nil
	}
	if slices.Contains(parseWords, how) {
		t.Parse = how
		return nil
	}
	return t.setForm(how)
}

// setForm sets the form of a target's numbers; the plain form is nil.
func (t *Target) setForm(text string) error {
	form, err := written.ParseForm(text)
	if err != nil {
		return Errorf("column %q: %w", t.Name, err)
	}
	t.Want, t.Form = WantNumber, &form
	return nil
}

// setSchemaParse gives a target the form of its schema, unless Parse names another.
func (o *Options) setSchemaParse(t *Target) error {
	if t.Schema == nil || t.Want != WantNumber {
		return nil
	}
	if how := o.Parse[t.Name]; how != "" && !slices.Contains(parseWords, how) {
		return t.setForm(how)
	}
	if t.Schema.Written == "" {
		return nil
	}
	return t.setForm(t.Schema.Written)
}

// ValueOf reads a text of the target's column as a number.
func (t *Target) ValueOf(text string, point byte) (v float64, isDate, ok bool) {
	if t.Form == nil {
		return plain.ParseValue([]byte(text), point)
	}
	v, ok = t.Form.Parse(text)
	return v, ok && t.Form.IsDate(), ok
}

// ParseHint returns the flag that reads columns as they are written, ready to paste.
func ParseHint(how map[string]string) string {
	entries := make([]string, 0, len(how))
	for _, name := range slices.Sorted(maps.Keys(how)) {
		entries = append(entries, keyText(name)+"="+tomlText(how[name]))
	}
	return "--set 'data.parse={" + strings.Join(entries, ", ") + "}'"
}

// keyText writes a name as a key of TOML between single quotes of a shell.
func keyText(name string) string {
	bare := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-'
	}
	if name != "" && strings.IndexFunc(name, func(r rune) bool { return !bare(r) }) < 0 {
		return name
	}
	return tomlText(name)
}

func tomlText(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r < ' ' || r == 0x7f || r == '\'':
			fmt.Fprintf(&b, "\\u%04X", r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// FormsOf returns the forms in which all texts may be written.
func FormsOf(point byte, texts []string) []written.Form {
	s := written.NewSearch(point)
	for _, text := range texts {
		if !s.Add(text) {
			return nil
		}
	}
	return s.Forms()
}

// TwoReadings shows how each form reads a text that they read differently, with the flag for each.
func TwoReadings(name string, texts []string, forms []written.Form) string {
	one, other := forms[0], forms[1]
	for _, text := range texts {
		a, _ := one.Parse(text)
		b, _ := other.Parse(text)
		if a == b {
			continue
		}
		first, second := plain.FormatNumber(a), plain.FormatNumber(b)
		if one.IsDate() {
			first, second = one.String(), other.String()
		}
		return fmt.Sprintf("%q is %s with %s, and %s with %s", text, first, ParseHint(map[string]string{name: one.String()}),
			second, ParseHint(map[string]string{name: other.String()}))
	}
	return fmt.Sprintf("as %v and as %v", one, other)
}

// AreCommaNumbers reports whether all levels of a column are numbers as they are
// written with a decimal comma, and not all of them could be thousands like 1,000.
func AreCommaNumbers(levels []string) bool {
	decimals := false
	for _, level := range levels {
		whole, part, comma := strings.Cut(strings.TrimLeft(strings.TrimSpace(level), "+-"), ",")
		if !areDigits(whole) || comma && !areDigits(part) {
			return false
		}
		decimals = decimals || comma && len(part) != 3
	}
	return decimals
}

func areDigits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }
