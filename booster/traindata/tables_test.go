package traindata

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"boost/booster"
	"boost/booster/internal/budget"
	"boost/dataset"
)

// Tables that outgrow the machine, or the limit, by what is in them and not by the size of
// their files, stay in files.
func TestOutOfCoreByLimit(t *testing.T) {
	var text bytes.Buffer
	text.WriteString("long_column_that_is_ignored,x,y\n")
	for row := range 3000 {
		fmt.Fprintf(&text, "%040d,%d.1,%d\n", row, row%50, row%2)
	}
	path := filepath.Join(t.TempDir(), "t.csv")
	if err := os.WriteFile(path, text.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	// A column of 8 bytes a row, the label of 4.
	for _, c := range []struct {
		name           string
		limit, machine int64
		want           string
	}{
		{"room", 1 << 20, 1 << 30, ""},
		{"room by the columns that are read", 110_000, 1 << 30, ""},
		{"limit", 20_000, 1 << 30, "reason=\"the tables would take about 35.2 KiB, train.memory_limit is 19.5 KiB\""},
		{"machine", 0, 20_000, "reason=\"the tables would take about 35.2 KiB, the memory of this machine is 19.5 KiB\""},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := booster.Defaults()
			p.MemoryLimit = c.limit
			var log bytes.Buffer
			l, err := Load(context.Background(), p, Input{Train: []string{path}, Log: slog.New(slog.NewTextHandler(&log, nil)),
				Options: []dataset.Option{dataset.Label("y"), dataset.Ignore("long_column_that_is_ignored")}, memory: budget.Machine(c.machine)})
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close()
			if l.OutOfCore != (c.want != "") || !strings.Contains(log.String(), c.want) {
				t.Errorf("out of core %v, log:\n%s\nwant %s", l.OutOfCore, &log, c.want)
			}
		})
	}
}

// A cache has no columns that mark rows for validation, or that say which are drawn together: a first run would write what no
// other one can use.
func TestCacheWithoutMarks(t *testing.T) {
	folder := t.TempDir()
	table, file := filepath.Join(folder, "t.csv"), filepath.Join(folder, "t.cache")
	if err := os.WriteFile(table, []byte("x,y,split\n1,1,train\n2,3,valid\n3,4,train\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for want, change := range map[string]func(p *booster.Params){
		`train.valid_by = "split" needs the marks of rows`:                     func(p *booster.Params) { p.ValidBy = "split" },
		`sampling.row_by = "split" needs the column of what is drawn together`: func(p *booster.Params) { p.RowBy, p.RowFraction = "split", 0.5 },
	} {
		p := booster.Defaults()
		change(&p)
		_, err := Load(context.Background(), p, Input{Train: []string{table}, Cache: file, Log: slog.New(slog.DiscardHandler),
			Options: []dataset.Option{dataset.Label("y"), dataset.ID("split")}})
		if !errors.Is(err, booster.ErrParams) || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
		if _, err := os.Stat(file); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("the cache: %v, want none", err)
		}
	}
}

// A file that is no cache, or that the run reads, is never written over.
func TestCacheKeepsOtherFiles(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		t.Helper()
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	var paths []string
	for i := range 3 {
		paths = append(paths, write(filepath.Join(dir, fmt.Sprintf("part%d.csv", i)), "a,y\n1,2\n3,4\n"))
	}
	side := write(paths[0]+".weight", "BOOSTBIN") // read, whatever it begins with
	cuts := write(filepath.Join(dir, "cuts"), "BOOSTBIN")
	link := filepath.Join(dir, "link")
	if err := os.Symlink(paths[1], link); err != nil {
		t.Fatal(err)
	}
	const kind, read, special = "is a file of another kind", "is read by the same run", "is no regular file"
	for _, c := range []struct{ name, cache, reason string }{
		{"a word", write(filepath.Join(dir, "word"), "hello"), kind},
		{"a long file", write(filepath.Join(dir, "long"), strings.Repeat("BOOST text ", 500)), kind},
		{"a training table", paths[0], kind},
		{"one that a pattern names", paths[2], kind},
		{"a link to a table", link, kind},
		{"a file beside a table", side, read},
		{"the file of cuts", cuts, read},
		{"a folder", dir, special},
	} {
		t.Run(c.name, func(t *testing.T) {
			before, _ := os.ReadFile(c.cache)
			in := Input{Train: paths[:1], Valid: []string{filepath.Join(filepath.Dir(paths[0]), "part[12].csv")}, CutsFile: cuts, Cache: c.cache}
			_, err := Load(context.Background(), booster.Defaults(), in)
			if !errors.Is(err, booster.ErrParams) || !strings.Contains(err.Error(), c.reason) || !strings.Contains(err.Error(), c.cache) {
				t.Errorf("%v, want %q", err, c.reason)
			}
			if after, _ := os.ReadFile(c.cache); !bytes.Equal(after, before) {
				t.Error("the file is another")
			}
		})
	}
}

func TestCacheRefuses(t *testing.T) {
	in := Input{Train: []string{"-"}, Stdin: strings.NewReader("a,y\n1,2\n"), Cache: filepath.Join(t.TempDir(), "c.cache")}
	if _, err := Load(context.Background(), booster.Defaults(), in); !errors.Is(err, booster.ErrParams) || !strings.Contains(err.Error(), "standard input") {
		t.Errorf("standard input: %v", err)
	}
	in = Input{Train: []string{filepath.Join(t.TempDir(), "absent.csv")}, Cache: "c.cache"}
	if _, err := Load(context.Background(), booster.Defaults(), in); !errors.Is(err, dataset.ErrTable) {
		t.Errorf("absent table: %v", err)
	}
}
