package recordlog

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"boost/internal/replace"
	"boost/internal/vfs"
)

// Compact writes the records that are there into a new log and drops the old one.
// Reading goes on meanwhile, appending waits. A crash at any moment leaves either log whole; on
// an error the old one stays in use.
func (l *Log) Compact() error {
	l.writing.Lock()
	defer l.writing.Unlock()
	if err := l.usable(); err != nil {
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
	var live map[key]place
	var end scanner
	err := replace.File(l.fsys, logPath(l.dir, gen), func(f vfs.File) error {
		var err error
		live, end, err = l.copyTo(f)
		return err
	})
	if err != nil {
		return l.give(gen, err)
	}
	l.options.step("renamed")
	// From here on the new log is the one that Open takes.
	if err := saveIndex(l.fsys, indexPath(l.dir, gen), live, &end); err != nil {
		return l.give(gen, err)
	}
	l.options.step("indexed")
	if err := l.change(gen); err != nil {
		return l.give(gen, err)
	}
	l.indexed = l.scan.data
	l.options.step("changed")
	for _, path := range []string{indexPath(l.dir, old), logPath(l.dir, old)} {
		_ = l.fsys.Remove(path) // a reader may have it open; tidy removes it later
		l.options.step("removed " + filepath.Base(path))
	}
	return nil
}

// give takes back a new log that cannot be used, or no record may be appended any more:
// it would go to a file that the next Open does not look at.
func (l *Log) give(gen uint64, cause error) error {
	err := l.fsys.Remove(logPath(l.dir, gen))
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		err = l.fsys.SyncDir(l.dir)
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

// copyTo writes a log of the live records to f, in their order and with their sequence
// numbers, every one checked; then a mark, since the file has its name only when all of it is on the
// disk.
func (l *Log) copyTo(f vfs.File) (map[key]place, scanner, error) {
	h := fileHeader{kind: l.kind, id: l.options.name()}
	w := bufio.NewWriterSize(f, scanBuffer)
	if _, err := w.Write(h.encode()); err != nil {
		return nil, scanner{}, err
	}
	keys := make([]key, 0, len(l.live))
	for k := range l.live {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b key) int { return cmp.Compare(l.live[a].seq, l.live[b].seq) })
	end := newScanner(nil, "", h.id)
	live := make(map[key]place, len(keys))
	var buffer []byte
	for _, k := range keys {
		p := l.live[k]
		record, err := l.shown().whole(k, p, buffer)
		if err != nil {
			return nil, scanner{}, err
		}
		buffer = record
		head, _ := decodeHeader(record, l.scan.id, p.offset)
		head.synced = logHeader
		head.encode(record, h.id, end.end)
		if _, err := w.Write(record); err != nil {
			return nil, scanner{}, err
		}
		p.offset = end.end
		live[k] = p
		end.last, end.end, end.next = p.offset, p.offset+k.size(p), p.seq+1
		l.options.step("copied")
	}
	end.data, end.synced = end.end, end.end
	var mark [recordHeader]byte
	header{kind: markType, seq: l.scan.next, synced: end.end}.encode(mark[:], h.id, end.end)
	if _, err := w.Write(mark[:]); err != nil {
		return nil, scanner{}, err
	}
	return live, end, w.Flush()
}
