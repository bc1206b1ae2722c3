package registry_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"boost/internal/heapsize"
	"boost/internal/recordlog"
	"boost/internal/testenv"
	"boost/ptq/compress/registry"
	"boost/tensorq/store"
)

// What owns the logs of a registry, and the types of their records, as docs/format.md has them.
const (
	ownerModels  = 0x47455242 // BREG
	ownerTensors = 0x54535154 // TQST

	typeTensor = 1
	typeModel  = 1
	typeSource = 2
	typePin    = 3
	typeStore  = 4
)

// forged is a record that is written by hand.
type forged struct {
	log           string // models or tensors
	kind          uint8
	id            string
	head, payload []byte
}

// forge appends records to the logs of a registry that is closed.
func forge(t testing.TB, dir string, records []forged) {
	t.Helper()
	for name, owner := range map[string]uint32{"models": ownerModels, "tensors": ownerTensors} {
		l, err := recordlog.Open(filepath.Join(dir, name), recordlog.Options{Kind: owner})
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range records {
			if r.log != name {
				continue
			}
			if _, err := l.Append(r.kind, r.id, r.head, r.payload); err != nil {
				t.Fatal(err)
			}
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// bytesOf returns how many bytes the files of a folder have.
func bytesOf(t testing.TB, dir string) (n int64) {
	t.Helper()
	err := filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		n += info.Size()
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// useAll opens a registry for reading and asks for all that it has. Errors are what a damaged one is for.
func useAll(dir string, c store.Config) {
	r, err := registry.Open(dir, c, registry.Options{Clock: newClock().Now, ReadOnly: true})
	if err != nil {
		return
	}
	for _, id := range r.IDs() {
		_, _ = r.Info(id)
		if _, err := r.Get(id); err != nil {
			_, _ = r.Full(id)
		}
	}
	_ = r.Verify()
	_ = r.Close()
}

// withinTwice holds what using a registry takes on the heap: twice its files, and 16 MiB.
func withinTwice(t testing.TB, dir string, c store.Config) {
	t.Helper()
	size := bytesOf(t, dir)
	peak := heapsize.Peak(func() { useAll(dir, c) })
	if most := uint64(2*size + 16<<20); peak > most {
		t.Errorf("files of %d bytes took %d on the heap, at most %d allowed", size, peak, most)
	} else {
		t.Logf("files of %d bytes took %d of %d", size, peak, most)
	}
}

// smallRegistry returns the folder of a registry of one model, and the heads of its records.
func smallRegistry(t testing.TB) (f *fixture, about, source, tensor []byte) {
	t.Helper()
	f = newRegistry(t)
	f.add("a", forest(t, 1, 1, 2, 3))
	if err := f.Registry.Close(); err != nil {
		t.Fatal(err)
	}
	head := func(name string, owner uint32, kind uint8) []byte {
		l, err := recordlog.OpenReader(filepath.Join(f.dir, name), recordlog.Options{Kind: owner})
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		e, ok := l.Lookup(kind, "a")
		if !ok {
			t.Fatalf("%s has no record of type %d", name, kind)
		}
		return e.Head
	}
	return f, head("models", ownerModels, typeModel), head("models", ownerModels, typeSource), head("tensors", ownerTensors, typeTensor)
}

// zeros returns n zeros, packed.
func zeros(t testing.TB, n int) []byte {
	t.Helper()
	w, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	return w.EncodeAll(make([]byte, n), nil)
}

func list(element string, n int) string {
	return "[" + strings.TrimSuffix(strings.Repeat(element+",", n), ",") + "]"
}

// Everything that a registry counts: bytes that unpack to many, lists in heads, runs of parts, dimensions, names, records, and
// numbers of logs.
func TestBombs(t *testing.T) {
	testenv.Memory(t)
	f, about, source, tensor := smallRegistry(t)
	replaced := func(head []byte, old, with string) []byte {
		if !bytes.Contains(head, []byte(old)) {
			t.Fatalf("%s has no %s", head, old)
		}
		return bytes.Replace(head, []byte(old), []byte(with), 1)
	}
	sized := func(n int) []byte { // the origin of a file of so many bytes
		from := bytes.Index(source, []byte(`"size":`))
		to := from + bytes.IndexAny(source[from:], ",}")
		return replaced(source, string(source[from:to]), fmt.Sprintf(`"size":%d`, n))
	}
	sha := string(source[bytes.Index(source, []byte(`"sha256":"`)) : bytes.Index(source, []byte(`"sha256":"`))+76])
	rule := func(kind, with string) []byte {
		return []byte(`{` + sha + `"kind":"` + kind + `","of":"b",` + with + `}`)
	}
	wide := func(outputs int) []byte {
		var c []string
		for _, bits := range []int{8, 7, 5, 3} {
			c = append(c, fmt.Sprintf(`{"bits":%d,"bytes":1,"bound":%s,"scores":%s}`, bits, list("0", outputs), list("0", outputs)))
		}
		return fmt.Appendf(nil, `{%s"outputs":%d,"certificates":[%s]}`, sha, outputs, strings.Join(c, ","))
	}
	shape := func(values uint32) []byte {
		b := bytes.Clone(tensor)
		binary.LittleEndian.PutUint32(b[54:], values)
		return b
	}
	runs := func() []byte { // absent, a permutation of parts of which no two stay together
		b := bytes.Clone(tensor[:54])
		b[2], b[3], b[4], b[5] = 0, 0, 0, 1
		clear(b[14:22])
		b = append(binary.LittleEndian.AppendUint32(b, 500_000), 5)
		b = append(append(b, make([]byte, 16)...), 1, 'b', 0)
		b = binary.AppendUvarint(b, 500_000)
		return append(b, bytes.Repeat([]byte{0, 1}, 500_000)...)
	}
	many := func(n int, one func(id string) []forged) []forged {
		var all []forged
		for i := range n {
			all = append(all, one(fmt.Sprintf("%x", i))...)
		}
		return all
	}
	const huge = 100 << 20
	unpacksToMuch := zeros(t, huge)
	for name, records := range map[string][]forged{
		"a file that unpacks to more than it says": {{"models", typeSource, "a", source, unpacksToMuch}},
		"a file that unpacks to much":              {{"models", typeSource, "a", sized(huge), unpacksToMuch}},
		"a rule's payload that unpacks to much":    {{"models", typeSource, "b", sized(10), nil}, {"models", typeSource, "a", rule("leaves", fmt.Sprintf(`"size":%d`, huge)), unpacksToMuch}},
		"trees of a permutation":                   {{"models", typeSource, "a", rule("permutation", `"trees":`+list("0", 500_000)), nil}},
		"trees of many permutations": many(8, func(id string) []forged {
			return []forged{{"models", typeModel, id, about, nil}, {"models", typeSource, id, rule("permutation", `"trees":`+list("0", 500_000)), nil}, {"tensors", typeTensor, id, tensor, make([]byte, 4096)}}
		}),
		"outputs of a projection": {{"models", typeSource, "a", rule("projection", `"outputs":`+list("0", 500_000)), nil}},
		"outputs of a model":      {{"models", typeModel, "a", wide(60_000), nil}},
		"unknown keys":            {{"models", typeModel, "a", replaced(about, `{`, `{"x":`+list(`{}`, 300_000)+`,`), nil}},
		"runs of parts":           {{"tensors", typeTensor, "a", runs(), nil}},
		"values":                  {{"tensors", typeTensor, "a", shape(1 << 30), make([]byte, 100)}},
		"a far position":          {{"models", typeStore, "", bytes.Repeat([]byte{255}, 24), nil}},
		"pins":                    many(40_000, func(id string) []forged { return []forged{{"models", typePin, id, []byte{1}, nil}} }),
		"sources without models":  many(25_000, func(id string) []forged { return []forged{{"models", typeSource, id, source, nil}} }),
		"long names": many(300, func(id string) []forged {
			return []forged{{"models", typeModel, id + strings.Repeat("x", 60_000), about, nil}}
		}),
		"tensors without models": many(40_000, func(id string) []forged { return []forged{{"tensors", typeTensor, id, tensor, make([]byte, 33)}} }),
		"models of nothing": many(20_000, func(id string) []forged {
			return []forged{{"models", typeModel, id, about, nil}, {"tensors", typeTensor, id, tensor, make([]byte, 33)}}
		}),
	} {
		t.Run("S3.59/"+name, func(t *testing.T) {
			dir := t.TempDir()
			copyFolder(t, f.dir, dir)
			forge(t, dir, records)
			withinTwice(t, dir, f.cfg)
		})
	}
	for name, number := range map[string]uint64{"a log of a high number": 1 << 62, "a log of the highest number": math.MaxInt64} {
		t.Run("S3.59/"+name, func(t *testing.T) {
			dir := t.TempDir()
			copyFolder(t, f.dir, dir)
			for _, suffix := range []string{".log", ".index"} {
				if err := os.WriteFile(filepath.Join(dir, "models", fmt.Sprintf("%08d%s", number, suffix)), make([]byte, 100), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			withinTwice(t, dir, f.cfg)
		})
	}
}

// A large file that packs to next to nothing is written so that it is read again; a small one needs no filling.
func TestPackedZeros(t *testing.T) {
	for _, n := range []int{0, 1, 10_000, 1 << 20, 1<<20 + 1, 3 << 20} {
		data := make([]byte, n)
		packed, again, err := registry.PackAndUnpack(data)
		if err != nil || !bytes.Equal(again, data) {
			t.Errorf("%d zeros are packed in %d bytes and read as %d, %v", n, len(packed), len(again), err)
		}
		if large := n > 1<<20; large && (len(packed) <= n/64 || len(packed) > n/60) || !large && len(packed) > 200 {
			t.Errorf("%d zeros are packed in %d bytes", n, len(packed))
		}
	}
}

// FuzzClaims repeats a piece in the head of a record, and in what its payload unpacks to. Checksums are right. Using
// the registry takes no more than twice its files and 16 MiB.
func FuzzClaims(f *testing.F) {
	small, about, source, tensor := smallRegistry(f)
	heads := []forged{{"models", typeModel, "a", about, nil}, {"models", typeSource, "a", source, nil}, {"tensors", typeTensor, "a", tensor, nil},
		{"models", typePin, "a", []byte{1}, nil}, {"models", typeStore, "", make([]byte, 24), nil}}
	for i := range heads {
		for _, piece := range []string{"0,", `{},`, `"trees":[0],`, "\x00\x01", "\xff\xff\xff\xff"} {
			f.Add(uint8(i), uint16(len(heads[i].head)/2), uint16(60_000), []byte(piece), uint8(1))
		}
	}
	w, err := zstd.NewWriter(nil)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, which uint8, at, times uint16, piece []byte, form uint8) {
		r := heads[int(which)%len(heads)]
		place := int(at) % (len(r.head) + 1)
		piece = bytes.Repeat(piece, min(int(times), (recordlog.MaxHead-len(r.head))/max(len(piece), 1)))
		switch form % 4 {
		case 1:
			r.payload = piece
		case 2:
			r.payload = w.EncodeAll(piece, nil)
		case 3:
			r.payload = w.EncodeAll(make([]byte, 1000*len(piece)), nil)
		}
		r.head = slices.Insert(bytes.Clone(r.head), place, piece...)
		dir := t.TempDir()
		copyFolder(t, small.dir, dir)
		forge(t, dir, []forged{r})
		use, most := func() { useAll(dir, small.cfg) }, uint64(2*bytesOf(t, dir)+16<<20)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		use()
		runtime.ReadMemStats(&after)
		if after.TotalAlloc-before.TotalAlloc <= most {
			return
		}
		if peak := heapsize.Peak(use); peak > most {
			t.Fatalf("%d on the heap, at most %d allowed", peak, most)
		}
	})
}
