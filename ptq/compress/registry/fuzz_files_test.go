package registry_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"maps"
	"os"
	"path/filepath"
	"runtime/metrics"
	"slices"
	"strings"
	"testing"

	"boost/internal/heapsize"
	"boost/internal/vfs/crashfs"
	"boost/ptq/compress/registry"
	"boost/tensorq/store"
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// places lists where the fields of a log, or of an index, begin, and how many bytes each has: see docs/format.md.
func places(name string, b []byte) (all [][2]int) {
	add := func(at int, widths ...int) {
		for _, w := range widths {
			all = append(all, [2]int{at, w})
			at += w
		}
	}
	u16, u32 := binary.LittleEndian.Uint16, binary.LittleEndian.Uint32
	switch filepath.Ext(name) {
	case ".log":
		add(0, 8, 4, 4, 8, 4, 4)
		for at := 32; at+44 <= len(b); {
			add(at, 4, 1, 1, 2, 4, 4, 8, 8, 4, 4, 4)
			at += 44 + int(u16(b[at+6:])) + int(u32(b[at+8:])) + int(u32(b[at+12:]))
		}
	case ".index":
		add(0, 8, 4, 4, 8, 8, 8, 8, 8)
		at := 56
		for at+28 < len(b)-4 {
			add(at, 1, 1, 2, 4, 4, 8, 8)
			at += 28 + int(u16(b[at+2:])) + int(u32(b[at+4:]))
		}
		add(len(b)-4, 4)
	}
	return all
}

// sealFile gives a log or an index the checksums that its bytes should have, as far as its lengths lead.
func sealFile(name string, b []byte) {
	u16, u32, put := binary.LittleEndian.Uint16, binary.LittleEndian.Uint32, binary.LittleEndian.PutUint32
	switch filepath.Ext(name) {
	case ".log":
		if len(b) < 32 {
			return
		}
		put(b[28:], crc32.Checksum(b[:28], castagnoli))
		for at := uint64(32); at+44 <= uint64(len(b)); {
			r := b[at:]
			id, head, payload := uint64(u16(r[6:])), uint64(u32(r[8:])), uint64(u32(r[12:]))
			end := 44 + id + head + payload
			if end <= uint64(len(r)) {
				put(r[32:], crc32.Checksum(r[44:44+id+head], castagnoli))
				put(r[36:], crc32.Checksum(r[44+id+head:end], castagnoli))
			}
			place := binary.LittleEndian.AppendUint64(bytes.Clone(b[16:24]), at)
			put(r[40:], crc32.Update(crc32.Checksum(place, castagnoli), castagnoli, r[:40]))
			at += end
		}
	case ".index":
		if len(b) >= 4 {
			put(b[len(b)-4:], crc32.Checksum(b[:len(b)-4], castagnoli))
		}
	}
}

// step is 12 bytes of a fuzzed program: what is done to a file, where, and with which number.
type step struct {
	how   uint8
	count uint8
	at    uint16
	value uint64
}

// change does a step to a file of a registry.
func (s step) change(files, older map[string]string, name string) {
	b := []byte(files[name])
	at := int(s.at) % (len(b) + 1)
	n := min(1+int(s.count), len(b)-at)
	value := binary.LittleEndian.AppendUint64(nil, s.value)
	number := fmt.Sprintf("%s/%08d%s", filepath.Dir(name), s.value, filepath.Ext(name))
	switch s.how % 12 {
	case 0:
		for i := range n {
			b[at+i] ^= byte(s.value) | 1
		}
	case 1:
		copy(b[at:], value[:min(n, 8)])
	case 2: // a field
		if all := places(name, b); len(all) > 0 {
			field := all[int(s.at)%len(all)]
			copy(b[field[0]:min(field[0]+field[1], len(b))], value)
		}
	case 3:
		b = b[:at]
	case 4:
		clear(b[at:])
	case 5:
		b = slices.Insert(b, at, bytes.Repeat(value, 1+int(s.count)/8)...)
	case 6:
		b = slices.Delete(b, at, at+n)
	case 7: // a piece from elsewhere in the file
		from := int(s.value % uint64(len(b)+1))
		copy(b[at:], b[from:min(from+8*n, len(b))])
	case 8:
		b = []byte(older[name])
	case 9:
		delete(files, name)
		return
	case 10:
		delete(files, name)
		name = number
	case 11: // beside it
		files[number] = string(b)
		return
	}
	files[name] = string(b)
}

// FuzzFiles changes one file of a registry of five models, step by step, and gives it another number, or an older one's
// bytes, or takes it away. A reader serves all five models, or says which file is damaged and where; no model is another
// one, and nothing is written. Repairing brings models back, and names those that are lost. Where the checksums are made
// right again, a file may claim anything: then no model is another one either, and reading takes twice the files and 16 MiB.
func FuzzFiles(f *testing.F) {
	five := newFive(f, false)
	names := slices.Sorted(maps.Keys(five.now))
	names = slices.DeleteFunc(names, func(name string) bool { return filepath.Base(name) == "lock" })
	want := map[string]string{}
	for id, m := range five.want {
		want[id] = sum(f, m)
	}
	for file := range names {
		for how := range uint8(12) {
			for _, flags := range []uint8{0, 1, 2} {
				f.Add(uint8(file), flags, binary.LittleEndian.AppendUint64([]byte{how, 3, 60, 1}, 2))
			}
		}
		f.Add(uint8(file), uint8(1), binary.LittleEndian.AppendUint64([]byte{2, 0, 10, 0}, 1<<32-1))
	}
	allocated := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	total := func() uint64 { metrics.Read(allocated); return allocated[0].Value.Uint64() }
	f.Fuzz(func(t *testing.T, file, flags uint8, program []byte) {
		name, files := names[int(file)%len(names)], maps.Clone(five.now)
		for range min(len(program)/12, 4) {
			s := step{program[0], program[1], binary.LittleEndian.Uint16(program[2:]), binary.LittleEndian.Uint64(program[4:])}
			program = program[12:]
			if _, there := files[name]; there {
				s.change(files, five.older, name)
			}
		}
		sealed := flags&1 == 1
		if text, there := files[name]; there && sealed {
			b := []byte(text)
			sealFile(name, b)
			files[name] = string(b)
		}
		disk, size := diskOf(t, files)
		options := registry.On(disk, registry.Options{Clock: five.clock.Now, ReadOnly: true})
		before, most := disk.Calls(), uint64(2*size+16<<20)
		read := func() (err error) {
			r, err := registry.Open("/d/models", five.cfg, options)
			if err != nil {
				return err
			}
			defer r.Close()
			all, err := r.List()
			if err != nil {
				return err
			}
			for id := range want {
				full, failed := r.Full(id)
				if failed == nil && sum(t, full) != want[id] {
					t.Errorf("%s is another model", id)
				}
				if failed == nil {
					_, failed = r.Get(id)
				}
				err = errors.Join(err, failed)
			}
			if !sealed && (len(all) != len(want) || errors.Is(err, registry.ErrNotFound)) {
				t.Errorf("%d models are listed: %v", len(all), err)
			}
			return errors.Join(err, r.Verify())
		}
		taken := total()
		err := read()
		if total()-taken > most {
			if peak := heapsize.Peak(func() { _ = read() }); peak > most {
				t.Errorf("files of %d bytes took %d on the heap, at most %d allowed", size, peak, most)
			}
		}
		if disk.Calls() != before {
			t.Errorf("reading made %d calls that change something", disk.Calls()-before)
		}
		if sealed || err == nil {
			return
		}
		if damage := (*store.DamageError)(nil); !errors.As(err, &damage) || !strings.HasPrefix(damage.File, filepath.Join("/d", "models")) {
			t.Errorf("%v", err)
		}
		if flags&2 == 2 {
			repaired(t, disk, five, want)
		}
	})
}

// diskOf is a disk with the files of a registry in the folder /d/models, and how many bytes these have.
func diskOf(t *testing.T, files map[string]string) (disk *crashfs.FS, size int) {
	t.Helper()
	disk = crashfs.New()
	dir := filepath.Join("/d", "models")
	for _, name := range []string{"/d", dir, filepath.Join(dir, "models"), filepath.Join(dir, "tensors")} {
		if err := disk.Mkdir(name, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range files {
		w, err := disk.OpenFile(filepath.Join(dir, name), os.O_RDWR|os.O_CREATE, 0o666)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
		size += len(text)
		if err := w.Sync(); err != nil {
			t.Fatal(err)
		}
		_ = w.Close()
	}
	for _, name := range []string{"/", "/d", dir, filepath.Join(dir, "models"), filepath.Join(dir, "tensors")} {
		if err := disk.SyncDir(name); err != nil {
			t.Fatal(err)
		}
	}
	return disk, size
}

// repaired repairs a registry in which something is damaged.
func repaired(t *testing.T, disk *crashfs.FS, five *five, want map[string]string) {
	t.Helper()
	options := registry.On(disk, registry.Options{Clock: five.clock.Now})
	done, err := registry.Repair(context.Background(), "/d/models", five.cfg, options)
	if err != nil || done.Damage == nil {
		t.Fatalf("repair: %+v, %v", done, err)
	}
	r, err := registry.Open("/d/models", five.cfg, options)
	if err != nil {
		t.Fatalf("after the repair: %v", err)
	}
	defer r.Close()
	for id := range want {
		full, err := r.Full(id)
		lost := slices.ContainsFunc(done.Lost, func(l registry.Remark) bool { return l.ID == id })
		switch {
		case err == nil && sum(t, full) != want[id]:
			t.Errorf("after the repair %s is another model", id)
		case err != nil && !lost:
			t.Errorf("after the repair %s is gone without a word: %v, %+v", id, err, done)
		}
	}
}
