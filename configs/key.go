package configs

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"boost/booster"
	"boost/dataset"
	"boost/internal/near"
	"boost/internal/setting"
)

// Key is one setting under its name in configs.
type Key struct{ setting.Setting }

// keys are those of the defaults, in the order in which documents show them.
var (
	defaults = Default()
	keys     = keysOf(&defaults)
)

// Keys returns every key, section by section.
func Keys() []Key { return slices.Clone(keys) }

// keysOf returns the keys of c.
func keysOf(c *Config) []Key {
	all := settings(c)
	keys := make([]Key, len(all))
	for i := range all {
		keys[i] = Key{all[i]}
	}
	return keys
}

// Type returns the type in words.
func (k *Key) Type() string {
	switch k.Value.(type) {
	case *string:
		switch {
		case k.Path:
			return "path"
		case k.isChoice():
			return "choice"
		}
		return "text"
	case *[]string:
		if k.Path {
			return "path or list of paths"
		}
		if k.One {
			return "text or list of text"
		}
		return "list of text"
	case *int, *uint64:
		return "integer"
	case *int64:
		return "bytes"
	case *float64:
		if k.Share {
			return "share"
		}
		return "number"
	case *[]float64:
		return "number or list of numbers"
	case *bool:
		return "true or false"
	case *time.Duration:
		return "duration"
	case *booster.CheckpointEvery:
		return "rounds or duration"
	case *[][]string:
		return "list of lists of text"
	case *map[string]string:
		return "\"auto\" or a table of texts, by column"
	case *map[string]int:
		return "table of integers, by column"
	case *map[string]float64:
		if k.byColumn() {
			return "table of numbers, by column"
		}
		return "\"balanced\" or a table of numbers, by class"
	case *map[string][]float64:
		return "table of lists of numbers, by column"
	}
	panic("configs: key " + k.Name + " has a field of an unknown type")
}

// byColumn reports whether a table of numbers is by column, not by class.
func (k *Key) byColumn() bool { return k.Section() != "objective" }

// isChoice reports whether the key is one of several words.
func (k *Key) isChoice() bool {
	_, isText := k.Value.(*string)
	return isText && len(k.Choices) > 0
}

// Default returns the default as a TOML value.
func (k *Key) Default() string { return byName(keys, k.Name).format() }

// format returns the value as a TOML value.
func (k *Key) format() string {
	switch v := k.Value.(type) {
	case *string:
		if k.Name == "data.header" && *v != "auto" {
			return *v
		}
		return quote(*v)
	case *[]string:
		switch {
		case (k.Path || k.One) && len(*v) == 1:
			return quote((*v)[0])
		case k.One && len(*v) == 0:
			return `""`
		}
		return "[" + strings.Join(quoted(*v), ", ") + "]"
	case *int:
		return strconv.Itoa(*v)
	case *int64:
		return strconv.FormatInt(*v, 10)
	case *uint64:
		return strconv.FormatUint(*v, 10)
	case *float64:
		return floatText(*v)
	case *[]float64:
		return floatList(*v)
	case *bool:
		return strconv.FormatBool(*v)
	case *time.Duration:
		if *v == 0 {
			return "0"
		}
		return quote(v.String())
	case *booster.CheckpointEvery:
		if v.Rounds > 0 {
			return strconv.Itoa(v.Rounds)
		}
		return quote(v.Time.String())
	case *[][]string:
		lists := make([]string, len(*v))
		for i, names := range *v {
			lists[i] = "[" + strings.Join(quoted(names), ", ") + "]"
		}
		return "[" + strings.Join(lists, ", ") + "]"
	case *map[string][]float64:
		return inlineTable(*v, floatList)
	case *map[string]int:
		return inlineTable(*v, strconv.Itoa)
	case *map[string]float64:
		if _, balanced := (*v)[booster.Balanced]; balanced {
			return quote("balanced")
		}
		return inlineTable(*v, floatText)
	case *map[string]string:
		if how, all := (*v)[""]; all {
			return quote(how)
		}
		return inlineTable(*v, quote)
	}
	panic("configs: key " + k.Name + " has a field of an unknown type")
}

// JSON returns the value as encoding/json takes it. Durations and choices for all columns are texts, as in a file.
func (k *Key) JSON() any {
	switch v := k.Value.(type) {
	case *time.Duration:
		return v.String()
	case *booster.CheckpointEvery:
		if v.Rounds > 0 {
			return v.Rounds
		}
		return v.Time.String()
	case *map[string]float64:
		if _, balanced := (*v)[booster.Balanced]; balanced {
			return "balanced"
		}
	case *map[string]string:
		if how, all := (*v)[""]; all {
			return how
		}
	}
	value := reflect.ValueOf(k.Value).Elem()
	if value.Kind() == reflect.Slice && value.Len() == 0 {
		return []string{} // nil would be null
	}
	return value.Interface()
}

// floatText writes a finite number as a TOML float.
func floatText(v float64) string {
	s := strconv.FormatFloat(v, 'g', -1, 64)
	if !strings.ContainsAny(s, ".e") {
		s += ".0"
	}
	return s
}

// floatList writes finite numbers as a TOML array.
func floatList(numbers []float64) string {
	texts := make([]string, len(numbers))
	for i, f := range numbers {
		texts[i] = floatText(f)
	}
	return "[" + strings.Join(texts, ", ") + "]"
}

// inlineTable writes a table of columns in the order of their names.
func inlineTable[V any](table map[string]V, text func(V) string) string {
	entries := make([]string, 0, len(table))
	for _, name := range slices.Sorted(maps.Keys(table)) {
		entries = append(entries, quote(name)+" = "+text(table[name]))
	}
	return "{" + strings.Join(entries, ", ") + "}"
}

// assign sets the key from a decoded TOML value. Relative paths are taken
// from dir. The error says what the key takes, not where it stands.
func (k *Key) assign(v any, dir string) error {
	switch field := k.Value.(type) {
	case *string:
		return k.assignText(field, v, dir)
	case *[]string:
		return k.assignList(field, v, dir)
	case *bool:
		b, ok := v.(bool)
		if !ok {
			return k.wrongType(v)
		}
		*field = b
	case *int:
		n, err := k.integer(v)
		if err != nil {
			return err
		}
		*field = int(n)
	case *uint64:
		n, err := k.integer(v)
		if err != nil {
			return err
		}
		*field = uint64(n)
	case *float64:
		if text, ok := v.(string); ok && k.Share {
			f, err := ParseShare(text)
			if err != nil {
				return k.wrongType(v)
			}
			v = f
		}
		f, err := k.number(v)
		if err != nil {
			return err
		}
		*field = f
	case *[]float64:
		return k.assignNumbers(field, v)
	case *[][]string:
		return k.assignLists(field, v)
	case *time.Duration:
		d, err := k.duration(v)
		if err != nil {
			return err
		}
		*field = d
	case *booster.CheckpointEvery:
		return k.assignEvery(field, v)
	case *int64:
		n, err := k.size(v)
		if err != nil {
			return err
		}
		*field = n
	case *map[string][]float64:
		return assignTable(k, field, v, k.numbers)
	case *map[string]string:
		return k.assignParse(field, v)
	case *map[string]float64:
		if k.byColumn() {
			return assignTable(k, field, v, func(column string, v any) (float64, error) {
				f, err := k.number(v)
				if err != nil {
					return 0, fmt.Errorf("column %q: %w", column, err)
				}
				return f, nil
			})
		}
		if v == "balanced" {
			*field = map[string]float64{booster.Balanced: 1}
			return nil
		}
		return assignTable(k, field, v, func(class string, v any) (float64, error) {
			if class == booster.Balanced {
				return 0, fmt.Errorf("%s: a class without a name", k.Name)
			}
			return k.number(v)
		})
	case *map[string]int:
		return assignTable(k, field, v, func(name string, v any) (int, error) {
			n, ok := v.(int64)
			if !ok {
				return 0, fmt.Errorf("%s of column %q must be an integer, not %s", k.Name, name, describe(v))
			}
			if err := k.inRange(float64(n), fmt.Sprintf("%d as for column %q", n, name)); err != nil {
				return 0, err
			}
			return int(n), nil
		})
	default:
		panic("configs: key " + k.Name + " has a field of an unknown type")
	}
	return nil
}

func (k *Key) assignText(field *string, v any, dir string) error {
	if k.Name == "tree.forced_splits" {
		return k.assignForced(field, v, dir)
	}
	if b, ok := v.(bool); ok && slices.Contains(k.Choices, strconv.FormatBool(b)) {
		v = strconv.FormatBool(b)
	}
	if n, ok := v.(int64); ok && k.isChoice() && slices.Contains(k.Choices, strconv.FormatInt(n, 10)) {
		v = strconv.FormatInt(n, 10)
	}
	s, ok := v.(string)
	if !ok {
		return k.wrongType(v)
	}
	switch {
	case k.Path:
		s = resolve(dir, s)
	case k.Name == "train.objective" && refusedObjectives[strings.ToLower(s)] != "":
		return fmt.Errorf("%s = %q: %s", k.Name, s, refusedObjectives[strings.ToLower(s)])
	case k.Name == "train.objective" && strings.Contains(s, ":") && strings.Contains(s, "="):
		return fmt.Errorf("%s = %q: %s", k.Name, s, catBoostForm)
	case k.Name == "train.objective" && isFormula(s):
		return fmt.Errorf("%s = %q: %s", k.Name, s, refusedObjectives["custom"])
	case k.Name == "train.boosting" && refusedBoosting[strings.ToLower(s)] != "":
		return fmt.Errorf("%s = %q: %s", k.Name, s, refusedBoosting[strings.ToLower(s)])
	case k.isChoice() && !slices.Contains(k.Choices, s) && !(s == "" && k.Optional):
		return k.badChoice(s)
	case k.Name == "data.separator":
		if s == "tab" || s == `\t` {
			s = "\t"
		}
		if s != "auto" && !isSeparator(s) {
			return fmt.Errorf("%s must be \"auto\", \"tab\" or one ASCII character that is no part of a number, not %q", k.Name, s)
		}
	}
	*field = s
	return nil
}

// isSeparator reports whether s can stand between cells.
func isSeparator(s string) bool {
	return len(s) == 1 && (s[0] >= ' ' || s[0] == '\t') && s[0] < 0x7f && !strings.ContainsAny(s, "0123456789.+-\"")
}

func (k *Key) assignList(field *[]string, v any, dir string) error {
	var items []string
	switch v := v.(type) {
	case string:
		switch items = []string{v}; {
		case len(k.Choices) > 0:
			items = splitNames(v)
		case k.One && v == "":
			items = nil
		}
	case []any:
		items = make([]string, len(v))
		for i, e := range v {
			s, ok := e.(string)
			if _, isInt := e.(int64); isInt && k.Name == "data.missing" {
				s, ok = fmt.Sprint(e), true
			}
			if !ok {
				return fmt.Errorf("%s must be a list of texts like [\"a\", \"b\"], and %s in it is none%s", k.Name, describe(e), k.namesNotNumbers(e))
			}
			items[i] = s
		}
	default:
		return k.wrongType(v)
	}
	for i, s := range items {
		var err error
		if items[i], err = k.choice(s); err != nil {
			return err
		}
		if k.Path {
			items[i] = resolve(dir, s)
		}
	}
	*field = items
	if len(items) == 0 {
		*field = nil
	}
	return nil
}

// namesNotNumbers says to one who numbers columns that they go by name.
func (k *Key) namesNotNumbers(entry any) string {
	if _, isInt := entry.(int64); isInt && k.Section() == "data" {
		return ": columns go by their names here"
	}
	return ""
}

// choice returns the usual form of an entry of a list.
func (k *Key) choice(s string) (string, error) {
	name := s
	if k.Canonical != nil {
		name, _, _ = strings.Cut(s, "@")
	}
	switch {
	case len(k.Choices) == 0:
		return s, nil
	case k.Name == "metrics.names" && refusedMetrics[strings.ToLower(s)] != "":
		return "", fmt.Errorf("%s: %q: %s", k.Name, s, refusedMetrics[strings.ToLower(s)])
	case k.Name == "metrics.names" && strings.Contains(s, ":") && strings.Contains(s, "="):
		return "", fmt.Errorf("%s: %q: the parameter of a metric stands behind an @, as in ndcg@5, pinball@0.9 or f1@0.3", k.Name, s)
	case k.Name == "metrics.names" && isFormula(s):
		return "", fmt.Errorf("%s: %q: %s", k.Name, s, noFormula)
	case !slices.Contains(k.Choices, name):
		return "", k.badChoice(s)
	case k.Canonical == nil:
		return s, nil
	}
	usual, err := k.Canonical(s)
	if err != nil {
		return "", fmt.Errorf("%s: %w", k.Name, err)
	}
	return usual, nil
}

// assignLists sets a list of lists of texts.
func (k *Key) assignLists(field *[][]string, v any) error {
	if text, ok := v.(string); ok { // [0,1],[2,3] or [[0,1],[2,3]]
		if read, err := tomlValue("[" + text + "]"); err == nil {
			v = read
			if whole := read.([]any); len(whole) == 1 && strings.HasPrefix(strings.ReplaceAll(text, " ", ""), "[[") {
				v = whole[0]
			}
		}
	}
	given, ok := v.([]any)
	if !ok {
		return k.wrongType(v)
	}
	var lists [][]string // nil for none, as by default
	for _, list := range given {
		names, ok := list.([]any)
		if !ok {
			return k.wrongType(v)
		}
		var texts []string
		for _, name := range names {
			switch name := name.(type) {
			case string:
				texts = append(texts, name)
			case int64: // as in peers
				texts = append(texts, booster.ColumnNumber(int(name)))
			default:
				return k.wrongType(v)
			}
		}
		lists = append(lists, texts)
	}
	*field = lists
	return nil
}

// assignNumbers sets a list of numbers, also from a text with commas between them; one number is a list of one.
func (k *Key) assignNumbers(field *[]float64, v any) error {
	list, ok := v.([]any)
	if text, isText := v.(string); isText && strings.Contains(text, ",") {
		for _, name := range splitNames(text) {
			f, err := strconv.ParseFloat(name, 64)
			if err != nil {
				return k.wrongType(v)
			}
			list = append(list, f)
		}
	} else if !ok {
		list = []any{v}
	}
	var numbers []float64 // nil for none, as by default
	for _, item := range list {
		f, err := k.number(item)
		if err != nil {
			return err
		}
		numbers = append(numbers, f)
	}
	*field = numbers
	return nil
}

// value returns the value that the key has; assign sets a new one.
func (k *Key) value() any {
	return reflect.ValueOf(k.Value).Elem().Interface()
}

// join puts an older value before the key's own where both can stand together: entries of
// lists, names once each, and tables that agree where they meet. It reports whether nothing is lost.
func (k *Key) join(old any) bool {
	own := reflect.ValueOf(k.Value).Elem()
	switch before := reflect.ValueOf(old); own.Kind() {
	case reflect.Slice:
		if numbers, ok := old.([]float64); ok {
			own.Set(reflect.ValueOf(slices.Concat(numbers, own.Interface().([]float64))))
			return true
		}
		if lists, ok := old.([][]string); ok {
			own.Set(reflect.ValueOf(slices.Concat(lists, own.Interface().([][]string))))
			return true
		}
		joined := slices.Clone(old.([]string))
		for _, item := range own.Interface().([]string) {
			if k.Path || !slices.Contains(joined, item) {
				joined = append(joined, item)
			}
		}
		own.Set(reflect.ValueOf(joined))
		return true
	case reflect.Map:
		joined := reflect.MakeMap(own.Type())
		for _, table := range []reflect.Value{before, own} {
			for entry := table.MapRange(); entry.Next(); {
				if had := joined.MapIndex(entry.Key()); had.IsValid() && !reflect.DeepEqual(had.Interface(), entry.Value().Interface()) {
					return false
				}
				joined.SetMapIndex(entry.Key(), entry.Value())
			}
		}
		own.Set(joined)
		return true
	}
	return reflect.DeepEqual(old, k.value())
}

// numbered lists the keys that take a list by the number of the column, as peers do.
var numbered = []string{"constraints.monotone", "tree.feature_penalty", "tree.feature_cost", "tree.feature_row_cost", "sampling.col_weights"}

// byNumber returns a list by the number of the column as a table by column; a text such as "(1,-1)" is a list too. Other values come back as they are.
func (k *Key) byNumber(v any) any {
	if !slices.Contains(numbered, k.Name) {
		return v
	}
	if text, ok := v.(string); ok {
		inside := strings.TrimSpace(text)
		if n := len(inside); n >= 2 && inside[0] == '(' && inside[n-1] == ')' {
			inside = inside[1 : n-1]
		}
		if read, err := tomlValue("[" + inside + "]"); err == nil && inside != "" {
			v = read
		}
	}
	list, ok := v.([]any)
	if !ok || slices.ContainsFunc(list, func(item any) bool { _, isText := item.(string); return isText }) {
		return v
	}
	table := map[string]any{}
	for i, item := range list {
		table[booster.ColumnNumber(i)] = item
	}
	return table
}

// assignTable sets a table by column; the first wrong entry by name is the error.
func assignTable[V any](k *Key, field *map[string]V, v any, entry func(name string, v any) (V, error)) error {
	given, ok := k.byNumber(v).(map[string]any)
	if !ok {
		return k.wrongType(v)
	}
	var table map[string]V // nil for no entries, as by default
	for _, name := range slices.Sorted(maps.Keys(given)) {
		value, err := entry(name, given[name])
		if err != nil {
			return err
		}
		if table == nil {
			table = make(map[string]V, len(given))
		}
		table[name] = value
	}
	*field = table
	return nil
}

// assignParse sets how columns are written: all by one word, or each by its own.
func (k *Key) assignParse(field *map[string]string, v any) error {
	if all, ok := v.(string); ok {
		if all != dataset.ParseAuto && all != dataset.ParseText {
			return fmt.Errorf("%s must be \"auto\" or a table by column like {income = \"number\"}, not %q", k.Name, all)
		}
		*field = map[string]string{"": all}
		return nil
	}
	return assignTable(k, field, v, func(name string, v any) (string, error) {
		how, ok := v.(string)
		if !ok || name == "" {
			return "", fmt.Errorf("%s of column %q must be text such as \"number\" or \"dd/mm/yyyy\", not %s", k.Name, name, describe(v))
		}
		if err := dataset.CheckParse(how); err != nil {
			return "", fmt.Errorf("%s of column %q: %w", k.Name, name, err)
		}
		return how, nil
	})
}

// numbers takes a column's list of finite numbers.
func (k *Key) numbers(name string, v any) ([]float64, error) {
	list, ok := v.([]any)
	if !ok {
		return nil, fmt.Errorf("%s of column %q must be a list of numbers like [0.5, 2], not %s", k.Name, name, describe(v))
	}
	numbers := make([]float64, len(list))
	for i, item := range list {
		switch item := item.(type) {
		case int64:
			numbers[i] = float64(item)
		case float64:
			numbers[i] = item
		default:
			return nil, fmt.Errorf("%s of column %q must be a list of numbers, and %s in it is none", k.Name, name, describe(item))
		}
		if math.IsNaN(numbers[i]) || math.IsInf(numbers[i], 0) {
			return nil, fmt.Errorf("%s of column %q must hold finite numbers, not %v", k.Name, name, numbers[i])
		}
	}
	return numbers, nil
}

func (k *Key) integer(v any) (int64, error) {
	n, ok := v.(int64)
	if !ok {
		return 0, k.wrongType(v)
	}
	if n == -1 && k.NoLimit {
		n = 0
	}
	return n, k.inRange(float64(n), strconv.FormatInt(n, 10))
}

func (k *Key) number(v any) (float64, error) {
	var f float64
	switch v := v.(type) {
	case int64:
		f = float64(v)
	case float64:
		f = v
	default:
		return 0, k.wrongType(v)
	}
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return 0, fmt.Errorf("%s must be a finite number, not %v", k.Name, f)
	}
	return f, k.inRange(f, strconv.FormatFloat(f, 'g', -1, 64))
}

// duration takes "90s", "10m", "1h30m" or a number of seconds.
func (k *Key) duration(v any) (time.Duration, error) {
	if s, ok := v.(string); ok {
		if d, err := time.ParseDuration(s); err == nil {
			return d, k.inRange(d.Seconds(), s)
		}
		f, err := strconv.ParseFloat(s, 64)
		if err != nil {
			return 0, fmt.Errorf("%s must be a duration like \"90s\", \"10m\" or a number of seconds, not %q", k.Name, s)
		}
		v = f
	}
	if n, ok := v.(int64); ok && n == -1 {
		return 0, nil
	}
	f, err := k.number(v)
	if err != nil {
		return 0, err
	}
	if f > math.MaxInt64/1e9 {
		return 0, fmt.Errorf("%s is too long: %g seconds", k.Name, f)
	}
	return time.Duration(f * 1e9), nil
}

// assignEvery takes a number of rounds or a duration with its unit.
func (k *Key) assignEvery(field *booster.CheckpointEvery, v any) error {
	if text, ok := v.(string); ok {
		if d, err := time.ParseDuration(text); err == nil && d > 0 {
			*field = booster.CheckpointEvery{Time: d}
			return nil
		}
		if n, err := strconv.ParseInt(text, 10, 64); err == nil {
			v = n
		}
	}
	if v == int64(-1) { // LightGBM's word for none, which is for the folder to say
		return nil
	}
	if n, ok := v.(int64); ok && n > 0 && n <= math.MaxInt32 {
		*field = booster.CheckpointEvery{Rounds: int(n)}
		return nil
	}
	return fmt.Errorf("%s must be a number of rounds, 1 or more, or a time like \"10m\" or \"90s\", not %s", k.Name, describe(v))
}

// size takes a number of bytes or "4GB", "512 MiB", "1.5 GiB".
func (k *Key) size(v any) (int64, error) {
	s, ok := v.(string)
	if !ok {
		return k.integer(v)
	}
	n, err := ParseSize(s)
	if err != nil {
		return 0, fmt.Errorf("%s must be a number of bytes or a size like \"4GB\" or \"512MiB\", not %q", k.Name, s)
	}
	return n, k.inRange(float64(n), s)
}

func (k *Key) inRange(v float64, shown string) error {
	if !k.Range.Contains(v) {
		return fmt.Errorf("%s must be %v, not %s", k.Name, k.Range, shown)
	}
	return nil
}

func (k *Key) badChoice(s string) error {
	name := s
	if k.Canonical != nil {
		name, _, _ = strings.Cut(s, "@")
	}
	return fmt.Errorf("%s must be %s, not %q%s", k.Name, near.Or(quoted(k.Choices)), s, near.Question(near.Words(name, k.Choices)))
}

// takes says by type what a key takes.
var takes = map[string]string{
	"text or list of text": "text in quotes or a list of texts", "text": "text in quotes", "choice": "text in quotes", "path": "a path in quotes",
	"list of text": "a list of texts like [\"a\", \"b\"]", "path or list of paths": "a path in quotes or a list of them",
	"integer": "an integer", "number": "a number like 0.5", "true or false": "true or false",
	"duration": "a duration like \"90s\" or a number of seconds", "bytes": "a number of bytes or a size like \"4GB\"",
	"share":                                "a share like \"0.1%\" or 0.001",
	"table of lists of numbers, by column": "a table of lists of numbers by column like {age = [18, 65]}",
	"\"auto\" or a table of texts, by column":      "\"auto\" or a table by column like {income = \"number\"}",
	"table of numbers, by column":                  "a table of numbers by column like {age = 0.5}",
	"table of integers, by column":                 "a table of integers by column like {age = 64}",
	"list of lists of text":                        "a list of lists of column names like [[\"a\", \"b\"], [\"c\"]]",
	"number or list of numbers":                    "a number like 0.5 or a list like [0.1, 0.9]",
	"\"balanced\" or a table of numbers, by class": "\"balanced\" or a table by class like {yes = 3.5}",
}

func (k *Key) wrongType(v any) error {
	shown := describe(v)
	if n, ok := v.(int64); ok && (k.Type() == "text" || k.One || k.isChoice()) {
		shown += fmt.Sprintf(" (write \"%d\")", n)
	}
	example := takes[k.Type()]
	if !k.Range.Contains(64) {
		example = strings.Replace(example, "{age = 64}", "{age = 1}", 1)
	}
	if text, _ := v.(string); strings.HasSuffix(k.Type(), ", by column") && (shown == "a list" || strings.Contains(text, ",")) {
		shown += ": each column by its name"
	}
	return fmt.Errorf("%s must be %s, not %s", k.Name, example, shown)
}

func describe(v any) string {
	switch v := v.(type) {
	case string:
		return strconv.Quote(v)
	case map[string]any:
		return "a table"
	case []any, []map[string]any:
		return "a list"
	case float64:
		if v == math.Trunc(v) && math.Abs(v) < 1e15 {
			return strconv.FormatFloat(v, 'f', 1, 64) // "must be an integer, not 5" would be a riddle
		}
		return fmt.Sprint(v)
	case int64, bool:
		return fmt.Sprint(v)
	}
	return "a date"
}

// resolve takes a relative path from dir; standard input stays itself.
func resolve(dir, p string) string {
	if dir == "" || p == "" || p == "-" || filepath.IsAbs(p) {
		return p
	}
	return filepath.Join(dir, p)
}

var (
	errSize  = errors.New("not a size")
	errShare = errors.New("not a share")
)

// ParseSize reads a number of bytes: "200000", "200KB", "1.5 MiB". The error says nothing of s.
func ParseSize(s string) (int64, error) {
	s = strings.ToUpper(strings.TrimSpace(s))
	digits := strings.TrimRight(s, "KMGTIB ")
	units := map[string]float64{
		"": 1, "B": 1,
		"K": 1e3, "KB": 1e3, "M": 1e6, "MB": 1e6, "G": 1e9, "GB": 1e9, "T": 1e12, "TB": 1e12,
		"KIB": 1 << 10, "MIB": 1 << 20, "GIB": 1 << 30, "TIB": 1 << 40,
	}
	unit, ok := units[strings.TrimSpace(s[len(digits):])]
	f, err := strconv.ParseFloat(digits, 64)
	if err != nil || !ok || math.IsNaN(f) || f < 0 || f*unit >= math.MaxInt64 {
		return 0, errSize
	}
	return int64(f * unit), nil
}

// ParseShare reads a share of something: "0.1%", "0.001". The error says nothing of s.
func ParseShare(s string) (float64, error) {
	text, percent := strings.CutSuffix(strings.TrimSpace(s), "%")
	f, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if err != nil || math.IsNaN(f) || math.IsInf(f, 0) {
		return 0, errShare
	}
	if percent {
		f /= 100
	}
	return f, nil
}

func quoted(list []string) []string {
	q := make([]string, len(list))
	for i, s := range list {
		q[i] = quote(s)
	}
	return q
}

// quote writes s as a TOML basic string.
func quote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\t':
			b.WriteString(`\t`)
		case r == '\n':
			b.WriteString(`\n`)
		case r < 0x20 || r == 0x7f:
			fmt.Fprintf(&b, `\u%04X`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
