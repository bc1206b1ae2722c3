package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
)

// archive is a registry as those know it who were told of its changes.
type archive struct {
	t      *trial
	models []archived
	has    map[string]int // id → model
}

// archived is a model that cases add, with its bytes and predictions.
type archived struct {
	path        string
	bytes       []byte
	predictions []byte
}

// change is one act on a registry.
type change struct {
	args []string
	id   string // "" for compact
	add  int    // the model, −1 to remove
}

func prepareRegistry(t *trial) (func(t *trial) error, error) {
	f, _, err := makeFixture(t)
	if err != nil {
		return nil, err
	}
	var models []archived
	for _, m := range []archived{{path: f.old, bytes: f.oldB}, {path: f.new, bytes: f.now}} {
		if _, err := t.succeed("predict", m.path, f.table, "-q", "-o", "p.csv"); err != nil {
			return nil, err
		}
		if m.predictions, err = t.read("p.csv"); err != nil {
			return nil, err
		}
		models = append(models, m)
	}
	paces := map[string]*pace{"add": {}, "remove": {}, "compact": {}}
	return func(t *trial) error {
		a := &archive{t, models, map[string]int{}}
		for range t.IntN(3) {
			if err := a.finish(a.random(), paces); err != nil {
				return err
			}
		}
		for range 2 + t.IntN(3) {
			c := a.random()
			p := paces[c.args[1]]
			if p.usual == 0 { // nothing is known of it yet
				if err := a.finish(c, paces); err != nil {
					return err
				}
				continue
			}
			e, err := t.kill(p.moment(t), c.args...)
			if err != nil {
				return err
			}
			if e.code == 0 {
				a.apply(c)
				c = change{}
			}
			if err := a.verify(&c, f); err != nil {
				return fmt.Errorf("after boost %s, killed: %w", c.args, err)
			}
		}
		if err := a.finish(a.random(), paces); err != nil {
			return err
		}
		if err := a.finish(change{args: []string{"registry", "compact", "reg"}}, paces); err != nil {
			return err
		}
		return a.verify(&change{}, f)
	}, nil
}

// random chooses the next act.
func (a *archive) random() change {
	ids := slices.Sorted(maps.Keys(a.has))
	switch n := a.t.IntN(10); {
	case n >= 8 && len(ids) > 0:
		return change{args: []string{"registry", "compact", "reg"}}
	case n >= 5 && len(ids) > 0:
		id := ids[a.t.IntN(len(ids))]
		return change{[]string{"registry", "remove", "reg", id}, id, -1}
	}
	id := fmt.Sprint("m", a.t.IntN(6))
	for {
		if _, there := a.has[id]; !there {
			break
		}
		id += "x"
	}
	m := a.t.IntN(len(a.models))
	return change{[]string{"registry", "add", "reg", a.models[m].path, "--id", id, "--max-delta", "0"}, id, m}
}

func (a *archive) apply(c change) {
	switch {
	case c.id == "":
	case c.add < 0:
		delete(a.has, c.id)
	default:
		a.has[c.id] = c.add
	}
}

// finish makes an act undisturbed.
func (a *archive) finish(c change, paces map[string]*pace) error {
	e, err := a.t.succeed(c.args...)
	if err != nil {
		return err
	}
	paces[c.args[1]].add(e.took)
	a.apply(c)
	return nil
}

// verify compares what the registry has with what was acknowledged. The act under way is found to be
// made, or not, and is known from then on.
func (a *archive) verify(under *change, f *fixture) error {
	if _, err := os.Stat(a.t.path("reg")); err != nil && len(a.has) == 0 {
		return nil
	}
	e, err := a.t.end(nil, "registry", "list", "reg", "--json")
	if err != nil {
		return err
	}
	if e.code != 0 {
		if len(a.has) == 0 && under.add >= 0 {
			return nil // the folder of the first model was not whole yet, which the next add mends
		}
		return fmt.Errorf("list: exit code %d: %s", e.code, e.errors)
	}
	var listed []struct{ ID string }
	if err := json.Unmarshal([]byte(e.out), &listed); err != nil {
		return fmt.Errorf("list: %w", err)
	}
	there := map[string]bool{}
	for _, m := range listed {
		there[m.ID] = true
	}
	if under.id != "" && there[under.id] == (under.add >= 0) {
		a.apply(*under)
	}
	if len(listed) != len(a.has) || len(there) != len(a.has) {
		return fmt.Errorf("list has %d models, acknowledged are %v", len(listed), a.has)
	}
	ids := slices.Sorted(maps.Keys(a.has))
	for _, id := range ids {
		if !there[id] {
			return fmt.Errorf("%s is lost", id)
		}
		m := &a.models[a.has[id]]
		if _, err := a.t.succeed("registry", "get", "reg", id, "--full", "-o", "full.boost"); err != nil {
			return err
		}
		if err := a.t.isOneOf("full.boost", m.bytes); err != nil {
			return fmt.Errorf("%s: %w", id, err)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	id := ids[a.t.IntN(len(ids))]
	if _, err := a.t.succeed("predict", "reg#"+id, f.table, "-q", "-o", "p.csv"); err != nil {
		return err
	}
	if err := a.t.isOneOf("p.csv", a.models[a.has[id]].predictions); err != nil {
		return fmt.Errorf("predictions of %s: %w", id, err)
	}
	return nil
}
