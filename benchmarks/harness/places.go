package harness

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// Program returns the path of this program, and what tells it from others.
func Program() (self, build string, err error) {
	if self, err = os.Executable(); err == nil {
		build, err = SumOf(self)
	}
	return self, build, err
}

// SumOf returns the sha256 of a file.
func SumOf(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }() // only read from
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// Cache returns the folder that tables are kept in: the one that is named, or one of the user's.
func Cache(named string) (string, error) {
	if named != "" {
		return named, nil
	}
	user, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("no place for tables, name one with --cache: %w", err)
	}
	return filepath.Join(user, "boost", "tables"), nil
}
