package registry_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"boost/booster/model"
	"boost/internal/testenv"
	"boost/ptq/compress/registry"
	"boost/tensorq/store"
)

// files is all that a folder holds.
func files(t testing.TB, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := fs.WalkDir(os.DirFS(dir), ".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			all[path] = string(read(t, filepath.Join(dir, path)))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// folderOf makes a folder of files.
func folderOf(t *testing.T, all map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range all {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, []byte(text), 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// five is a closed registry of five models, as it is and as it was with three of them.
type five struct {
	*fixture
	want       map[string]*model.Model
	older, now map[string]string
}

func newFive(t testing.TB, compacted bool) *five {
	f := &five{fixture: newRegistry(t, func(c *store.Config) { c.SyncWrites = true }), want: map[string]*model.Model{}}
	for i, id := range []string{"a", "b", "c"} {
		f.want[id] = forest(t, uint64(i), 1, 3, 5)
		f.add(id, f.want[id], registry.AddOptions{Tier: []store.Tier{store.Hot, store.Warm, store.Cold}[i]})
	}
	if err := f.Registry.Close(); err != nil {
		t.Fatal(err)
	}
	f.older = files(t, f.dir)
	f.open()
	f.want["d"] = forest(t, 9, 1, 3, 5)
	f.add("d", f.want["d"])
	f.want["e"] = f.made(registry.Prefix{Of: "d", Rounds: 2})
	f.add("e", f.want["e"], registry.AddOptions{Rule: registry.Prefix{Of: "d", Rounds: 2}})
	if compacted {
		if err := f.Compact(); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.Registry.Close(); err != nil {
		t.Fatal(err)
	}
	f.now = files(t, f.dir)
	return f
}

// harm is one thing that went wrong with a registry.
type harm struct {
	what  string
	files map[string]string
}

func (f *five) harms(stride int) []harm {
	var all []harm
	with := func(what string, change func(map[string]string)) {
		changed := maps.Clone(f.now)
		change(changed)
		all = append(all, harm{what, changed})
	}
	for name := range f.now {
		with(name+" is gone", func(m map[string]string) { delete(m, name) })
	}
	for name, text := range f.older {
		if filepath.Base(name) != "lock" {
			with(name+" is an older one", func(m map[string]string) { m[name] = text })
		}
	}
	for _, part := range []string{"models", "tensors"} {
		in := func(name string) bool { return filepath.Dir(name) == part }
		with(part+" is gone", func(m map[string]string) { maps.DeleteFunc(m, func(name, _ string) bool { return in(name) }) })
		with(part+" is an older one", func(m map[string]string) {
			maps.DeleteFunc(m, func(name, _ string) bool { return in(name) })
			for name, text := range f.older {
				if in(name) {
					m[name] = text
				}
			}
		})
		with(part+" has an older log", func(m map[string]string) {
			maps.DeleteFunc(m, func(name, _ string) bool { return in(name) && filepath.Ext(name) == ".log" })
			m[part+"/00000001.log"] = f.older[part+"/00000001.log"]
		})
		with(part+" has an older log and no index", func(m map[string]string) {
			maps.DeleteFunc(m, func(name, _ string) bool { return in(name) })
			m[part+"/00000001.log"] = f.older[part+"/00000001.log"]
		})
	}
	swapped := func(m map[string]string) {
		a, b := "models/00000001.log", "tensors/00000001.log"
		m[a], m[b] = m[b], m[a]
	}
	with("the logs have changed places", swapped)
	for name, text := range f.now {
		log := []byte(text)
		for at := 0; at < len(log); at += 1 + stride*len(log)/6000 {
			zeros := bytes.Clone(log)
			clear(zeros[at:])
			with(fmt.Sprintf("%s: zeros from byte %d", name, at), func(m map[string]string) { m[name] = string(zeros) })
			with(fmt.Sprintf("%s: cut to %d bytes", name, at), func(m map[string]string) { m[name] = text[:at] })
			if filepath.Ext(name) == ".log" {
				with(fmt.Sprintf("%s: cut to %d bytes, without indexes", name, at), func(m map[string]string) {
					maps.DeleteFunc(m, func(name, _ string) bool { return filepath.Ext(name) == ".index" })
					m[name] = text[:at]
				})
			}
			k := 1 + at%20
			more := slices.Insert(bytes.Clone(log), at, bytes.Repeat([]byte{0xa5}, k)...)
			with(fmt.Sprintf("%s: %d bytes inserted at byte %d", name, k, at), func(m map[string]string) { m[name] = string(more) })
			other := bytes.Clone(log)
			other[at] ^= byte(1 + at%255)
			with(fmt.Sprintf("%s: byte %d is another", name, at), func(m map[string]string) { m[name] = string(other) })
		}
	}
	return all
}

// ask opens a registry for reading and reads all of it. It returns how many models are listed, and the first error.
func (f *five) ask(dir string, readOnly bool) (listed int, err error) {
	r, err := registry.Open(dir, f.cfg, registry.Options{Clock: f.clock.Now, ReadOnly: readOnly})
	if err != nil {
		return 0, err
	}
	defer r.Close()
	all, err := r.List()
	if err != nil {
		return 0, err
	}
	for id, want := range f.want {
		full, failed := r.Full(id)
		if failed == nil && sum(f.t, full) != sum(f.t, want) {
			f.t.Errorf("%s is another model", id)
		}
		if failed == nil {
			_, failed = r.Get(id)
		}
		err = errors.Join(err, failed)
	}
	return len(all), err
}

// One thing goes wrong with a registry, in every way. Either all five models are served, or there is an error, for a
// reader and for a writer; never are there fewer without a word. Reading changes no byte, and where reading is refused
// so is writing, which changes no log. What Repair brings back is right, what it does not is said, and the old files are
// kept.
func TestLoseNothing(t *testing.T) {
	for _, compacted := range []bool{false, true} {
		t.Run(fmt.Sprintf("S3.59/compacted=%v", compacted), func(t *testing.T) {
			f := newFive(t, compacted)
			stride := testenv.ByLength(60, 600, 1500)
			all := f.harms(stride)
			served, refused, silent := 0, 0, 0
			for i, h := range all {
				dir := folderOf(t, h.files)
				listed, err := f.ask(dir, true)
				if !maps.Equal(files(t, dir), h.files) {
					t.Errorf("%s: reading changed the folder", h.what)
				}
				switch {
				case err == nil && listed == len(f.want):
					served++
					if i%10 == 0 {
						if listed, err := f.ask(dir, false); err != nil || listed != len(f.want) {
							t.Errorf("%s: for a writer there are %d models, %v", h.what, listed, err)
						}
					}
					continue
				case listed > 0 && listed < len(f.want), errors.Is(err, registry.ErrNotFound):
					silent++
					t.Errorf("%s: %d models are listed", h.what, listed)
					continue
				}
				refused++
				if listed > 0 {
					continue // one record is damaged, and what needs it is refused
				}
				if !errors.As(err, new(*store.DamageError)) {
					t.Errorf("%s: %v", h.what, err)
				}
				if _, err := f.ask(dir, false); err == nil {
					t.Errorf("%s: it opens for writing", h.what)
				}
				for name, text := range h.files {
					if string(read(t, filepath.Join(dir, name))) != text {
						t.Errorf("%s: a refused writer changed %s", h.what, name)
					}
				}
				if i%10 == 0 || i < 20 {
					f.checkRepair(dir, h)
				}
			}
			t.Logf("%d served, %d refused, %d silent of %d", served, refused, silent, len(all))
			if served == 0 || refused == 0 || silent > 0 {
				t.Errorf("%d served, %d refused, %d silent of %d", served, refused, silent, len(all))
			}
		})
	}
}

func (f *five) checkRepair(dir string, h harm) {
	f.t.Helper()
	if h.what == "the logs have changed places" {
		if _, err := registry.Repair(context.Background(), dir, f.cfg, registry.Options{Clock: f.clock.Now}); err == nil {
			f.t.Errorf("%s, and a repair takes them for empty", h.what)
		}
		return
	}
	g := *f.fixture
	g.dir = dir
	r := g.repair()
	if r.Damage == nil {
		f.t.Errorf("%s: nothing to repair", h.what)
	}
	kept := files(f.t, dir)
	for name, text := range h.files {
		if filepath.Base(name) != "lock" && kept[name+".old"] != text {
			f.t.Errorf("%s: the repair did not keep %s", h.what, name)
		}
	}
	g.open()
	lost := map[string]bool{}
	for _, l := range r.Lost {
		lost[l.ID] = true
	}
	for id, want := range f.want {
		full, err := g.Full(id)
		switch {
		case err == nil && sum(f.t, full) != sum(f.t, want):
			f.t.Errorf("%s: after the repair %s is another model", h.what, id)
		case err != nil && !lost[id]:
			f.t.Errorf("%s: after the repair %s is gone without a word: %v, %+v", h.what, id, err, r)
		case err != nil && filepath.Dir(h.what) == "tensors":
			f.t.Errorf("%s: %s has its file: %v", h.what, id, err)
		}
	}
	if err := g.Registry.Close(); err != nil {
		f.t.Error(err)
	}
	if again := g.repair(); again.Damage != nil {
		f.t.Errorf("%s: a second repair: %v", h.what, again.Damage)
	}
}

// A registry that the program wrote before logs vouched for each other is read and written; the models are the files that
// were added, as sha256sum has them.
func TestReleasedRegistry(t *testing.T) {
	f := &fixture{t: t, dir: folderOf(t, files(t, "testdata/registry")), cfg: config(), clock: newClock()}
	want := map[string]string{
		"four": "858110c734b37a50953c21f41a70a0bc01f80558ce8091fda71e61dfea0966dd",
		"two":  "0cdbdc9f18786bbce670894b3f95bf6806eb05d0b67c09b533f65254d6312261",
		"warm": "858110c734b37a50953c21f41a70a0bc01f80558ce8091fda71e61dfea0966dd",
	}
	check := func() {
		t.Helper()
		for id, sha := range want {
			m, err := f.Full(id)
			if err != nil {
				t.Fatal(err)
			}
			if got := fmt.Sprintf("%x", sha256.Sum256([]byte(encoded(t, m)))); got != sha {
				t.Errorf("%s has sha256 %s, want %s", id, got, sha)
			}
		}
		if i := f.info("warm"); i.Tier != store.Warm || !i.Pinned || len(f.IDs()) != len(want) {
			t.Errorf("%v, pinned %v, of %v", i.Tier, i.Pinned, f.IDs())
		}
	}
	f.open()
	check()
	f.add("new", forest(t, 1, 1, 2, 3))
	if err := errors.Join(f.Remove("new"), f.Compact()); err != nil {
		t.Fatal(err)
	}
	f.reopen()
	check()
	if err := f.Registry.Close(); err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"models", "tensors"} {
		dir := folderOf(t, files(t, "testdata/registry"))
		if err := errors.Join(os.Remove(log(dir, part)), os.Remove(filepath.Join(dir, part, "00000001.index"))); err != nil {
			t.Fatal(err)
		}
		if r, err := registry.Open(dir, f.cfg, registry.Options{Clock: f.clock.Now}); !errors.As(err, new(*store.DamageError)) {
			t.Errorf("without files of %s: %v, %v", part, r, err)
		}
	}
}
