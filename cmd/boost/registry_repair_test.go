package main

import (
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// filesOf is all that a folder holds.
func filesOf(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			all[path] = bytesOf(t, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// one returns the file of a pattern.
func one(t *testing.T, pattern string) string {
	t.Helper()
	names, err := filepath.Glob(pattern)
	if err != nil || len(names) != 1 {
		t.Fatal(pattern, names, err)
	}
	return names[0]
}

// A damaged registry is refused by every command, with exit code 4 and the command that repairs it, and stays as it is;
// repaired it has every model of which a file is left.
func TestRegistryRepair(t *testing.T) {
	models(t)
	registryTime(t)
	ids := []string{"b", "b2", "c", "y", "y2"}
	for _, id := range ids {
		must(t, 0, boost(t, "registry", "add", "reg", id[:1]+".boost", "--id", id))
	}
	says(t, must(t, 0, boost(t, "registry", "repair", "reg")).errors, "reg has no damage")
	half := func(name string) {
		text := []byte(bytesOf(t, name))
		clear(text[len(text)/2:])
		if err := os.WriteFile(name, text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	inserted := func(name string) {
		text := []byte(bytesOf(t, name))
		if err := os.WriteFile(name, slices.Insert(text, 2*len(text)/5, make([]byte, 20)...), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	remove := func(name string) {
		if err := os.Remove(name); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		name   string
		log    string
		damage func(name string)
		left   int // at least, after a repair
	}{
		{"no log of tensors", "tensors", remove, 5},
		{"no log of models", "models", remove, 0},
		{"zeros in tensors", "tensors", half, 5},
		{"zeros in models", "models", half, 2},
		{"more in tensors", "tensors", inserted, 5},
		{"more in models", "models", inserted, 4},
	} {
		t.Run("S3.59/"+strings.ReplaceAll(c.name, " ", "_"), func(t *testing.T) {
			dir := "a " + c.name
			if err := os.CopyFS(dir, os.DirFS("reg")); err != nil {
				t.Fatal(err)
			}
			log := one(t, dir+"/"+c.log+"/*.log")
			c.damage(log)
			before := filesOf(t, dir)
			for _, args := range [][]string{
				{"registry", "list", dir}, {"registry", "stats", dir}, {"registry", "compact", dir}, {"registry", "get", dir, "y", "-o", "o.boost"},
				{"registry", "add", dir, "y.boost", "--id", "z"}, {"registry", "remove", dir, "y"}, {"registry", "pin", dir, "y"},
				{"predict", dir + "#y", "t.csv"}, {"eval", dir + "#y", "t.csv"},
			} {
				r := must(t, 4, boost(t, args...))
				says(t, r.errors, log, ": byte ", "boost registry repair '"+dir+"'")
				if r.out != "" {
					t.Errorf("%v prints %q", args, r.out)
				}
			}
			after := filesOf(t, dir)
			for name, text := range before {
				if after[name] != text {
					t.Errorf("%s was changed", name)
				}
			}
			r := must(t, 0, boost(t, "registry", "repair", dir))
			says(t, r.errors, "the damage was: ", ".old")
			all := listed(t, dir)
			if len(all) < c.left {
				t.Errorf("%d models are left, want %d", len(all), c.left)
			}
			for _, id := range ids {
				if _, there := all[id]; !there {
					says(t, r.errors, "model "+id+": ")
					continue
				}
				must(t, 0, boost(t, "predict", dir+"#"+id, "t.csv"))
				if strings.Contains(r.errors, "model "+id+": its file is lost") {
					continue
				}
				must(t, 0, boost(t, "registry", "get", dir, id, "--full", "-o", "o.boost"))
				if bytesOf(t, "o.boost") != bytesOf(t, id[:1]+".boost") {
					t.Errorf("%s comes back as other bytes", id)
				}
			}
			says(t, must(t, 0, boost(t, "registry", "repair", dir)).errors, "has no damage")
			must(t, 0, boost(t, "registry", "compact", dir))
			must(t, 0, boost(t, "registry", "add", dir, "y.boost", "--id", "z"))
		})
	}
	says(t, must(t, 4, boost(t, "registry", "repair", "none")).errors, "none: there is no registry")
}

// In a folder that cannot be written, as neither lock can be taken, and on a full disk, models are read all the same.
// TestRegistryRepairOrphans: a model that was kept as what it has beside one whose file is lost stays in the bits that it has.
func TestRegistryRepairOrphans(t *testing.T) {
	inFolder(t)
	file(t, "t.csv", table(400))
	train := func(args ...string) {
		must(t, 0, boost(t, append([]string{"train", "t.csv", "--label", "y", "--rounds", "5", "-q", "--set", "train.effort=", "--set", "train.early_stopping=0"}, args...)...))
	}
	train("-o", "a.boost")
	train("--init-model", "a.boost", "-o", "b.boost")
	must(t, 0, boost(t, "registry", "add", "reg", "a.boost"))
	must(t, 0, boost(t, "registry", "add", "reg", "b.boost", "--base", "a"))
	log := filepath.Join("reg", "models", "00000001.log")
	data := []byte(readFile(t, log))
	data[1500] ^= 1 // in the file of a
	if err := os.WriteFile(log, data, 0o666); err != nil {
		t.Fatal(err)
	}
	says(t, must(t, 0, boost(t, "registry", "repair", "reg")).errors, `model b: its rule needs "a", whose file is lost: it stays in the bits that it has`)
	want, got := lines(must(t, 0, boost(t, "predict", "b.boost", "t.csv")).out), lines(must(t, 0, boost(t, "predict", "reg#b", "t.csv")).out)
	for i := 1; i < len(want); i++ {
		w, _ := strconv.ParseFloat(want[i], 64)
		if g, err := strconv.ParseFloat(got[i], 64); err != nil || math.Abs(g-w) > 0.05 {
			t.Fatalf("row %d: %s, of the file %s", i, got[i], want[i])
		}
	}
	must(t, 0, boost(t, "registry", "get", "reg", "b", "-o", "bits.boost"))
	says(t, must(t, 4, boost(t, "registry", "get", "reg", "b", "--full", "-o", "full.boost")).errors, "the lossless model was not kept: leave --full out to get it in its tier")
	must(t, 0, boost(t, "registry", "compact", "reg"))
}

func TestRegistryUnwritable(t *testing.T) {
	models(t)
	registryTime(t)
	for _, name := range []string{"b", "c", "y"} {
		must(t, 0, boost(t, "registry", "add", "reg", name+".boost"))
	}
	want := must(t, 0, boost(t, "predict", "y.boost", "t.csv")).out
	t.Run("S3.59/full_disk", func(t *testing.T) {
		for _, log := range []string{"models", "tensors"} {
			size := len(bytesOf(t, one(t, "reg/"+log+"/*.log")))
			for _, limit := range []int{0, size, size + 40} {
				cmd := program("predict", "reg#y", "t.csv")
				cmd.Env = append(cmd.Env, "BOOST_TEST_FILE_SIZE="+strconv.Itoa(limit))
				out, err := cmd.Output()
				if err != nil || string(out) != want {
					t.Errorf("files of at most %d bytes: %v, %d bytes of predictions", limit, err, len(out))
				}
			}
		}
		if n := len(listed(t, "reg")); n != 3 {
			t.Errorf("%d models are left", n)
		}
	})
	t.Run("S3.59/read_only", func(t *testing.T) {
		for _, part := range []string{"models", "tensors"} {
			lock := filepath.Join("reg", part, "lock")
			if err := os.Remove(lock); err != nil {
				t.Fatal(err)
			}
			if err := os.Mkdir(lock, 0o777); err != nil {
				t.Fatal(err)
			}
		}
		before := filesOf(t, "reg")
		if got := must(t, 0, boost(t, "predict", "reg#y", "t.csv")).out; got != want {
			t.Error("it predicts otherwise")
		}
		must(t, 0, boost(t, "registry", "get", "reg", "y", "-o", "o.boost"))
		if n := len(listed(t, "reg")); n != 3 {
			t.Errorf("%d models are listed", n)
		}
		must(t, 1, boost(t, "registry", "remove", "reg", "y"))
		if !maps.Equal(filesOf(t, "reg"), before) {
			t.Error("the folder was changed")
		}
	})
}
