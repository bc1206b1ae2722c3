package store

import (
	"fmt"

	"boost/internal/recordlog"
)

// Position is how far a log of records has come.
type Position = recordlog.Position

// Repair salvages the log of a damaged store: see recordlog.Repair. Of the options it takes the file system.
func Repair(dir string, options Options, anyway bool) (*recordlog.Repaired, error) {
	return recordlog.Repair(dir, recordlog.Options{Kind: logKind, FS: options.FS}, anyway)
}

// Position returns where the store was when it was synced last; it can be called after Close.
func (s *Store) Position() Position {
	if s.writer == nil {
		return Position{}
	}
	return s.writer.Position()
}

// Reaches is the *DamageError of a store that is behind a position that it had; nil if it is not.
func (s *Store) Reaches(p Position) error {
	if err := s.log.Reaches(p); err != nil {
		return fmt.Errorf("store: %w", err)
	}
	return nil
}

// Vouch records how far the log of the store's owner is on the disk, if there is room for that: each of the
// two can then tell that the other has lost something.
func (s *Store) Vouch(owner Position) {
	s.writing.Lock()
	defer s.writing.Unlock()
	if owner != (Position{}) && owner != s.Vouched() {
		_, _ = s.writer.Append(recordOwner, "", owner.Encode(), nil)
	}
}

// Vouched returns what was recorded last; the zero value if nothing was.
func (s *Store) Vouched() Position {
	e, _ := s.log.Lookup(recordOwner, "")
	p, _ := recordlog.DecodePosition(e.Head)
	return p
}
