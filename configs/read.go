package configs

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/BurntSushi/toml"

	"boost/internal/setting"
	"boost/objectives"
)

// place says where a setting was written: a line of a file, or a flag.
type place struct {
	file  string
	line  int
	flag  string // "--set tree.leaves=63" or "--leaves 63", where file is ""
	alias string // the name it was written by, where that is not its own
}

func (p place) String() string {
	if p.file == "" {
		return p.flag
	}
	return fmt.Sprintf("%s:%d", p.file, p.line)
}

// sameFlag reports whether two settings were written by one flag, given twice.
func (p place) sameFlag(q place) bool {
	own, _, _ := strings.Cut(p.flag, " ")
	other, _, _ := strings.Cut(q.flag, " ")
	return own == other
}

// Flag is a flag of the command line that stands for a key.
type Flag struct {
	Name  string // "--leaves"
	Key   string // "tree.leaves"
	Value string // as after --set KEY=
	Whole bool   // Value is one entry of a list, also with commas in it
}

func (f Flag) place() place { return place{flag: f.Name + " " + printable(f.Value)} }

// printable quotes text that would disturb a terminal.
func printable(text string) string {
	if strings.ContainsFunc(text, unicode.IsControl) {
		return strconv.Quote(text)
	}
	return text
}

// reader applies a file and assignments to a Config, collecting every problem.
type reader struct {
	config   *Config
	keys     []Key // of config
	notes    []string
	problems []error

	noLeafLimit   bool
	noRowSampling bool
	custom        []string // metrics of CatBoost that never lead early stopping
	customAt      place    // of the last of them
	waits         place    // of a parameter of CatBoost that stops early, or keeps the best rounds
	waitsFor      int      // rounds of such, 0 = all
}

// Read starts from base, applies the TOML file (none if the name is ""), then the flags and
// the assignments section.key=value, which replace what the file says. Among flags and
// assignments, a list or table that is given several times is joined, and any other key with
// two values is a problem. Paths in the file are relative to it. The notes say, once each,
// which names of other libraries were translated. The error wraps ErrConfig and holds all
// problems, one a line, each with its place.
func Read(base Config, file string, assignments []string, flags ...Flag) (*Config, []string, error) {
	document := ""
	if file != "" {
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, nil, fmt.Errorf("%w file %s: %v", ErrConfig, file, reason(err))
		}
		document = string(data)
	}
	r := newReader(base)
	r.apply(file, document, assignments, flags)
	r.resolvePeers()
	if len(r.problems) == 0 {
		r.resolvePreset()
	}
	r.resolveTogether()
	if len(r.problems) > 0 {
		return nil, r.notes, &Problems{r.problems}
	}
	return r.config, r.notes, nil
}

func newReader(base Config) *reader {
	c := base.clone()
	return &reader{config: c, keys: keysOf(c)}
}

// apply applies a TOML document, if there is a file, then flags and assignments.
func (r *reader) apply(file, document string, assignments []string, flags []Flag) {
	if file != "" {
		r.file(file, document)
	}
	for _, f := range flags {
		if f.Whole {
			r.assign(f.place(), f.Key, f.Value, "")
			continue
		}
		r.set(f.place(), f.Key, f.Value)
	}
	for _, a := range assignments {
		at := place{flag: "--set " + printable(a)}
		name, value, ok := strings.Cut(a, "=")
		if !ok {
			r.problem(at, errors.New("expected section.key=value"))
			continue
		}
		r.set(at, strings.TrimSpace(name), value)
	}
}

// Problems is every problem of a config, in the order in which they were found.
type Problems struct{ list []error }

// Error returns the problems, one a line.
func (p *Problems) Error() string {
	lines := make([]string, len(p.list))
	for i, err := range p.list {
		lines[i] = err.Error()
	}
	return strings.Join(lines, "\n")
}

// Unwrap returns ErrConfig and the problems.
func (p *Problems) Unwrap() []error { return append([]error{ErrConfig}, p.list...) }

// problemf makes an error that is the only problem.
func problemf(format string, args ...any) error {
	return &Problems{[]error{fmt.Errorf(format, args...)}}
}

// reason strips the operation and path from an error of package os.
func reason(err error) error {
	if pathErr, ok := errors.AsType[*os.PathError](err); ok {
		return pathErr.Err
	}
	return err
}

func (r *reader) problem(at place, err error) {
	r.problems = append(r.problems, fmt.Errorf("%v: %w", at, err))
}

func (r *reader) note(s string) {
	if !slices.Contains(r.notes, s) {
		r.notes = append(r.notes, s)
	}
}

// file applies a TOML document.
func (r *reader) file(name, document string) {
	var top map[string]toml.Primitive
	meta, err := toml.Decode(document, &top)
	if err != nil {
		if syntax, ok := errors.AsType[toml.ParseError](err); ok {
			r.problem(place{file: name, line: syntax.Position.Line}, errors.New(explained(syntax.Message)))
			return
		}
		r.problem(place{file: name, line: 1}, err)
		return
	}
	tables := map[string]map[string]toml.Primitive{}
	seen := map[string]bool{}
	for _, key := range meta.Keys() {
		// Dotted keys bring their tables with them, so every key is taken by its first
		// two parts; what lies deeper is inside a value that its key refuses.
		section, short := key[0], strings.Join(key[:min(len(key), 2)], ".")
		v, line := decode(&meta, top[section])
		at := place{file: name, line: cmp.Or(line, lineOf(&meta, top[section], key[1:]))}
		if _, isTable := v.(map[string]any); !isTable {
			if !seen[section] {
				r.assign(at, section, v, filepath.Dir(name))
			}
			seen[section] = true
			continue
		}
		if !slices.Contains(sections, section) {
			if !seen[section] {
				r.problem(at, unknownSection(section))
			}
			seen[section] = true
			continue
		}
		if len(key) == 1 || seen[short] {
			continue
		}
		seen[short] = true
		if tables[section] == nil {
			table := map[string]toml.Primitive{}
			if err := meta.PrimitiveDecode(top[section], &table); err != nil {
				r.problem(at, err)
				continue
			}
			tables[section] = table
		}
		value := tables[section][key[1]]
		v, line = decode(&meta, value)
		at.line = cmp.Or(line, lineOf(&meta, value, key[2:]))
		r.assign(at, short, v, filepath.Dir(name))
	}
}

// seize takes any TOML value and then refuses it, because the library tells a
// key's place only with an error.
type seize struct{ value any }

var errSeized = errors.New("seized")

func (s *seize) UnmarshalTOML(v any) error {
	s.value = v
	return errSeized
}

// decode returns the value of a key and its line.
func decode(meta *toml.MetaData, p toml.Primitive) (v any, line int) {
	var s seize
	var at toml.ParseError
	if err := meta.PrimitiveDecode(p, &s); errors.As(err, &at) {
		line = at.Position.Line
	}
	return s.value, line
}

// lineOf returns the line of the key at the end of path inside p, for tables
// that dotted keys imply and that have no line of their own.
func lineOf(meta *toml.MetaData, p toml.Primitive, path []string) int {
	for _, name := range path {
		var table map[string]toml.Primitive
		if meta.PrimitiveDecode(p, &table) != nil {
			return 0
		}
		p = table[name]
		if _, line := decode(meta, p); line > 0 {
			return line
		}
	}
	return 0
}

// set gives a key the value that a flag says.
func (r *reader) set(at place, name, value string) {
	k, _, err := lookup(r.keys, name)
	if err != nil {
		r.unknown(at, name, unquote(strings.TrimSpace(value)), err)
		return
	}
	v, err := k.parse(value)
	if err != nil {
		r.problem(at, err)
		return
	}
	r.assign(at, name, v, "")
}

// parse reads the value of an assignment: text as it stands less one pair of
// quotes, lists as a TOML array or names between commas (in quotes one name), the rest as TOML.
func (k *Key) parse(value string) (any, error) {
	trimmed := strings.TrimSpace(value)
	switch k.Type() {
	case "text", "choice", "path":
		return unquote(value), nil
	case "duration", "rounds or duration", "bytes", "share", "number or list of numbers", `"balanced" or a table of numbers, by class`:
		if v, err := tomlValue(trimmed); err == nil {
			return v, nil
		}
		return unquote(trimmed), nil
	case `"auto" or a table of texts, by column`:
		if !strings.HasPrefix(trimmed, "{") {
			return unquote(trimmed), nil
		}
	case "text or list of text":
		if strings.HasPrefix(trimmed, "[") {
			break
		}
		if names := splitQuoted(value); len(names) > 1 {
			return anyList(names), nil
		}
		return unquote(value), nil
	case "list of text", "path or list of paths":
		if !strings.HasPrefix(trimmed, "[") {
			return anyList(splitQuoted(value)), nil
		}
	}
	v, err := tomlValue(trimmed)
	if err != nil && (slices.Contains(numbered, k.Name) || k.Type() == "list of lists of text") {
		return unquote(trimmed), nil // a list without brackets, or in round ones
	}
	if err != nil {
		return nil, k.wrongType(value)
	}
	return v, nil
}

// splitQuoted is splitNames where names may stand in quotes, which go; a comma in them is part of the name.
func splitQuoted(s string) []string {
	var names []string
	for more := strings.TrimSpace(s) != ""; more; {
		s = strings.TrimSpace(s)
		name, rest, ok := cutQuoted(s)
		if !ok {
			name, _, _ = strings.Cut(s, ",")
			rest, name = s[len(name):], strings.TrimSpace(name)
		}
		names = append(names, name)
		s, more = strings.CutPrefix(rest, ",")
	}
	return names
}

// cutQuoted cuts a text behind the quotes that it begins with, if a comma or nothing follows them; the name is what stands in them.
func cutQuoted(s string) (name, rest string, ok bool) {
	if s == "" || s[0] != '"' && s[0] != '\'' {
		return "", s, false
	}
	for at := 1; at < len(s); at++ {
		if s[at] != s[0] {
			continue
		}
		if rest = strings.TrimLeft(s[at+1:], " \t"); rest == "" || rest[0] == ',' {
			return s[1:at], rest, true
		}
	}
	return "", s, false
}

// unquote removes one pair of quotes.
func unquote(s string) string {
	if n := len(s); n >= 2 && (s[0] == '"' || s[0] == '\'') && s[n-1] == s[0] {
		return s[1 : n-1]
	}
	return s
}

var errNotOneValue = errors.New("not one TOML value")

// Numbers that TOML wants a digit more of: .5 and 1.
var (
	noDigitBefore = regexp.MustCompile(`(^|[^\w.])\.(\d)`)
	noDigitBehind = regexp.MustCompile(`(\d)\.($|[^\w.])`)
)

func tomlValue(s string) (any, error) {
	var doc map[string]any
	if _, err := toml.Decode("v = "+s, &doc); err != nil {
		whole := noDigitBehind.ReplaceAllString(noDigitBefore.ReplaceAllString(s, "${1}0.$2"), "$1.0$2")
		if whole == s || strings.ContainsAny(s, "\"'") {
			return nil, err
		}
		return tomlValue(whole)
	}
	if len(doc) != 1 {
		return nil, errNotOneValue
	}
	return doc["v"], nil
}

// unknown takes a name without a key where its value asks for what is done anyway; else err is a problem.
func (r *reader) unknown(at place, written string, v any, err error) {
	if !isAlways(written, v) {
		r.problem(at, err)
		return
	}
	switch name := written[strings.LastIndexByte(written, '.')+1:]; {
	case slices.Contains(classCounts, name):
		r.note(fmt.Sprintf("the classes are those of the label here, whatever %q says", written))
	case name == "use_best_model" || name == "od_type":
		if at.alias = name; r.waits == (place{}) || name == "od_type" {
			r.waits, r.waitsFor = at, map[string]int{"od_type": 20}[name]
		}
	case slices.Contains(harmless, name):
		r.note(fmt.Sprintf("%q is left out: %s", written, strings.TrimSuffix(needless[name], ": leave it out")))
	case name == "enable_categorical":
		r.note("columns of categories are used here, whatever enable_categorical is")
	default:
		r.note(fmt.Sprintf("%q is always %v here", written, v))
	}
}

// assign gives the key that a written name means its value.
func (r *reader) assign(at place, written string, v any, dir string) {
	k, alias, err := lookup(r.keys, written)
	if err != nil {
		r.unknown(at, written, v, err)
		return
	}
	at.alias = alias
	if alias == "custom_metric" || alias == "custom_loss" {
		r.addCustom(k, at, v)
		return
	}
	before, again := r.config.given[k.Name]
	if again && before.file != "" && at.file != "" {
		r.problem(at, fmt.Errorf("%s is set twice: as %q in line %d and as %q here",
			k.Name, nameIn(k, before), before.line, nameIn(k, at)))
		return
	}
	if alias != "" {
		r.note(fmt.Sprintf("%q is called %s here", written, k.Name))
	}
	v = r.translate(k, alias, v)
	v = r.translateNames(k, v)
	old := k.value()
	if err := k.assign(v, dir); err != nil {
		if alias != "" {
			err = fmt.Errorf("%s: %w", strconv.Quote(written), err)
		}
		r.problem(at, err)
		return
	}
	if again && before.file == "" && at.file == "" && (k.One && !before.sameFlag(at) && !reflect.DeepEqual(old, k.value()) || !k.join(old)) {
		r.problems = append(r.problems, fmt.Errorf("%s has two values: %v and %v (leave one of them out)", k.Name, before, at))
		return
	}
	r.config.given[k.Name] = at
}

// explained adds what to do to an error of the TOML reader.
func explained(message string) string {
	if strings.HasPrefix(message, "expected value but found") {
		return message + ` (texts need quotes: key = "text")`
	}
	return message
}

func nameIn(k *Key, at place) string {
	if at.alias != "" {
		return at.alias
	}
	return k.Name
}

// resolveTogether applies what depends on several keys.
func (r *reader) resolveTogether() {
	if d := &r.config.Data; d.Separator == d.Decimal {
		r.problem(r.config.given["data.separator"], fmt.Errorf("data.separator and data.decimal are both %q: change one of them", d.Decimal))
	}
	p := &r.config.Params
	if len(p.Binning.ForcedCuts) > 0 && r.config.ForcedCutsFile != "" {
		r.problem(r.config.given["binning.forced_cuts_file"], errors.New("binning.forced_cuts and binning.forced_cuts_file are both set: leave one of them out"))
	}
	if d := p.Tree.MaxDepth; r.noLeafLimit && d > 0 && d < 17 {
		p.Tree.Leaves = 1 << d
	}
	r.resolveWaiting()
	if r.config.given["train.valid_share"].alias == "validation_fraction" && p.EarlyStopping == 0 {
		r.note("validation_fraction holds rows out here also without early stopping: they are not trained on")
	}
	if r.config.given["dart.drop_rate"].alias == "rate_drop" && r.config.Preset != "xgboost" {
		r.note("keys of [dart] that are left out have LightGBM's defaults; XGBoost's are skip_drop = 0, max_drop = 0, sample = \"uniform\" and normalize = \"tree\"")
	}
	r.checkLossZeros()
	r.checkRegistry()
}

// resolvePeers applies what a peer's parameters mean, before a preset says what else is not given: a bagging frequency of 0, XGBoost's bound of levels.
func (r *reader) resolvePeers() {
	r.resolveMetrics()
	p := &r.config.Params
	if p.Loss.Sigmoid == 1 && r.config.given["objective.sigmoid"].alias != "" {
		p.Loss.Sigmoid = 0 // of both libraries' ranking losses the default, and of the binary loss all that there is here
		delete(r.config.given, "objective.sigmoid")
	}
	if at := r.config.given["categorical.onehot_max"]; at.alias == "max_cat_to_onehot" && r.config.Preset == "xgboost" && p.Tree.OneHotMax > 0 {
		p.Tree.OneHotMax-- // XGBoost's is the number of levels from which on they are divided into sets
	}
	switch at := r.config.given["sampling.row_fraction"]; {
	case r.noRowSampling && (p.RowFraction < 1 || p.PositiveFraction > 0 || p.NegativeFraction > 0):
		p.RowFraction, p.PositiveFraction, p.NegativeFraction = 1, 0, 0
		r.note("a bagging frequency of 0 means no sampling of rows: sampling.row_fraction is 1")
	case at.alias == "bagging_fraction" && !r.config.Given("sampling.row_every"):
		r.note("bagging_fraction samples rows in every round here; LightGBM does so only where bagging_freq is set")
	}
}

// resolveWaiting lets use_best_model keep the best of all rounds, and od_type wait as long as CatBoost does, where nothing else says when to stop.
func (r *reader) resolveWaiting() {
	c := r.config
	if r.waits == (place{}) {
		return
	}
	if at, given := c.given["train.early_stopping"]; given || c.Params.EarlyStopping > 0 {
		if given && c.Params.EarlyStopping == 0 {
			r.problem(r.waits, fmt.Errorf("%s stops training, and %v says that nothing does: leave one of them out", r.waits.alias, at))
			return
		}
		r.note(r.waits.alias + ": training stops early here, and the model is that of the best round")
		return
	}
	rounds := r.waitsFor
	if rounds == 0 {
		rounds = c.Params.Rounds
	}
	c.Params.EarlyStopping, c.asked.EarlyStopping, c.given["train.early_stopping"] = rounds, rounds, r.waits
	r.note(fmt.Sprintf("%s: train.early_stopping is %d, and the model that of the best round on validation rows, which are held out where none are given", r.waits.alias, rounds))
}

// addCustom keeps metrics that are evaluated, and stand behind the others. Flags replace those of the file.
func (r *reader) addCustom(k *Key, at place, v any) {
	r.note(fmt.Sprintf("%q is part of %s here", at.alias, k.Name))
	others := r.config.Params.Metrics
	err := k.assign(r.translateNames(k, v), "")
	names := r.config.Params.Metrics
	r.config.Params.Metrics = others
	if err != nil {
		r.problem(at, fmt.Errorf("%s: %w", strconv.Quote(at.alias), err))
		return
	}
	if at.file == "" && r.customAt.file != "" {
		r.custom = nil
	}
	r.custom, r.customAt = append(r.custom, names...), at
	if _, given := r.config.given[k.Name]; !given && len(names) == 0 {
		r.config.given[k.Name] = at // none is all that is said
	}
}

// resolveMetrics puts metrics that never lead behind those that may.
func (r *reader) resolveMetrics() {
	p := &r.config.Params
	if len(r.custom) > 0 && len(p.Metrics) == 0 {
		r.problem(r.customAt, fmt.Errorf("%s alone: the first of metrics.names leads early stopping; list there the metric that is to lead, and these behind it", r.customAt.alias))
		return
	}
	for _, name := range r.custom {
		if !slices.Contains(p.Metrics, name) {
			p.Metrics = append(slices.Clip(p.Metrics), name)
		}
	}
}

// checkLossZeros refuses a 0 for a parameter of the loss that would be taken for the default.
func (r *reader) checkLossZeros() {
	info, ok := objectives.Lookup(r.config.Params.Objective)
	if !ok {
		return
	}
	takes := objectives.Settings(&info.Takes)
	for i := range r.keys {
		k := &r.keys[i]
		if at, given := r.config.given[k.Name]; k.NotZero != "" && given && reflect.ValueOf(k.Value).Elem().IsZero() &&
			slices.ContainsFunc(takes, func(s setting.Setting) bool {
				return s.Name == k.Name && !reflect.ValueOf(s.Value).Elem().IsZero()
			}) {
			r.problem(at, fmt.Errorf("%s: 0 %s", k.Name, k.NotZero))
		}
	}
}

// checkRegistry finds what is wrong with keys of [registry] together. Each of its problems
// begins with the name of a key; its place is that of the first given key that it names.
func (r *reader) checkRegistry() {
	err := r.config.Registry.Validate()
	if err == nil {
		return
	}
	for text := range strings.Lines(err.Error()) {
		text = strings.TrimPrefix(strings.TrimSpace(text), "store: ")
		var at place
		for i := range r.keys {
			k := &r.keys[i]
			given, ok := r.config.given[k.Name]
			if ok && k.Section() == "registry" && slices.Contains(strings.FieldsFunc(text, notInKey), k.Leaf()) {
				at = given
				break
			}
		}
		r.problem(at, errors.New("registry."+text))
	}
}

// notInKey says of a character that no key's name has it.
func notInKey(r rune) bool { return r != '_' && !unicode.IsLetter(r) }
