package checkpoint

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"boost/internal/replace"
	"boost/internal/vfs"
)

// Folder is a folder of checkpoints that one run at a time writes. Files of other names in it are left alone.
type Folder struct {
	fsys vfs.FS
	dir  string
	lock vfs.File
	last string // the newest file of this run; "" before there is one
}

const lockName = ".lock"

// Folders in that of a run, of its parts: the training on all rows that follows it, its folds and the models that are averaged by their
// numbers, and folds that begin again.
const (
	AllRows = "all-rows"
	Fold    = "fold-"
	Model   = "model-"
	Again   = "again"
)

// Open makes the folder if there is none, and takes its lock. A folder that another run is writing is an error
// that wraps vfs.ErrBusy. Close it after the run.
func Open(fsys vfs.FS, dir string) (*Folder, error) {
	if err := makeFolder(fsys, filepath.Clean(dir)); err != nil {
		return nil, fmt.Errorf("%s: %w", dir, replace.Reason(err))
	}
	lock, err := fsys.OpenFile(filepath.Join(dir, lockName), os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", dir, replace.Reason(err))
	}
	if err := lock.TryLock(); err != nil {
		_ = lock.Close()
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	return &Folder{fsys: fsys, dir: dir, lock: lock}, nil
}

// makeFolder makes a folder, and those above it that are not there.
func makeFolder(fsys vfs.FS, dir string) error {
	info, err := fsys.Stat(dir)
	switch {
	case err == nil && !info.IsDir():
		return errors.New("is a file: name a folder")
	case err == nil || !errors.Is(err, fs.ErrNotExist):
		return err
	}
	if parent := filepath.Dir(dir); parent != dir {
		if err := makeFolder(fsys, parent); err != nil {
			return err
		}
	}
	if err := fsys.Mkdir(dir, 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return fsys.SyncDir(filepath.Dir(dir))
}

// Close gives the folder up.
func (f *Folder) Close() { _ = f.lock.Close() }

const (
	prefix = "round-"
	suffix = ".checkpoint"
)

// rounds returns the number in a file's name, and whether it is a checkpoint's.
func rounds(name string) (n int, ok bool) {
	if !strings.HasPrefix(name, prefix) || !strings.HasSuffix(name, suffix) {
		return 0, false
	}
	n, err := strconv.Atoi(name[len(prefix) : len(name)-len(suffix)])
	return n, err == nil
}

// Files returns the names of the checkpoints, the one of most rounds first.
func (f *Folder) Files() ([]string, error) {
	entries, err := f.fsys.ReadDir(f.dir)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.dir, replace.Reason(err))
	}
	var names []string
	for _, e := range entries {
		if _, ok := rounds(e.Name()); ok {
			names = append(names, e.Name())
		}
	}
	slices.SortFunc(names, func(a, b string) int {
		n, _ := rounds(a)
		m, _ := rounds(b)
		return cmp.Or(cmp.Compare(m, n), strings.Compare(a, b))
	})
	return names, nil
}

// ClearParts removes the checkpoints of the parts of a run that another one replaces. Where a run is writing one of them it is an error that
// wraps vfs.ErrBusy.
func ClearParts(fsys vfs.FS, dir string) error {
	entries, err := fsys.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("%s: %w", dir, replace.Reason(err))
	}
	for _, e := range entries {
		if name := e.Name(); !e.IsDir() || name != AllRows && name != Again && !strings.HasPrefix(name, Fold) && !strings.HasPrefix(name, Model) {
			continue // such as the folder of another run
		}
		below := filepath.Join(dir, e.Name())
		if _, err := fsys.Stat(filepath.Join(below, lockName)); err == nil { // it is one of checkpoints
			f, err := Open(fsys, below)
			if err != nil {
				return err
			}
			err = f.remove("", "")
			f.Close()
			if err != nil {
				return err
			}
		}
		if err := ClearParts(fsys, below); err != nil {
			return err
		}
	}
	return nil
}

// Write adds a checkpoint. Then it removes all others but the one that this run wrote, or went on from, before; at first those of a
// run's parts too.
func (f *Folder) Write(s *State) error {
	name := prefix + strconv.Itoa(s.Rounds) + suffix
	if err := replace.File(f.fsys, filepath.Join(f.dir, name), func(out vfs.File) error { return s.write(out) }); err != nil {
		return err
	}
	before := f.last
	f.last = name
	if before == "" {
		if err := ClearParts(f.fsys, f.dir); err != nil {
			return err
		}
	}
	return f.remove(name, before)
}

// remove removes all checkpoints but two.
func (f *Folder) remove(name, before string) error {
	entries, err := f.fsys.ReadDir(f.dir)
	if err != nil {
		return fmt.Errorf("%s: %w", f.dir, replace.Reason(err))
	}
	for _, e := range entries {
		// A killed run has left its draft.
		old := strings.TrimSuffix(strings.TrimPrefix(e.Name(), "."), ".tmp")
		if _, ok := rounds(old); !ok || e.Name() == name || e.Name() == before {
			continue
		}
		if err := f.fsys.Remove(filepath.Join(f.dir, e.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%s: %w", filepath.Join(f.dir, e.Name()), replace.Reason(err))
		}
	}
	return nil
}

// ErrOther is wrapped by the error about a checkpoint of other data or settings.
var ErrOther = errors.New("is of another run")

// Latest returns the state of most rounds that is undamaged, has the wanted settings, and passes check; nil
// where there is none. skipped says why states of more rounds were passed over. If states are whole,
// and all are of other settings, the error says what differs.
func (f *Folder) Latest(want map[string]json.RawMessage, check func(*State) error) (s *State, skipped []error, err error) {
	names, err := f.Files()
	if err != nil {
		return nil, nil, err
	}
	var other error
	for _, name := range names {
		path := filepath.Join(f.dir, name)
		s, err := f.read(path)
		if err == nil {
			if differ := differences(s.Settings, want); differ != "" {
				if other == nil {
					other = fmt.Errorf("%s %w: %s", path, ErrOther, differ)
				}
				continue
			}
			err = check(s)
		}
		if err != nil {
			skipped = append(skipped, fmt.Errorf("%s %w", path, err))
			continue
		}
		f.last = name
		return s, skipped, nil
	}
	return nil, skipped, other
}

func (f *Folder) read(path string) (*State, error) {
	b, err := f.fsys.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("cannot be read: %w", replace.Reason(err))
	}
	return read(b)
}

// mostDifferences is how many settings an error names.
const mostDifferences = 5

// differences names the settings that are not the same, with both values; "" for none.
func differences(was, is map[string]json.RawMessage) string {
	all := maps.Clone(was)
	maps.Copy(all, is)
	var texts []string
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if !bytes.Equal(was[name], is[name]) {
			texts = append(texts, fmt.Sprintf("%s was %s and is %s", name, shown(was[name]), shown(is[name])))
		}
	}
	if n := len(texts); n > mostDifferences {
		texts = append(texts[:mostDifferences], fmt.Sprintf("and %d more", n-mostDifferences))
	}
	return strings.Join(texts, ", ")
}

// shown is a value for people.
func shown(v json.RawMessage) string {
	const most = 60
	switch {
	case v == nil:
		return "not set"
	case len(v) > most:
		return string(v[:most]) + "…"
	}
	return string(v)
}
