package main

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// allowance is what a reader may take beside its program and twice the bytes of its file.
const allowance = 64 << 20

// wide is what a table of LibSVM text may take above that: one number names as many as a million columns,
// of 1.3 KB each although they are empty.
const wide = 3 << 29

// victim is a valid file, what reads it, and how that may end once it is damaged.
type victim struct {
	name  string
	bytes []byte
	reads [][]string // commands, in which FILE stands for the path
	codes []int
}

// hostile is what all cases of the campaign share.
type hostile struct {
	f       *fixture
	base    int64 // the peak of the program that does nothing
	victims []victim
	reg     string // a folder with a registry of the models m and n
	logs    []string
	wine    []byte // predictions of m
}

func prepareMemory(t *trial) (func(t *trial) error, error) {
	f, _, err := makeFixture(t)
	if err != nil {
		return nil, err
	}
	h := &hostile{f: f, reg: t.path("reg")}
	e, err := t.succeed("version")
	if err != nil {
		return nil, err
	}
	h.base = e.peak
	table := newTable(t, 0)
	for !table.numeric || table.weighted || table.rows < 500 {
		table = newTable(t, 0)
	}
	names, err := table.formats(t)
	if err != nil {
		return nil, err
	}
	t1 := t.path("t.boost")
	for _, args := range [][]string{
		{"train", "t.csv", "--label", "label", "-q", "-o", t1, "--set", "train.rounds=5", "--set", "train.early_stopping=0"},
		{"quantize", f.new, "-q", "-o", "i8.boost", "--dtype", "I8"},
		{"quantize", f.new, "-q", "-o", "cold.boost", "--tiers", "cold", "--keep-stats"},
		{"convert", f.old, "m.json"},
		{"convert", "i8.boost", "i8.json"},
		training(f.table, "x.boost", append([]string{"data.cache=wine.cache"}, after...)...),
		{"registry", "add", "reg", f.old, "--id", "m", "--max-delta", "0"},
		{"registry", "add", "reg", "i8.boost", "--id", "n"},
		{"predict", "reg#m", f.table, "-q", "-o", "p.csv"},
	} {
		if _, err := t.succeed(args...); err != nil {
			return nil, err
		}
	}
	if h.wine, err = t.read("p.csv"); err != nil {
		return nil, err
	}
	if h.logs, err = filepath.Glob(filepath.Join(h.reg, "*", "0*")); err != nil || len(h.logs) == 0 {
		return nil, fmt.Errorf("%d files in the registry, error %v", len(h.logs), err)
	}
	add := func(name string, codes []int, reads ...[]string) {
		b, readErr := t.read(name)
		if readErr != nil || b == nil {
			err = fmt.Errorf("%s is not there", name)
		}
		h.victims = append(h.victims, victim{name, b, reads, codes})
	}
	for _, name := range []string{"new.boost", "i8.boost", "cold.boost", "m.json", "i8.json"} {
		add(name, []int{0, 4}, []string{"inspect", "FILE"}, []string{"predict", "FILE", f.table, "-q", "-o", "p.csv"})
	}
	for _, name := range append(names, "wine.csv.gz") {
		if !strings.Contains(name, "*") {
			add(name, []int{0, 3}, []string{"inspect", "FILE"}, []string{"predict", t1, "FILE", "-q", "-o", "p.csv"})
		}
	}
	cached := training(f.table, "x.boost", append([]string{"data.cache=FILE"}, after...)...)
	add("wine.cache", []int{0, 2}, cached)
	return h.run, err
}

func (h *hostile) run(t *trial) error {
	if t.IntN(len(h.victims)+3) < 3 {
		return h.registry(t)
	}
	v := &h.victims[t.IntN(len(h.victims))]
	b := damaged(t, v.bytes)
	sealed := strings.HasSuffix(v.name, ".boost") && t.IntN(2) == 0
	if sealed {
		b = seal(b)
	}
	same := string(b) == string(v.bytes)
	// A file's name ends as the valid one's does, which tells inspect what it is.
	name := "damaged-" + v.name
	if err := t.write(name, b); err != nil {
		return err
	}
	for _, read := range v.reads {
		args := slices.Clone(read)
		for i := range args {
			args[i] = strings.Replace(args[i], "FILE", t.path(name), 1)
		}
		codes := v.codes
		if strings.HasSuffix(v.name, ".json") && args[0] == "inspect" {
			codes = []int{0, 3, 4} // what does not begin like a model is taken for a table
		}
		e, err := t.end(nil, args...)
		if err != nil {
			return err
		}
		switch {
		case !slices.Contains(codes, e.code):
			return fmt.Errorf("boost %s: exit code %d, want one of %v: %s", args, e.code, codes, e.errors)
		case e.code == 0 && strings.HasSuffix(v.name, ".boost") && !sealed && !same:
			return fmt.Errorf("boost %s: reads a damaged model", args)
		case e.code == 0 && strings.HasSuffix(v.name, ".cache"):
			if err := t.isOneOf("x.boost", h.f.now); err != nil {
				return fmt.Errorf("boost %s: %w", args, err)
			}
		}
		limit := h.base + 2*int64(len(b)) + allowance
		if strings.HasSuffix(v.name, ".svm") {
			limit += wide
		}
		if e.peak > limit {
			return fmt.Errorf("boost %s: peak of %d MiB on a file of %d bytes, want at most %d MiB (exit code %d)",
				args, e.peak>>20, len(b), limit>>20, e.code)
		}
	}
	return nil
}

// registry damages a file of a registry: a model is never missing without a message, and
// what is given is what was added. A repair makes it one that can be used.
func (h *hostile) registry(t *trial) error {
	if err := os.CopyFS(t.path("reg"), os.DirFS(h.reg)); err != nil {
		return err
	}
	chosen := h.logs[t.IntN(len(h.logs))]
	rel, err := filepath.Rel(h.reg, chosen)
	if err != nil {
		return err
	}
	b, err := os.ReadFile(chosen)
	if err != nil {
		return err
	}
	spoilt := damaged(t, b)
	if err := t.write(filepath.Join("reg", rel), spoilt); err != nil {
		return err
	}
	for i, args := range [][]string{
		{"registry", "list", "reg"}, {"registry", "get", "reg", "m", "--full", "-o", "full.boost"},
		{"predict", "reg#m", h.f.table, "-o", "p.csv"}, {"registry", "repair", "reg"}, {"registry", "list", "reg"},
		{"registry", "get", "reg", "m", "--full", "-o", "full.boost"}, {"predict", "reg#m", h.f.table, "-o", "p.csv"},
	} {
		e, err := t.end(nil, args...)
		if err != nil {
			return err
		}
		silent := i == 0 && e.code == 0 && !(strings.Contains(e.out, "\nm ") && strings.Contains(e.out, "\nn "))
		if !slices.Contains([]int{0, 4}, e.code) || silent || e.code != 0 && (i == 3 || i == 4) {
			return fmt.Errorf("boost %s, %s damaged: exit code %d: %s%s", args, rel, e.code, e.out, e.errors)
		}
		if i == 0 && e.code != 0 {
			if err := t.isOneOf(filepath.Join("reg", rel), spoilt); err != nil {
				return fmt.Errorf("list changed what is damaged: %w", err)
			}
		}
		if args[0] == "predict" && e.code == 0 && !strings.Contains(e.errors, "may be off by") {
			if err := t.isOneOf("p.csv", h.wine); err != nil {
				return fmt.Errorf("boost %s, %s damaged: %w", args, rel, err)
			}
		}
		if limit := h.base + 2*int64(len(b)) + allowance; e.peak > limit {
			return fmt.Errorf("boost %s, %s damaged: peak of %d MiB, want at most %d MiB", args, rel, e.peak>>20, limit>>20)
		}
	}
	if err := t.isOneOf("full.boost", h.f.oldB, nil); err != nil {
		return fmt.Errorf("%s damaged: %w", rel, err)
	}
	return nil
}

// damaged returns a copy with one to four damages.
func damaged(t *trial, valid []byte) []byte {
	b := slices.Clone(valid)
	for range 1 + t.IntN(4) {
		if len(b) < 16 {
			return b
		}
		at := t.IntN(len(b) - 8)
		if t.IntN(2) == 0 { // counts stand near the beginning and the end
			at = t.IntN(min(len(b)-8, 256))
			if t.IntN(2) == 0 {
				at = len(b) - 8 - at
			}
		}
		n := min(1<<t.IntN(12), len(b)-at)
		switch t.IntN(8) {
		case 0:
			b = b[:at]
		case 1:
			b[at] ^= 1 << t.IntN(8)
		case 2:
			for i := range b[at : at+n] {
				b[at+i] = []byte{0, 0xff, '9', byte(i)}[n%4]
			}
		case 3:
			b = slices.Insert(b, at, b[at:at+n]...)
		case 4:
			b = slices.Delete(b, at, at+n)
		case 5:
			binary.LittleEndian.PutUint64(b[at:], 1<<t.IntN(64)-uint64(t.IntN(2)))
		case 6:
			binary.LittleEndian.PutUint32(b[at:], 1<<t.IntN(32)-uint32(t.IntN(2)))
		default: // a digit more in a number of a text
			for i := at; i < len(b); i++ {
				if '0' <= b[i] && b[i] <= '9' {
					b = slices.Insert(b, i, []byte("9999")[:1+t.IntN(4)]...)
					break
				}
			}
		}
	}
	return b
}

// seal gives a damaged model the lengths and checksums that it should have, so that readers go on to
// what is between: see docs/format.md.
func seal(b []byte) []byte {
	const header = 32
	if len(b) < header+4 {
		return b
	}
	table := crc32.MakeTable(crc32.Castagnoli)
	binary.LittleEndian.PutUint64(b[24:], uint64(len(b)))
	body := b[:len(b)-4]
	if n := binary.LittleEndian.Uint64(b[16:]); n <= uint64(len(body)-header) {
		var manifest struct {
			Sections []struct {
				Offset, Length uint64
				CRC            string `json:"crc32c"`
			}
		}
		text := b[header : header+n]
		if json.Unmarshal(text, &manifest) == nil {
			for _, s := range manifest.Sections {
				at := strings.Index(string(text), s.CRC)
				if at < 0 || len(s.CRC) != 8 || s.Offset > uint64(len(body)) || s.Length > uint64(len(body))-s.Offset {
					continue
				}
				copy(text[at:], fmt.Sprintf("%08x", crc32.Checksum(body[s.Offset:s.Offset+s.Length], table)))
			}
		}
	}
	binary.LittleEndian.PutUint32(b[len(body):], crc32.Checksum(body, table))
	return b
}
