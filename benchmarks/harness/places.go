package harness

import (
	"fmt"
	"os"
	"path/filepath"
)

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
