package recordlog

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"

	"boost/internal/replace"
	"boost/internal/vfs"
)

// Repaired says what Repair did to the log of a folder.
type Repaired struct {
	Damage error    // what was wrong; nil: nothing
	Log    string   // the new log; "": nothing was done
	Kept   []string // the old files, under their new names
	Gaps   []Gap    // of the old log
	// Gone has the records that the index tells of and that were not found: of some there may be an older one.
	Gone []Entry
}

// Gap is a part of a log that holds no whole record.
type Gap struct {
	File     string
	From, To int64
}

// source is a file that records are salvaged from.
type source struct {
	path string
	file vfs.File
	size int64
	name uint32 // state of the checksum behind the file's name
}

// salvage is what Repair finds.
type salvage struct {
	kind  uint32
	fsys  vfs.FS
	files []*source
	last  map[key]found
	in    map[key]*source
	next  uint64
	gaps  []Gap
}

// Repair writes a new log of all whole records of a damaged one, those behind the damage too, and those that
// bytes which came in or went out have moved. The old files are kept under names that end in ".old". A log
// without damage, its last record unfinished or not, stays as it is, unless it is to be written anew anyway. Errors:
// vfs.ErrBusy, those of files; then the old files are there, and Repair can be called again.
func Repair(dir string, options Options, anyway bool) (*Repaired, error) {
	fsys := options.fs()
	if err := makeFolder(fsys, dir); err != nil {
		return nil, wrapPath(dir, err)
	}
	lock, err := lockFolder(fsys, dir)
	if err != nil {
		return nil, err
	}
	defer lock.Close()
	r := &Repaired{}
	if r.Damage = check(dir, options); r.Damage != nil && !errors.As(r.Damage, new(*DamageError)) {
		return nil, r.Damage
	}
	logs, indexes, gen, err := oldFiles(fsys, dir)
	if err != nil {
		return nil, wrapPath(dir, err)
	}
	if r.Damage == nil && (!anyway || logs == nil) {
		return r, nil
	}
	s := &salvage{kind: options.Kind, fsys: fsys, last: map[key]found{}, in: map[key]*source{}, next: 1}
	defer s.close()
	var index *index
	for _, path := range indexes {
		if index, err = readIndex(fsys, path); err != nil {
			return nil, err
		}
	}
	for _, path := range logs {
		if err := s.open(path, index); err != nil {
			return nil, err
		}
	}
	for _, f := range s.files {
		if err := s.scan(f); err != nil {
			return nil, wrapPath(f.path, err)
		}
	}
	r.Gone, r.Gaps, r.Log = s.gone(index), s.gaps, logPath(dir, gen+1)
	if options.name == nil {
		options.name = randomName
	}
	draft, err := replace.Create(fsys, r.Log)
	if err != nil {
		return nil, err
	}
	n := newLog{header: fileHeader{kind: options.Kind, id: options.name()}, step: func(string) {}}
	if err = n.write(draft.File, s.live(), s.next, s.whole); err == nil {
		err = draft.File.Sync()
	}
	s.close() // an open file keeps its name on Windows
	if err == nil {
		r.Kept, err = keep(fsys, dir, slices.Concat(logs, indexes))
	}
	if err != nil {
		draft.Discard()
		return nil, wrapPath(r.Log, replace.Reason(err))
	}
	return r, draft.Commit()
}

// check reads a log whole, without its being changed.
func check(dir string, options Options) error {
	r, err := OpenReader(dir, options)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return errors.Join(r.Verify(), r.Close())
}

// oldFiles returns the logs of a folder, or where there is none those that an earlier repair has put away
// without coming to an end, the newest last; the indexes; and the highest number of any.
func oldFiles(fsys vfs.FS, dir string) (logs, indexes []string, gen uint64, err error) {
	names, err := fsys.ReadDir(dir)
	if err != nil {
		return nil, nil, 0, err
	}
	found := map[string]map[uint64]string{logSuffix: {}, indexSuffix: {}}
	for _, suffix := range []string{logSuffix, indexSuffix} {
		for _, ending := range []string{"", oldSuffix} {
			if len(found[suffix]) > 0 {
				break
			}
			for _, name := range names {
				file, ok := strings.CutSuffix(name.Name(), ending)
				if g, also := generation(file, suffix); ok && also {
					found[suffix][g] = pathOf(dir, g, suffix+ending)
					gen = max(gen, g)
				}
			}
		}
	}
	sorted := func(paths map[uint64]string) (all []string) {
		for _, g := range slices.Sorted(maps.Keys(paths)) {
			all = append(all, paths[g])
		}
		return all
	}
	return sorted(found[logSuffix]), sorted(found[indexSuffix]), gen, nil
}

// keep renames files so that they count no more.
func keep(fsys vfs.FS, dir string, paths []string) (kept []string, err error) {
	for _, path := range paths {
		to := path
		if !strings.HasSuffix(path, oldSuffix) {
			to += oldSuffix
			if err := fsys.Rename(path, to); err != nil {
				return nil, err
			}
		}
		kept = append(kept, to)
	}
	return kept, fsys.SyncDir(dir)
}

// open takes a file into the sources. Where its header does not say its name, the index does, or the records.
func (s *salvage) open(path string, i *index) error {
	if err := regular(s.fsys, path); err != nil {
		return err
	}
	f, err := s.fsys.OpenFile(path, os.O_RDONLY, 0)
	if err != nil {
		return wrapPath(path, err)
	}
	from := &source{path: path, file: f}
	s.files = append(s.files, from)
	info, err := f.Stat()
	if err != nil {
		return wrapPath(path, err)
	}
	from.size = info.Size()
	h, err := readFileHeader(f, path, s.kind)
	var damage *DamageError
	switch {
	case err == nil:
		from.name = nameState(h.id)
		return nil
	case !errors.As(err, &damage):
		return err
	case damage.Offset > 0: // another program's, and whole
		return fmt.Errorf("%w: put the right file in its place first", err)
	}
	s.gaps = append(s.gaps, Gap{path, 0, min(logHeader, from.size)})
	if i != nil {
		from.name = nameState(i.id)
		return nil
	}
	from.name, err = guessName(f, from.size)
	return err
}

// guessName returns the name that most records of a log without a header have, as a state.
func guessName(f vfs.File, size int64) (uint32, error) {
	votes := map[uint32]int{}
	for at := int64(0); ; at++ {
		var err error
		if at, err = findRecord(f, at, size); err != nil {
			return 0, err
		}
		if at == size {
			break
		}
		b := make([]byte, recordHeader)
		if _, err := f.ReadAt(b, at); err != nil {
			return 0, err
		}
		name := solve(b, at) ^ uint32(at)
		if _, ok, err := wholeAt(f, at, size, name); err != nil {
			return 0, err
		} else if ok {
			votes[name]++
		}
	}
	best, most := uint32(0), 0
	for _, name := range slices.Sorted(maps.Keys(votes)) {
		if votes[name] > most {
			best, most = name, votes[name]
		}
	}
	return best, nil
}

// scan takes in the whole records of a file.
func (s *salvage) scan(from *source) error {
	end := min(int64(logHeader), from.size) // of the last whole record
	for at := end; ; {
		next, err := findRecord(from.file, at, from.size)
		if err != nil {
			return err
		}
		if next == from.size {
			break
		}
		r, ok, err := wholeAt(from.file, next, from.size, from.name)
		if err != nil {
			return err
		}
		if !ok {
			at = next + 1
			continue
		}
		if next > end {
			s.gaps = append(s.gaps, Gap{from.path, end, next})
		}
		end = next + r.size(r.place)
		at = end
		s.next = max(s.next, r.seq+1)
		// In the payload of a damaged record there may be copies of records that came before: they count for no more.
		if old, there := s.last[r.key]; r.kind != markType && (!there || r.seq >= old.seq) {
			s.last[r.key], s.in[r.key] = r, from
		}
	}
	if from.size > end {
		s.gaps = append(s.gaps, Gap{from.path, end, from.size})
	}
	return nil
}

// live returns the records that are there.
func (s *salvage) live() map[key]place {
	live := map[key]place{}
	for k, r := range s.last {
		if !r.remove {
			live[k] = r.place
		}
	}
	return live
}

// whole returns the bytes of a record, checked.
func (s *salvage) whole(k key, p place, buf []byte) ([]byte, error) {
	from := s.in[k]
	if _, ok, err := wholeAt(from.file, p.offset, from.size, from.name); err != nil {
		return nil, err
	} else if !ok {
		return nil, &DamageError{File: from.path, Offset: p.offset, What: "the record changes while it is read"}
	}
	buf = slices.Grow(buf[:0], int(k.size(p)))[:k.size(p)]
	_, err := from.file.ReadAt(buf, p.offset)
	return buf, err
}

// gone returns the records of an index that were not found, or not as new.
func (s *salvage) gone(i *index) []Entry {
	if i == nil {
		return nil
	}
	s.next = max(s.next, i.next)
	if len(s.files) > 0 {
		if f := s.files[len(s.files)-1]; uint64(f.size) < i.covered {
			s.gaps = append(s.gaps, Gap{f.path, f.size, int64(i.covered)})
		}
	}
	live, _ := decodeEntries(i.entries, i.count, int64(i.covered), i.next)
	var gone []Entry
	for k, p := range live {
		if r, ok := s.last[k]; !ok || r.seq < p.seq {
			gone = append(gone, k.entry(p))
		}
	}
	slices.SortFunc(gone, func(a, b Entry) int { return cmp.Compare(a.Seq, b.Seq) })
	return gone
}

func (s *salvage) close() {
	for _, f := range s.files {
		_ = f.file.Close()
	}
	s.files = nil
}
