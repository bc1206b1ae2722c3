// Package regdir says which folders hold a registry of models, and what the matter is with one.
//
// In: names of a command line, errors of package registry. Out: folders and ids, words and exit codes. It must not
// know commands.
package regdir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"boost/booster"
	"boost/booster/model"
	"boost/cmd/boost/internal/exit"
	"boost/internal/format"
	"boost/internal/replace"
	"boost/ptq/compress"
	"boost/ptq/compress/registry"
	"boost/tensorq/store"
)

// How a registry is opened.
const (
	Reads   = iota // for reading
	Writes         // for writing
	Creates        // for writing, and made where there is none
)

// Config is the config file of a registry, in its folder.
const Config = "registry.toml"

// parts are the folders of a registry's logs.
var parts = []string{"models", "tensors"}

// Is reports whether a folder holds a registry, or what is left of one.
func Is(dir string) bool {
	for _, part := range parts {
		if info, err := os.Stat(filepath.Join(dir, part)); err == nil && info.IsDir() {
			return true
		}
	}
	return false
}

// isBlank reports whether the folders of a registry hold nothing, as where a process was killed, or the disk was full, when it was to be made.
func isBlank(dir string) bool {
	return !slices.ContainsFunc(parts, func(part string) bool {
		files, err := os.ReadDir(filepath.Join(dir, part))
		return err != nil && !errors.Is(err, fs.ErrNotExist) || slices.ContainsFunc(files, func(e fs.DirEntry) bool { return e.Name() != "lock" })
	})
}

// Check refuses a folder without a registry, or, where one may be made in it, with other files.
func Check(dir string, create bool) error {
	if dir == "" {
		return exit.Usagef("the name of the folder is empty: name one, or . for the current one")
	}
	if Is(dir) && (create || !isBlank(dir)) {
		return nil
	}
	names, err := os.ReadDir(dir)
	switch {
	case !create:
		return exit.Plain(fmt.Sprintf("%s: there is no registry: boost registry add makes one", dir), model.ErrModel)
	case err == nil && slices.ContainsFunc(names, func(e fs.DirEntry) bool { return e.Name() != Config }):
		return exit.Usagef("%s is a folder with other files in it: name an empty one, or a new one", dir)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return exit.Usagef("%s cannot be a registry: %v", dir, replace.Reason(err))
	}
	return nil
}

// Fault says what the matter is with a registry, and which exit code that is.
func Fault(dir string, err error) error {
	text := fmt.Sprintf("%s: %v", dir, err)
	var damage *store.DamageError
	var record *registry.RecordError
	switch {
	case err == nil:
		return nil
	case errors.Is(err, registry.ErrNotFound), errors.Is(err, registry.ErrNoSource), errors.Is(err, registry.ErrTierZeroNoPolicy),
		errors.Is(err, registry.ErrReconstructionDepth), errors.As(err, &record):
		return exit.Plain(text, model.ErrModel)
	case errors.As(err, &damage):
		return exit.Plain(text+": boost registry repair "+format.Pasted(dir), model.ErrModel)
	case errors.Is(err, registry.ErrQualityFloor):
		return exit.Plain(text, booster.ErrBudget)
	case errors.Is(err, registry.ErrExists), errors.Is(err, registry.ErrRule), errors.Is(err, registry.ErrCycle),
		errors.As(err, new(*registry.NeededError)), errors.Is(err, compress.ErrTrainingData):
		return exit.Plain(text, exit.ErrUsage)
	case errors.Is(err, registry.ErrBusy):
		return fmt.Errorf("%s: another process writes this registry; try again later", dir)
	}
	return fmt.Errorf("%s: %w", dir, err)
}

// Cut takes DIR#ID apart, if there is no file of that name and a registry in the folder.
func Cut(name string) (dir, id string, ok bool) {
	at := strings.LastIndexByte(name, '#') // ids have none
	if at <= 0 {
		return "", "", false
	}
	if _, err := os.Stat(name); err == nil || !Is(name[:at]) {
		return "", "", false
	}
	return name[:at], name[at+1:], true
}

// Load loads a model from a file, and says of DIR#ID how to get one.
func Load(name string) (*model.Model, error) {
	if dir, id, ok := Cut(name); ok {
		return nil, exit.Usagef("%s is a model in a registry, which this command does not read there: write it to a file first, as with boost registry get %s %s -o %s",
			name, format.Pasted(dir), format.Pasted(id), format.Pasted(path.Base(id)+".boost"))
	}
	return model.Load(name)
}
