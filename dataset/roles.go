package dataset

import (
	"slices"
	"strings"
)

// want says how much about a column's type is settled before its cells are seen.
type want uint8

const (
	wantAny      want = iota // by value, over all rows
	wantNumber               // numbers; any other cell is bad
	wantCategory             // levels
	wantText                 // the text as it is
)

// target is a column of the table to be: which input column it comes from and
// what it is for.
type target struct {
	source int
	name   string
	role   Role
	want   want
	schema *ColumnSchema // the model's column that it has to follow, or nil
}

// resolve decides which of the input's columns become columns of the table.
// The targets stand in input order, or in the schema's order followed by ids.
func (o *options) resolve(names []string) ([]target, error) {
	if len(names) == 0 {
		return nil, complain("the table has no columns")
	}
	position := make(map[string]int, len(names))
	for i, name := range names {
		if first, repeated := position[name]; repeated {
			return nil, complain("column %q stands in the table twice, as column %d and %d; rename one", name, first+1, i+1)
		}
		position[name] = i
	}
	if o.schema != nil {
		return o.resolveSchema(names, position)
	}
	if o.needLabel && o.label == "" {
		return nil, complain("the columns are %s: %w", nameList(names, 20), ErrNoLabel)
	}
	given := make(map[string]string)
	claim := func(option string, columns ...string) error {
		for _, name := range columns {
			if _, ok := position[name]; !ok {
				return absent(names, name, option)
			}
			if other, taken := given[name]; taken && other != option {
				return complain("column %q is named as %s and as %s; it can be one of them", name, other, option)
			}
			given[name] = option
		}
		return nil
	}
	for _, c := range []struct {
		option  string
		columns []string
	}{
		{"label", nonEmpty(o.label)}, {"weight", nonEmpty(o.weight)}, {"group", nonEmpty(o.group)},
		{"init_score", o.initScores}, {"id", o.ids}, {"ignore", o.ignore},
	} {
		if err := claim(c.option, c.columns...); err != nil {
			return nil, err
		}
	}
	for _, name := range o.categorical {
		if _, ok := position[name]; !ok {
			return nil, absent(names, name, "categorical")
		}
		if other := given[name]; other == "weight" || other == "init_score" {
			return nil, complain("column %q is named as %s and as categorical; it can be one of them", name, other)
		}
	}
	categorical := make(map[string]bool, len(o.categorical))
	for _, name := range o.categorical {
		categorical[name] = true
	}
	targets := make([]target, 0, len(names))
	for i, name := range names {
		t := target{source: i, name: name}
		switch given[name] {
		case "ignore":
			continue
		case "label":
			t.role = LabelRole
		case "weight":
			t.role, t.want = WeightRole, wantNumber
		case "group":
			t.role = GroupRole
		case "init_score":
			t.role, t.want = InitScoreRole, wantNumber
		case "id":
			t.role, t.want = IDRole, wantText
		}
		if t.want == wantAny && categorical[name] {
			t.want = wantCategory
		}
		targets = append(targets, t)
	}
	if len(targets) == 0 {
		return nil, complain("every column of the table is ignored")
	}
	return targets, o.orderInitScores(targets, position)
}

// orderInitScores gives the columns of init scores, among themselves, the order in
// which they were named, which is that of the outputs.
func (o *options) orderInitScores(targets []target, position map[string]int) error {
	next := 0
	for i := range targets {
		if targets[i].role != InitScoreRole {
			continue
		}
		if next == len(o.initScores) {
			break
		}
		targets[i].name = o.initScores[next]
		targets[i].source = position[targets[i].name]
		next++
	}
	if next < len(o.initScores) {
		return complain("init_score names a column twice: %s", nameList(o.initScores, 10))
	}
	return nil
}

func (o *options) resolveSchema(names []string, position map[string]int) ([]target, error) {
	if err := o.agreesWithSchema(); err != nil {
		return nil, err
	}
	var targets []target
	var lacking []string
	for i := range o.schema.Columns {
		c := &o.schema.Columns[i]
		source, ok := position[c.Name]
		if !ok {
			if c.Role == Feature {
				lacking = append(lacking, c.Name)
			}
			continue
		}
		t := target{source: source, name: c.Name, role: c.Role, schema: c, want: wantNumber}
		switch {
		case c.Role == IDRole:
			t.want, t.schema = wantText, nil
		case c.Role == GroupRole: // queries have nothing to do with those of training
			t.want, t.schema = wantAny, nil
		case c.Kind == Category:
			t.want = wantCategory
		}
		targets = append(targets, t)
	}
	if len(lacking) > 0 {
		return nil, complain("the table lacks %s %s, which the model needs; its columns are %s",
			plural(len(lacking), "column"), nameList(lacking, 5), nameList(names, 20))
	}
	for _, id := range o.ids {
		source, ok := position[id]
		if !ok {
			return nil, absent(names, id, "id")
		}
		if !slices.ContainsFunc(targets, func(t target) bool { return t.name == id && t.role == IDRole }) {
			targets = append(targets, target{source: source, name: id, role: IDRole, want: wantText})
		}
	}
	if len(targets) == 0 {
		return nil, complain("the table has none of the model's columns; its columns are %s", nameList(names, 20))
	}
	return targets, nil
}

// agreesWithSchema reports a label, weight or group option that names another column
// than the schema does.
func (o *options) agreesWithSchema() error {
	for _, given := range []struct {
		option, name string
		role         Role
	}{{"label", o.label, LabelRole}, {"weight", o.weight, WeightRole}, {"group", o.group, GroupRole}} {
		if given.name == "" {
			continue
		}
		if c := o.schema.named(given.name); c == nil || c.Role != given.role {
			return complain("%s = %q does not agree with the model, whose %s is %s", given.option, given.name,
				given.option, nameList(o.schema.withRole(given.role), 1))
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
	for _, other := range names {
		if strings.EqualFold(strings.TrimSpace(other), strings.TrimSpace(name)) {
			return complain("the table has no column %q, which is named as %s; did you mean %q?", name, option, other)
		}
	}
	return complain("the table has no column %q, which is named as %s; its columns are %s",
		name, option, nameList(names, 20))
}

func nonEmpty(name string) []string {
	if name == "" {
		return nil
	}
	return []string{name}
}

func plural(n int, noun string) string {
	if n == 1 {
		return noun
	}
	return noun + "s"
}
