package registry_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"testing"

	"boost/booster/model"
	"boost/internal/testenv"
	"boost/internal/vfs/crashfs"
	"boost/ptq/compress/registry"
	"boost/tensorq/store"
)

// A registry loses nothing of what it has said is done: models added, moved, made by rules, removed and compacted,
// whatever the disk loses or refuses; and a model is there whole or not at all.
func TestDiskFaults(t *testing.T) {
	testenv.Unraced(t)
	c := newClock()
	whole, other := forest(t, 1, 1, 3, 4), forest(t, 2, 1, 2, 4)
	part, err := whole.Prefix(2)
	if err != nil {
		t.Fatal(err)
	}
	openRegistry := func(disk *crashfs.FS, reading bool) (*registry.Registry, error) {
		return registry.Open("/d/models", store.DefaultConfig(), registry.On(disk, registry.Options{Clock: c.Now, ReadOnly: reading}))
	}
	n := crashfs.Survives(t, func(disk *crashfs.FS) (*crashfs.Writer, error) {
		r, err := openRegistry(disk, false)
		if err != nil {
			return nil, err
		}
		add := func(id string, m *model.Model, rule registry.Rule) func() error {
			return func() error {
				err := r.Add(context.Background(), id, m, registry.AddOptions{Rule: rule})
				if errors.Is(err, registry.ErrExists) {
					return nil
				}
				return err
			}
		}
		remove := func(id string) func() error {
			return func() error {
				if err := r.Remove(id); !errors.Is(err, registry.ErrNotFound) {
					return err
				}
				return nil
			}
		}
		return &crashfs.Writer{Steps: []func() error{
			add("whole", whole, nil),
			add("other", other, nil),
			func() error { return r.Pin("whole", store.Hot) },
			r.Compact,
			remove("other"),
			add("part", part, registry.Prefix{Of: "whole", Rounds: 2}),
			func() error { return r.Unpin("whole") },
			r.Sync,
			r.Compact,
			remove("part"),
		}, Close: func() { _ = r.Close() }}, nil
	}, func(disk *crashfs.FS, reading bool) (string, error) {
		r, err := openRegistry(disk, reading)
		if err != nil {
			return "", err
		}
		defer r.Close()
		var all strings.Builder
		for _, id := range r.IDs() {
			m, err := r.Full(id)
			if err != nil {
				return "", err
			}
			i, err := r.Info(id)
			if err != nil {
				return "", err
			}
			fmt.Fprintln(&all, id, sum(t, m), i.Pinned)
		}
		return all.String(), r.Verify()
	})
	t.Logf("%d states", n)
	if n < 1000 {
		t.Errorf("only %d states", n)
	}
}

// A loss of power at any moment of a repair loses nothing that the repair brings back: it can be made again.
func TestPowerLossInRepair(t *testing.T) {
	testenv.Unraced(t)
	five := newFive(t, false)
	models, tensors := "models/00000001.log", "tensors/00000001.log"
	for what, damage := range map[string]func(map[string]string){
		"the models end in zeros": func(files map[string]string) {
			b := []byte(files[models])
			clear(b[len(b)/2:])
			files[models] = string(b)
		},
		"the tensors are gone": func(files map[string]string) { delete(files, tensors) },
	} {
		files := maps.Clone(five.now)
		damage(files)
		disk, _ := diskOf(t, files)
		open := func(disk *crashfs.FS) registry.Options {
			return registry.On(disk, registry.Options{Clock: five.clock.Now})
		}
		repair := func(disk *crashfs.FS) map[string]string {
			if _, err := registry.Repair(context.Background(), "/d/models", five.cfg, open(disk)); err != nil {
				t.Fatalf("%s: %v, on %v", what, err, disk)
			}
			r, err := registry.Open("/d/models", five.cfg, open(disk))
			if err != nil {
				t.Fatalf("%s: after the repair: %v, on %v", what, err, disk)
			}
			defer r.Close()
			there := map[string]string{}
			for id, m := range five.want {
				if full, err := r.Full(id); err == nil {
					if there[id] = sum(t, full); there[id] != sum(t, m) {
						t.Errorf("%s: %s is another model, on %v", what, id, disk)
					}
				}
			}
			return there
		}
		disk.Mark()
		if _, err := registry.Repair(context.Background(), "/d/models", five.cfg, open(disk)); err != nil {
			t.Fatal(err)
		}
		disk.Mark()
		want := repair(disk)
		n := disk.Crashes(1, func(disk *crashfs.FS, _ int) {
			if got := repair(disk); len(got) < len(want) {
				t.Errorf("%s: %d models, want %d, on %v", what, len(got), len(want), disk)
			}
		})
		t.Logf("%s: %d models, %d states", what, len(want), n)
		if len(want) == 0 || n < 20 {
			t.Errorf("%s: %d models, %d states", what, len(want), n)
		}
	}
}
