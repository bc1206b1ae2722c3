package recordlog

import (
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"boost/internal/replace"
	"boost/internal/vfs"
)

// Options says how a log is opened.
type Options struct {
	// Kind says whose records the log holds. A log of another kind is refused.
	Kind uint32
	// Intact refuses, with ErrTorn, a log that a crash has left an unfinished record in.
	Intact bool
	// FS is the file system of the folder; nil: the operating system's.
	FS vfs.FS

	name func() uint64     // names a new file; nil: at random
	step func(what string) // is told of every step of a compaction; nil: nobody
}

func (o *Options) fs() vfs.FS {
	if o.FS == nil {
		return vfs.OS
	}
	return o.FS
}

// Log is a log that this process writes. There is one writer of a folder at a time.
// Methods may be called from several goroutines.
type Log struct {
	view
	dir     string
	options Options
	lock    vfs.File

	writing sync.Mutex
	buffer  []byte
	indexed int64    // bytes that the index on disk tells of
	older   int64    // offset of what a writer before may not have synced
	olderTo int64    // its end
	broken  error    // what made the file's end unknown
	tail    int64    // bytes behind the last record that are still to be cut off
	kept    string   // the file of those that were, "" for none
	safe    Position // what the last Sync has put on the disk
}

// Open opens the log of a folder for writing and makes the folder if there is none.
// What a crash left of a last record is cut off by the first record that is written. Errors: vfs.ErrBusy if
// another process writes it, *DamageError if bytes that were on the disk are wrong, ErrTorn.
func Open(dir string, options Options) (*Log, error) {
	fsys := options.fs()
	if options.name == nil {
		options.name = randomName
	}
	if options.step == nil {
		options.step = func(string) {}
	}
	if err := makeFolder(fsys, dir); err != nil {
		return nil, wrapPath(dir, err)
	}
	lock, err := lockFolder(fsys, dir)
	if err != nil {
		return nil, err
	}
	l := &Log{view: view{fsys: fsys, kind: options.Kind}, dir: dir, options: options, lock: lock}
	if err := l.start(); err != nil {
		_ = l.view.close()
		_ = lock.Close()
		return nil, err
	}
	return l, nil
}

// makeFolder makes a folder and those that it lies in.
func makeFolder(fsys vfs.FS, dir string) error {
	if info, err := fsys.Stat(dir); err == nil && info.IsDir() {
		return nil
	}
	parent := filepath.Dir(filepath.Clean(dir))
	if parent != dir {
		if err := makeFolder(fsys, parent); err != nil {
			return err
		}
	}
	if err := fsys.Mkdir(dir, 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}

// syncAbove puts the names on the disk that lead to a folder: a synced log in a folder that is gone would be of no
// use. A name that this program cannot have made, since it may not look there, is left to who made it.
func syncAbove(fsys vfs.FS, dir string) error {
	dir = filepath.Clean(dir)
	for parent := filepath.Dir(dir); parent != dir; dir, parent = parent, filepath.Dir(parent) {
		if err := fsys.SyncDir(parent); err != nil && !errors.Is(err, fs.ErrPermission) {
			return wrapPath(parent, err)
		}
	}
	return nil
}

func randomName() uint64 {
	var b [8]byte
	_, _ = rand.Read(b[:]) // it never fails: it ends the program instead
	return binary.LittleEndian.Uint64(b[:])
}

// lockFolder takes the lock of the writer. The file stays: whoever removed it could
// remove one that another writer has just locked.
func lockFolder(fsys vfs.FS, dir string) (vfs.File, error) {
	path := filepath.Join(dir, lockName)
	f, err := fsys.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, wrapPath(path, err)
	}
	if err := f.TryLock(); err != nil {
		_ = f.Close()
		return nil, wrapPath(dir, err)
	}
	return f, nil
}

// start brings the folder into order and loads its newest log.
func (l *Log) start() error {
	gen, err := newest(l.fsys, l.dir)
	if errors.Is(err, fs.ErrNotExist) {
		gen = 1
		if err = syncAbove(l.fsys, l.dir); err == nil {
			err = l.create(gen)
		}
	}
	if err != nil {
		return err
	}
	if err := l.load(l.dir, gen, os.O_RDWR); err != nil {
		return err
	}
	info, err := l.file.Stat()
	if err != nil {
		return wrapPath(l.path, err)
	}
	if l.tail = info.Size() - l.scan.end; l.tail > 0 && l.options.Intact {
		return wrapPath(l.path, ErrTorn)
	}
	l.older, l.olderTo = l.scan.synced, l.scan.end
	// A writer that was stopped may have left the name of the log not on the disk.
	if err := l.fsys.SyncDir(l.dir); err != nil {
		return wrapPath(l.dir, err)
	}
	// Only now that the newest log is known to be whole may older ones go.
	return l.tidy()
}

// cut cuts off what a crash has left behind the last record. If there are whole records in it, which were never
// said to be on the disk, it is kept beside until something else is.
func (l *Log) cut() error {
	if l.tail == 0 {
		return nil
	}
	size := l.scan.end + l.tail
	whole, err := anyWhole(l.file, l.scan.end, size, nameState(l.scan.id))
	if err != nil {
		return err
	}
	if path := pathOf(l.dir, l.gen, tailSuffix); whole {
		err := replace.File(l.fsys, path, func(f vfs.File) error {
			_, err := io.Copy(f, io.NewSectionReader(l.file, l.scan.end, l.tail))
			return err
		})
		if err != nil {
			return err
		}
		l.kept = path
	}
	if err := l.file.Truncate(l.scan.end); err != nil {
		return err
	}
	// It must not come back behind what is written next.
	if err := l.file.Sync(); err != nil {
		l.broken = brokenBy(err)
		return l.broken
	}
	l.tail = 0
	return nil
}

// create writes a log without records.
func (l *Log) create(gen uint64) error {
	h := fileHeader{kind: l.kind, id: l.options.name()}
	return replace.File(l.fsys, logPath(l.dir, gen), func(f vfs.File) error {
		_, err := f.Write(h.encode())
		return err
	})
}

// tidy removes what steps of a compaction left that was stopped: unfinished files, and
// logs and indexes other than the newest.
func (l *Log) tidy() error {
	names, err := l.fsys.ReadDir(l.dir)
	if err != nil {
		return wrapPath(l.dir, err)
	}
	for _, name := range names {
		stale := false
		final, unfinished := strings.CutSuffix(strings.TrimPrefix(name.Name(), "."), ".tmp")
		for _, suffix := range []string{logSuffix, indexSuffix, tailSuffix} {
			if gen, ok := generation(final, suffix); ok && (unfinished || gen != l.gen) {
				stale = true
			}
		}
		if gen, ok := generation(final, tailSuffix); ok && gen == l.gen && !unfinished {
			l.kept = filepath.Join(l.dir, final)
		}
		if stale {
			// A reader may have it open, and where that is in the way it goes next time.
			_ = l.fsys.Remove(filepath.Join(l.dir, name.Name()))
		}
	}
	return nil
}

// Append writes a record, which replaces the one of the same type and id, and returns its
// sequence number. Types are 1 … 255. The record is complete for every reader when the call returns,
// and outlives the process; Sync makes it outlive the machine. After an error there is no such
// record, save that ErrBroken leaves it open. Errors: ErrTooLong, ErrClosed, ErrBroken, those of the file.
func (l *Log) Append(kind uint8, id string, head, payload []byte) (uint64, error) {
	return l.append(kind, 0, id, head, payload)
}

// Remove writes that the record of a type and id is gone; there need not be one.
func (l *Log) Remove(kind uint8, id string) error {
	_, err := l.append(kind, flagRemove, id, nil, nil)
	return err
}

func (l *Log) append(kind, flags uint8, id string, head, payload []byte) (uint64, error) {
	switch {
	case kind == markType:
		return 0, fmt.Errorf("%s: a record of type 0: types are 1 … 255", l.dir)
	case len(id) > MaxID:
		return 0, fmt.Errorf("%s: id of %d bytes: %w: at most %d", l.dir, len(id), ErrTooLong, MaxID)
	case len(head) > MaxHead:
		return 0, fmt.Errorf("%s: head of %d bytes: %w: at most %d", l.dir, len(head), ErrTooLong, MaxHead)
	case uint64(len(payload)) > math.MaxUint32:
		return 0, fmt.Errorf("%s: payload of %d bytes: %w: at most %d", l.dir, len(payload), ErrTooLong, uint32(math.MaxUint32))
	}
	l.writing.Lock()
	defer l.writing.Unlock()
	if err := l.usable(); err != nil {
		return 0, err
	}
	body := append(append(make([]byte, 0, len(id)+len(head)), id...), head...)
	h := header{
		kind: kind, flags: flags, idLen: len(id), headLen: len(head), payload: int64(len(payload)),
		seq: l.scan.next, synced: l.scan.synced,
		bodyCRC: crc32.Checksum(body, castagnoli), dataCRC: crc32.Checksum(payload, castagnoli),
	}
	offset := l.scan.end
	if err := l.write(h, offset, body, payload); err != nil {
		return 0, err
	}
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.scan.end += h.size()
	l.scan.last, l.scan.data = offset, l.scan.end
	l.scan.next++
	l.scan.after = l.scan.next
	l.note(offset, h, id, body[len(id):])
	return h.seq, nil
}

// keptBuffer is the largest buffer that is kept between appends.
const keptBuffer = 1 << 20

// write writes a record in one go, or restores the file's end.
func (l *Log) write(h header, offset int64, body, payload []byte) error {
	buffer := append(l.buffer[:0], make([]byte, recordHeader)...)
	h.encode(buffer, l.scan.id, offset)
	buffer = append(append(buffer, body...), payload...)
	if cap(buffer) <= keptBuffer {
		l.buffer = buffer
	}
	if err := l.cut(); err != nil {
		return wrapPath(l.path, err)
	}
	_, err := l.file.WriteAt(buffer, offset)
	if err == nil {
		return nil
	}
	if cut := l.file.Truncate(offset); cut != nil {
		l.broken = brokenBy(err)
		return wrapPath(l.path, l.broken)
	}
	return wrapPath(l.path, err)
}

func (l *Log) usable() error {
	switch {
	case l.file == nil:
		return ErrClosed
	case l.broken != nil:
		return wrapPath(l.path, l.broken)
	}
	return nil
}

// Sync returns when all records are on the disk. Where it fails they are there all the same, and
// may not outlive the machine.
func (l *Log) Sync() error {
	l.writing.Lock()
	defer l.writing.Unlock()
	if err := l.usable(); err != nil {
		return err
	}
	return l.sync()
}

// flush puts all records on the disk.
func (l *Log) flush() error {
	if l.scan.data <= l.scan.synced {
		return nil
	}
	if err := l.rewrite(); err != nil {
		return wrapPath(l.path, err)
	}
	if err := l.file.Sync(); err != nil {
		// What of it the disk holds is unknown, and a second call would not say.
		l.broken = brokenBy(err)
		return wrapPath(l.path, l.broken)
	}
	if l.kept != "" && l.fsys.Remove(l.kept) == nil {
		l.kept = ""
	}
	return nil
}

// rewrite writes once more what the writer before has written since its last sync. If a sync of that failed, the
// system holds the bytes and takes them for safe, and puts them on the disk only when they are written anew.
func (l *Log) rewrite() error {
	b := make([]byte, min(scanBuffer, l.olderTo-l.older))
	for l.older < l.olderTo {
		b = b[:min(int64(len(b)), l.olderTo-l.older)]
		if _, err := l.file.ReadAt(b, l.older); err != nil {
			return err
		}
		if _, err := l.file.WriteAt(b, l.older); err != nil {
			return err
		}
		l.older += int64(len(b))
	}
	return nil
}

// sync is flush with a mark that says what is on the disk, so that its loss is damage.
func (l *Log) sync() error {
	at := Position{l.gen, l.scan.id, l.scan.after}
	if l.scan.data <= l.scan.synced {
		l.safe = at
		return nil
	}
	if err := l.flush(); err != nil {
		return err
	}
	l.safe = at
	synced := l.scan.data
	mark := header{kind: markType, seq: l.scan.next, synced: synced}
	if err := l.write(mark, l.scan.end, nil, nil); err != nil {
		return l.usable() // the records are on the disk, and the next mark says so as well
	}
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.scan.synced = synced
	l.scan.end += recordHeader
	l.scan.next++
	return nil
}

// saveIndex writes the index that makes opening fast. All records are on the disk.
func (l *Log) saveIndex() error {
	if l.indexed == l.scan.data {
		return nil
	}
	if err := saveIndex(l.fsys, indexPath(l.dir, l.gen), l.live, &l.scan); err != nil {
		return err
	}
	l.indexed = l.scan.data
	return nil
}

// Close syncs the log, writes its index, if there is room, and releases it. Its records were written before.
func (l *Log) Close() error { return l.release(true) }

// Abandon releases the log and writes nothing: for a caller that finds out, after it opened the log,
// that something is wrong with it.
func (l *Log) Abandon() error { return l.release(false) }

func (l *Log) release(complete bool) error {
	l.writing.Lock()
	defer l.writing.Unlock()
	if l.file == nil {
		return ErrClosed
	}
	var err error
	if complete && l.broken == nil {
		if err = l.sync(); err == nil {
			_ = l.saveIndex() // a reader can do without
		}
	}
	return errors.Join(err, l.view.close(), l.lock.Close())
}
