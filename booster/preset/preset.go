package preset

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"boost/booster"
	"boost/booster/internal/crosses"
	"boost/dataset"
)

// Table is what values that depend on a table are chosen by. The zero value is for one that is not known yet.
type Table struct {
	Rows      int // to train on and to stop by
	Features  int
	Objective string // one of objectives.Names
	Classes   int    // of objective "multiclass"
	Levels    int    // of the categorical feature that has most of them
	Retrain   bool   // training on all rows may follow where rows are held out, see booster.Params.Retrain
	Blend     bool   // then the mean of several models may be trained, see booster.Params.Blend
}

// Crosses reports whether columns are made of others by effort default: one has many levels, and there are rows enough to say which or few rows of
// a level. What it takes in tables of more rows was not measured.
func (t Table) Crosses() bool {
	return t.Levels > 80 && t.Rows <= 500_000 && (t.Rows >= crosses.FewestRows || crosses.AreSparse(t.Levels, t.Rows))
}

// TableOf describes rows that are trained on.
func TableOf(rows booster.Data, objective string) Table {
	t := Table{Rows: rows.MetaColumns().NumRows(), Objective: objective, Retrain: true}
	if label := rows.MetaColumns().LabelColumn(); label != nil && objective == "multiclass" {
		classes, _ := dataset.ClassesOf(label)
		t.Classes = len(classes)
	}
	for _, c := range rows.Schema().Columns {
		if c.Role == dataset.Feature && c.Crossed == nil { // a cache has those, too, that training made
			t.Features++
			t.Levels = max(t.Levels, len(c.Levels))
		}
	}
	return t
}

// A choice sets values of p, which holds those that were given; given tells their keys.
type choice struct {
	name   string
	values func(p *booster.Params, t Table, given func(key string) bool)
}

// Names lists the presets that do not depend on what is known about a table's kind: "fast", and those of other trainers.
func Names() []string { return names(presets) }

// Efforts lists what may be said of the effort that training takes, the least first.
func Efforts() []string { return names(efforts) }

func names(choices []choice) []string {
	var names []string
	for _, c := range choices {
		names = append(names, c.name)
	}
	return names
}

// Use gives p the values of one of Names or Efforts for a table, but for the keys (booster.Settings) that were given; nil
// for those that do not have their default. It can be used once more when more is known of the table. Fields that were left
// out have their defaults first, as booster.Params.OrDefaults describes. Errors wrap booster.ErrParams.
func Use(p *booster.Params, name string, t Table, given func(key string) bool) error {
	all := slices.Concat(presets, efforts)
	i := slices.IndexFunc(all, func(c choice) bool { return c.name == name })
	if i < 0 {
		return fmt.Errorf("%w: preset %s: there is %s", booster.ErrParams, strconv.Quote(name), strings.Join(names(all), ", "))
	}
	*p = p.OrDefaults()
	usual, of := booster.Defaults(), *p
	if given == nil {
		changed := map[string]bool{}
		defaults := booster.Settings(&usual)
		for k, s := range booster.Settings(p) {
			changed[s.Name] = !reflect.DeepEqual(s.Value, defaults[k].Value)
		}
		given = func(key string) bool { return changed[key] }
	}
	all[i].values(&of, t, given)
	values := booster.Settings(&of)
	for k, s := range booster.Settings(p) {
		if !given(s.Name) {
			reflect.ValueOf(s.Value).Elem().Set(reflect.ValueOf(values[k].Value).Elem())
		}
	}
	return nil
}
