package recordlog

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"boost/internal/replace"
	"boost/internal/vfs"
)

// Compact writes the records that are there into a new log and drops the old one, which is checked before and
// stays until the new one was read back. Reading goes on meanwhile, appending waits. A crash at any moment
// leaves either log whole; on an error the old one stays in use.
func (l *Log) Compact() error {
	l.writing.Lock()
	defer l.writing.Unlock()
	if err := l.usable(); err != nil {
		return err
	}
	if err := l.verify(func() {}); err != nil {
		return err
	}
	// What the new log lacks because it was removed is no loss only when the removal is safe. A mark
	// is not needed for that, and a full disk may have no room for it.
	if err := l.flush(); err != nil {
		return err
	}
	l.options.step("synced")
	old := l.gen
	if old == lastGeneration {
		return fmt.Errorf("%s: there is no number for a log after it: rename it to 00000001.log", l.path)
	}
	gen := old + 1
	n := newLog{header: fileHeader{kind: l.kind, id: l.options.name()}, step: l.options.step}
	err := replace.File(l.fsys, logPath(l.dir, gen), func(f vfs.File) error {
		return n.write(f, l.live, l.scan.next, l.shown().whole)
	})
	if err != nil {
		return l.give(gen, err)
	}
	l.options.step("renamed")
	// From here on the new log is the one that Open takes, with or without an index.
	indexed := saveIndex(l.fsys, indexPath(l.dir, gen), n.live, &n.end)
	l.options.step("indexed")
	if err := l.change(gen); err != nil {
		return l.give(gen, err)
	}
	if l.indexed = 0; indexed == nil {
		l.indexed = l.scan.data
	}
	l.olderTo = l.older
	l.options.step("changed")
	for _, path := range []string{indexPath(l.dir, old), logPath(l.dir, old)} {
		_ = l.fsys.Remove(path) // a reader may have it open; tidy removes it later
		l.options.step("removed " + filepath.Base(path))
	}
	return nil
}

// give takes back a new log that cannot be used, or no record may be appended any more:
// it would go to a file that the next Open does not look at. The index goes first: it tells of a log.
func (l *Log) give(gen uint64, cause error) error {
	var err error
	for _, path := range []string{indexPath(l.dir, gen), logPath(l.dir, gen)} {
		if err = l.fsys.Remove(path); err == nil || errors.Is(err, fs.ErrNotExist) {
			err = l.fsys.SyncDir(l.dir)
		}
		if err != nil {
			break
		}
	}
	if err != nil {
		l.broken = fmt.Errorf("%w: a compaction stopped half way: %w", ErrBroken, cause)
	}
	return cause
}

// change makes the log of another generation the one in use.
func (l *Log) change(gen uint64) error {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return l.load(l.dir, gen, os.O_RDWR)
}

// newLog is a log that is written whole, before its file has a name.
type newLog struct {
	header fileHeader
	step   func(string)

	live map[key]place // in the new log
	end  scanner       // behind its last record
}

// write writes a log of records to f, in their order and with their sequence numbers; then a mark with the
// number next, since the file has its name only when all of it is on the disk. Whole returns the bytes of a record,
// checked. What was written is read back.
func (n *newLog) write(f vfs.File, live map[key]place, next uint64, whole func(key, place, []byte) ([]byte, error)) error {
	w := bufio.NewWriterSize(f, scanBuffer)
	if _, err := w.Write(n.header.encode()); err != nil {
		return err
	}
	keys := slices.SortedFunc(maps.Keys(live), func(a, b key) int { return cmp.Compare(live[a].seq, live[b].seq) })
	n.end = newScanner(nil, "", n.header.id)
	n.live = make(map[key]place, len(keys))
	end := &n.end
	var buffer []byte
	for _, k := range keys {
		p := live[k]
		record, err := whole(k, p, buffer)
		if err != nil {
			return err
		}
		buffer = record
		head := parseHeader(record)
		head.synced = logHeader
		head.encode(record, n.header.id, end.end)
		if _, err := w.Write(record); err != nil {
			return err
		}
		p.offset = end.end
		n.live[k] = p
		end.last, end.end, end.after = p.offset, p.offset+k.size(p), p.seq+1
		n.step("copied")
	}
	end.data, end.synced = end.end, end.end
	var mark [recordHeader]byte
	header{kind: markType, seq: next, synced: end.end}.encode(mark[:], n.header.id, end.end)
	if _, err := w.Write(mark[:]); err != nil {
		return err
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return n.proven(f)
}

// proven reads a new log back.
func (n *newLog) proven(f vfs.File) error {
	got := view{live: map[key]place{}}
	s := newScanner(f, "the new log", n.header.id)
	h, err := readFileHeader(f, s.path, n.header.kind)
	if err == nil {
		err = s.run(n.end.end+recordHeader, got.note)
	}
	if err != nil {
		return err
	}
	same := func(a, b place) bool {
		return a.offset == b.offset && a.seq == b.seq && a.payload == b.payload && a.head == b.head
	}
	if h != n.header || s.end != n.end.end+recordHeader || !maps.EqualFunc(got.live, n.live, same) {
		return errors.New("what was written is read as something else: check the disk")
	}
	return nil
}
