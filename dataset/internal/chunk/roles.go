package chunk

import (
	"cmp"
	"slices"
	"strings"

	"boost/dataset/internal/written"
	"boost/internal/near"
)

// want says how much about a column's type is known before its cells are seen.
type want uint8

const (
	WantAny      want = iota // by value, over all rows
	WantNumber               // numbers; any other cell is bad
	WantCategory             // levels
	WantText                 // the text as it is
)

// Target is a column of the table to be: which input column it comes from and
// what it is for.
type Target struct {
	Source int
	Name   string
	Role   Role
	Want   want
	Schema *ColumnSchema // the model's column that it has to follow, or nil
	Parse  string        // one of the words of Parse; "" for none
	Form   *written.Form // how its numbers are written; nil for plainly
	Padded bool          // its first cells are whole numbers with zeros before them, as codes are
}

// KeepsBlanks reports whether blanks around cells that are not quoted are kept at first: those of ids are, and those of a
// model's column, which may have levels with such blanks.
func (t *Target) KeepsBlanks() bool { return t.Want == WantText || t.Schema != nil }

// HasBlanks reports whether a level begins or ends with a blank.
func HasBlanks(levels []string) bool {
	return slices.ContainsFunc(levels, func(level string) bool { return TrimText(level) != level })
}

// TrimText is Trim of a text.
func TrimText(level string) string { return strings.Trim(level, " \t") }

// Assigns reports whether an option gives the named column its role.
func (o *Options) Assigns(name string) bool {
	return name == o.Weight || name == o.Group || name == o.Event || name == o.Upper || slices.Contains(o.Labels, name) || slices.Contains(o.InitScores, name) ||
		slices.Contains(o.IDs, name) || slices.Contains(o.Ignore, name)
}

// Resolve decides which of the input's columns become columns of the table.
// The targets stand in input order, or in the schema's order followed by ids.
func (o *Options) Resolve(names []string) ([]Target, error) {
	if len(names) == 0 {
		return nil, Errorf("the table has no columns")
	}
	position := make(map[string]int, len(names))
	for i, name := range names {
		if first, repeated := position[name]; repeated {
			return nil, Errorf("column %q stands in the table twice, as columns %d and %d; rename one", name, first+1, i+1)
		}
		position[name] = i
	}
	if o.Schema != nil {
		return o.resolveSchema(names, position)
	}
	if o.NeedLabel && o.Labels == nil {
		return nil, Errorf("the columns are %s: %w", NameList(names, 20), ErrNoLabel)
	}
	given := make(map[string]string)
	claim := func(option string, columns ...string) error {
		for _, name := range columns {
			if _, ok := position[name]; !ok {
				return absent(names, name, option)
			}
			if other, taken := given[name]; taken && other != option {
				return Errorf("column %q is named as %s and as %s; it can be one of them", name, other, option)
			}
			given[name] = option
		}
		return nil
	}
	for _, c := range []struct {
		option  string
		columns []string
	}{
		{"label", o.Labels}, {"weight", nonEmpty(o.Weight)}, {"group", nonEmpty(o.Group)},
		{"event", nonEmpty(o.Event)}, {"label_upper", nonEmpty(o.Upper)}, {"position", nonEmpty(o.Position)},
		{"init_score", o.InitScores}, {"id", o.IDs}, {"ignore", o.Ignore},
	} {
		if err := claim(c.option, c.columns...); err != nil {
			return nil, err
		}
	}
	for _, name := range o.Categorical {
		if _, ok := position[name]; !ok {
			return nil, absent(names, name, "categorical")
		}
		if other := given[name]; other == "weight" || other == "event" || other == "label_upper" || other == "position" || other == "init_score" {
			return nil, Errorf("column %q is named as %s and as categorical; it can be one of them", name, other)
		}
	}
	if err := o.checkParseNames(names, position); err != nil {
		return nil, err
	}
	categorical := make(map[string]bool, len(o.Categorical))
	for _, name := range o.Categorical {
		categorical[name] = true
	}
	targets := make([]Target, 0, len(names))
	for i, name := range names {
		t := Target{Source: i, Name: name}
		switch given[name] {
		case "ignore":
			continue
		case "label":
			t.Role = LabelRole
		case "weight":
			t.Role, t.Want = WeightRole, WantNumber
		case "group":
			t.Role = GroupRole
		case "event":
			t.Role, t.Want = EventRole, WantNumber
		case "label_upper":
			t.Role, t.Want = UpperRole, WantNumber
		case "position":
			t.Role, t.Want = PositionRole, WantNumber
		case "init_score":
			t.Role, t.Want = InitScoreRole, WantNumber
		case "id":
			t.Role, t.Want = IDRole, WantText
		}
		if t.Want == WantAny && categorical[name] {
			t.Want = WantCategory
		}
		if err := o.setParse(&t); err != nil {
			return nil, err
		}
		targets = append(targets, t)
	}
	if len(targets) == 0 {
		return nil, Errorf("every column of the table is ignored")
	}
	return targets, cmp.Or(orderNamed(targets, LabelRole, o.Labels), orderNamed(targets, InitScoreRole, o.InitScores))
}

// orderNamed gives the columns of a role, among themselves, the order in which they were named, which is that of the outputs.
func orderNamed(targets []Target, role Role, names []string) error {
	own := make(map[string]Target, len(names))
	for _, t := range targets {
		if t.Role == role {
			own[t.Name] = t
		}
	}
	if len(own) < len(names) {
		return Errorf("%s names a column twice: %s", role, NameList(names, 10))
	}
	next := 0
	for i := range targets {
		if targets[i].Role == role && next < len(names) {
			targets[i] = own[names[next]]
			next++
		}
	}
	return nil
}

func (o *Options) resolveSchema(names []string, position map[string]int) ([]Target, error) {
	if err := o.agreesWithSchema(); err != nil {
		return nil, err
	}
	if err := o.checkParseNames(names, position); err != nil {
		return nil, err
	}
	if err := o.lacksEvents(position); err != nil {
		return nil, err
	}
	targets := make([]Target, 0, len(o.Schema.Columns))
	var lacking []string
	for i := range o.Schema.Columns {
		c := &o.Schema.Columns[i]
		source, ok := position[c.Name]
		if o.AllIDs && c.Role == IDRole {
			continue // it comes with the others
		}
		if c.Crossed != nil {
			continue // it is made of others
		}
		if !ok {
			if c.Role == Feature {
				lacking = append(lacking, c.Name)
			}
			continue
		}
		t := Target{Source: source, Name: c.Name, Role: c.Role, Schema: c, Want: WantNumber}
		switch {
		case c.Role == IDRole:
			t.Want, t.Schema = WantText, nil
		case c.Role == GroupRole: // queries have nothing to do with those of training
			t.Want, t.Schema = WantAny, nil
		case c.Kind == Category:
			t.Want = WantCategory
		}
		if err := o.setSchemaParse(&t); err != nil {
			return nil, err
		}
		targets = append(targets, t)
	}
	if len(lacking) > 0 {
		return nil, Lacks(lacking, names)
	}
	ids := o.IDs
	if o.AllIDs {
		for _, name := range o.Ignore {
			if _, ok := position[name]; !ok {
				return nil, absent(names, name, "ignore")
			}
		}
		ids = slices.DeleteFunc(slices.Clone(names), func(name string) bool { return slices.Contains(o.Ignore, name) })
	}
	for _, id := range ids {
		source, ok := position[id]
		if !ok {
			return nil, absent(names, id, "id")
		}
		if !slices.ContainsFunc(targets, func(t Target) bool { return t.Name == id && t.Role == IDRole }) {
			targets = append(targets, Target{Source: source, Name: id, Role: IDRole, Want: WantText})
		}
	}
	if len(targets) == 0 {
		return nil, Errorf("the table has none of the model's columns; its columns are %s", NameList(names, 20))
	}
	return targets, nil
}

// lacksEvents reports a table that has the times of the schema, and not the column that tells which of them are of events, or up to when.
func (o *Options) lacksEvents(position map[string]int) error {
	time, beside, tells := "", "", ""
	for _, c := range o.Schema.Columns {
		switch _, ok := position[c.Name]; {
		case c.Role == LabelRole && ok:
			time = c.Name
		case c.Role == EventRole && !ok:
			beside, tells = c.Name, "whether the event came at that time"
		case c.Role == UpperRole && !ok:
			beside, tells = c.Name, "up to when the event came"
		}
	}
	if time != "" && beside != "" {
		return Errorf("the table has the label %q and lacks column %q, which tells %s: add it, or leave out both", time, beside, tells)
	}
	return nil
}

// Lacks returns the error about features of the model that a table with the given columns lacks.
func Lacks(lacking, names []string) error {
	unnamed := func(name string) bool { return len(name) > 1 && strings.Trim(name, "0123456789") == "c" }
	switch own := slices.ContainsFunc(names, unnamed); {
	case unnamed(lacking[0]) && !own:
		return Errorf("the model was trained on columns without names, which it calls %s, and this table has names: %s; give its columns without names, in the order of training", NameList(lacking, 5), NameList(names, 20))
	case own && unnamed(names[0]) && !slices.ContainsFunc(lacking, unnamed):
		return Errorf("the table has columns without names, which are called %q and so on, and the model needs columns with names: %s", names[0], NameList(lacking, 20))
	}
	var meant []string
	for _, name := range lacking {
		meant = append(meant, near.Words(name, names)...)
	}
	meant = slices.Compact(meant)
	return Errorf("the table lacks %s %s, which the model needs%s; its columns are %s",
		Plural(len(lacking), "column"), NameList(lacking, 5), near.Question(meant[:min(len(meant), 3)]), NameList(names, 20))
}

// agreesWithSchema reports a label, weight, group or event option that names another column
// than the schema does.
func (o *Options) agreesWithSchema() error {
	for _, given := range []struct {
		role  Role
		names []string
	}{{LabelRole, o.Labels}, {WeightRole, nonEmpty(o.Weight)}, {GroupRole, nonEmpty(o.Group)}, {EventRole, nonEmpty(o.Event)}, {UpperRole, nonEmpty(o.Upper)}, {PositionRole, nonEmpty(o.Position)}} {
		for _, name := range given.names {
			if c := o.Schema.named(name); c == nil || c.Role != given.role {
				return Errorf("%s = %q does not agree with the model, whose %s is %s", given.role, name, given.role, NameList(o.Schema.withRole(given.role), 5))
			}
		}
	}
	return nil
}

func (s *Schema) withRole(role Role) []string {
	var names []string
	for _, c := range s.Columns {
		if c.Role == role {
			names = append(names, c.Name)
		}
	}
	if names == nil {
		return []string{"none"}
	}
	return names
}

// absent is the error for an option that names a column the table lacks.
func absent(names []string, name, option string) error {
	return &AbsentError{Column: name, Option: option, Columns: names}
}

func nonEmpty(name string) []string {
	if name == "" {
		return nil
	}
	return []string{name}
}

func Plural(n int, noun string) string {
	if n == 1 {
		return noun
	}
	return noun + "s"
}
