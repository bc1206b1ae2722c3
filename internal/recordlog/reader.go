package recordlog

import (
	"errors"
	"io/fs"
	"os"
)

// Reading is what a Log and a Reader have in common.
type Reading interface {
	Read(kind uint8, id string, buf []byte) ([]byte, Entry, error)
	Entries(kind uint8) []Entry
	Lookup(kind uint8, id string) (Entry, bool)
	Size() (live, total int64)
	Verify() error
	Reaches(Position) error
	Empty() bool
	Close() error
	Abandon() error
}

// OpenFor is Open, or OpenReader: then there is no Log.
func OpenFor(dir string, options Options, readOnly bool) (Reading, *Log, error) {
	if readOnly {
		r, err := OpenReader(dir, options)
		return r, nil, err
	}
	l, err := Open(dir, options)
	return l, l, err
}

// Reader is a log that is only read, while another process may write it. It sees the
// records that were complete when it was opened or last refreshed. Methods may be called from several goroutines.
type Reader struct {
	view
	dir string
}

// OpenReader opens the log of a folder for reading; it changes nothing there. Errors:
// fs.ErrNotExist if there is no log, *DamageError if bytes that were on the disk are
// wrong.
func OpenReader(dir string, options Options) (*Reader, error) {
	r := &Reader{view: view{fsys: options.fs(), kind: options.Kind}, dir: dir}
	if err := r.newest(); err != nil {
		return nil, err
	}
	return r, nil
}

// newest loads the newest log, the one in use too.
func (r *Reader) newest() error {
	var err error
	for range patience {
		var gen uint64
		if gen, err = newest(r.fsys, r.dir); errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if err == nil {
			err = r.load(r.dir, gen, os.O_RDONLY)
		}
		if !passing(err) {
			return err
		}
	}
	return err
}

// patience is how often a reader looks again at what the writer may be changing.
const patience = 4

// passing reports whether an error may be of a moment: a compaction removed the log, and then
// there is a newer one, or the writer cut off and wrote over what a crash had left while it was read.
func passing(err error) bool {
	var damage *DamageError
	return errors.Is(err, fs.ErrNotExist) || errors.As(err, &damage)
}

// Refresh takes in what was written since the log was opened or refreshed, and says
// whether that was anything.
func (r *Reader) Refresh() (bool, error) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if r.file == nil {
		return false, ErrClosed
	}
	if gen, err := newest(r.fsys, r.dir); err != nil || gen != r.gen {
		return true, r.newest()
	}
	info, err := r.file.Stat()
	if err != nil {
		return false, wrapPath(r.path, err)
	}
	if info.Size() < r.scan.end {
		return false, r.scan.damage(info.Size(), "the log ends here and was longer when it was read before")
	}
	before := r.scan.data
	for range patience {
		if err = r.scan.run(info.Size(), r.note); !passing(err) {
			break
		}
	}
	return r.scan.data != before, err
}

// Abandon is Close.
func (r *Reader) Abandon() error { return r.Close() }

// Close releases the log.
func (r *Reader) Close() error { return r.view.close() }
