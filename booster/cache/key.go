package cache

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"boost/binning"
	"boost/dataset"
)

// Key is all that the contents of a cache follow from. A cache is used only if its key equals
// that of the run.
type Key struct {
	Numerics int      `json:"numerics"`
	Reader   int      `json:"reader"` // dataset.ReaderVersion
	Train    Table    `json:"train"`
	Valid    tables   `json:"valid"`
	Binning  settings `json:"binning"`
	Seed     uint64   `json:"seed"`
	Cuts     File     `json:"cuts"`           // file of forced cuts
	HeldOut  string   `json:"held_out"`       // objective and share, or column, by which rows are held out; "" for none
	Base     string   `json:"base,omitempty"` // sha256 of the model that training goes on from
}

// Settings returns the parameters that codes follow from. binning.bundle_conflicts is none, because
// cells are left out for it when a matrix is made of codes.
func Settings(p binning.Params) (map[string]json.RawMessage, error) {
	key := map[string]json.RawMessage{}
	for _, s := range binning.Settings(&p) {
		if s.Run && s.Name != "binning.storage" || s.Name == "binning.bundle_conflicts" {
			continue
		}
		text, err := json.Marshal(s.Value)
		if err != nil {
			return nil, err
		}
		key[s.Name] = text
	}
	return key, nil
}

// Table identifies a table: how it is read, and from which files.
type Table struct {
	Options string `json:"options"`
	Files   files  `json:"files"`
}

// File identifies the contents of a file.
type File struct {
	Name   string `json:"name"` // without its folder
	Size   int64  `json:"size"`
	Time   int64  `json:"time"` // of the last change, ns since 1970
	SHA256 string `json:"sha256"`
}

// Identify reads the files of a table.
func Identify(ctx context.Context, paths []string, opts ...dataset.Option) (t Table, err error) {
	if t.Options, err = dataset.Describe(opts...); err != nil {
		return t, err
	}
	names, err := dataset.Files(paths, opts...)
	if err != nil {
		return t, err
	}
	t.Files = make([]File, len(names))
	for i, name := range names {
		if t.Files[i], err = IdentifyFile(ctx, name); err != nil {
			return t, err
		}
	}
	return t, nil
}

// IdentifyFile reads a file.
func IdentifyFile(ctx context.Context, name string) (File, error) {
	file, err := identify(ctx, name)
	if err != nil && ctx.Err() == nil {
		err = fmt.Errorf("%w: %s cannot be read: %w", dataset.ErrTable, name, err)
	}
	return file, err
}

func identify(ctx context.Context, name string) (File, error) {
	f, err := os.Open(name)
	if err != nil {
		return File{}, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return File{}, err
	}
	sum, page := sha256.New(), make([]byte, pageSize)
	for {
		n, err := f.Read(page)
		sum.Write(page[:n])
		if err == io.EOF {
			break
		}
		if err = errors.Join(err, ctx.Err()); err != nil {
			return File{}, err
		}
	}
	return File{filepath.Base(name), info.Size(), info.ModTime().UnixNano(), hex.EncodeToString(sum.Sum(nil))}, nil
}

// Unchanged reports whether the files still have the sizes and times that were seen.
func (t *Table) Unchanged(paths []string, opts ...dataset.Option) bool {
	names, err := dataset.Files(paths, opts...)
	if err != nil || len(names) != len(t.Files) {
		return false
	}
	for i, name := range names {
		info, err := os.Stat(name)
		if err != nil || filepath.Base(name) != t.Files[i].Name || info.Size() != t.Files[i].Size || info.ModTime().UnixNano() != t.Files[i].Time {
			return false
		}
	}
	return true
}

// Differs returns why a cache with key k does not serve a run with key want, "" if it does.
func (k *Key) Differs(want *Key) string {
	switch {
	case k.Numerics != want.Numerics || k.Reader != want.Reader:
		return "another version of the program wrote it"
	case k.Train.Options != want.Train.Options:
		return "the table was read with other settings"
	case k.Seed != want.Seed:
		return fmt.Sprintf("train.seed was %d and is %d", k.Seed, want.Seed)
	case k.Cuts.SHA256 != want.Cuts.SHA256:
		return "the file of forced cuts is another"
	case k.Base != want.Base:
		return "it was written for training from another model, or from none"
	case k.HeldOut != want.HeldOut:
		return "other rows are held out for early stopping"
	case len(k.Valid) != len(want.Valid):
		return fmt.Sprintf("there were %d validation sets and there are %d", len(k.Valid), len(want.Valid))
	}
	for _, key := range slices.Sorted(maps.Keys(want.Binning)) {
		if had := k.Binning[key]; string(had) != string(want.Binning[key]) {
			return fmt.Sprintf("%s was %s and is %s", key, had, want.Binning[key])
		}
	}
	if len(k.Binning) != len(want.Binning) {
		return "another version of the program wrote it"
	}
	if reason := filesDiffer(k.Train.Files, want.Train.Files); reason != "" {
		return reason
	}
	for i := range want.Valid {
		if k.Valid[i].Options != want.Valid[i].Options {
			return "a validation set was read with other settings"
		}
		if reason := filesDiffer(k.Valid[i].Files, want.Valid[i].Files); reason != "" {
			return reason
		}
	}
	return ""
}

// filesDiffer compares contents; a file that has another time only is the same.
func filesDiffer(had, has []File) string {
	if len(had) != len(has) {
		return fmt.Sprintf("%d files were read, with those beside the tables, and %d are%s", len(had), len(has), firstOther(had, has))
	}
	for i := range has {
		switch {
		case had[i].Name != has[i].Name:
			return fmt.Sprintf("%s was read in place of %s", had[i].Name, has[i].Name)
		case had[i].Size != has[i].Size:
			return fmt.Sprintf("%s had %d bytes and has %d", has[i].Name, had[i].Size, has[i].Size)
		case had[i].SHA256 != has[i].SHA256:
			return fmt.Sprintf("the contents of %s have changed", has[i].Name)
		}
	}
	return ""
}

// firstOther names a file that one list has and the other has not, "" without one.
func firstOther(had, has []File) string {
	for _, list := range []struct {
		files, other []File
		change       string
	}{{has, had, "is new"}, {had, has, "is gone"}} {
		for _, f := range list.files {
			if !slices.ContainsFunc(list.other, func(o File) bool { return o.Name == f.Name }) {
				return ": " + f.Name + " " + list.change
			}
		}
	}
	return ""
}
