package filename

import (
	"bytes"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"

	"boost/cmd/boost/internal/exit"
)

// NewConfig makes sure that a config file which is to be written is not there yet and has a name by which it is known.
func NewConfig(file string) error {
	if err := Config(file); err != nil {
		return err
	}
	if isRegular(file) {
		return exit.Usagef("%s is there already, and what it says would be lost: give another name with -o, or remove the file", file)
	}
	return nil
}

// SearchConfig is NewConfig for the result of a search with a study of this name, "" for none. The search may replace
// its own result: it goes on from its study.
func SearchConfig(file, study string) error {
	if err := Config(file); err != nil {
		return err
	}
	if !isRegular(file) {
		return nil
	}
	content, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	at := bytes.LastIndex(content, []byte(sealStart))
	if at < 0 || !bytes.Equal(Seal(content[:at:at], study), content) {
		return exit.Usagef("%s is there already: it was changed, or another search or person wrote it; give another name with -o, or remove the file", file)
	}
	return nil
}

// sealStart begins the last line of the result of a search.
const sealStart = "\n# boost tune replaces this file when the search goes on, unless the file was changed: "

// Seal adds a last line to the config of a search, by which SearchConfig knows that nobody changed it.
func Seal(config []byte, study string) []byte {
	if study != "" {
		study = filepath.Base(study)
	}
	sum := crc32.Update(crc32.ChecksumIEEE(config), crc32.IEEETable, []byte(study))
	return fmt.Appendf(config, "%s%08x\n", sealStart, sum)
}

func isRegular(file string) bool {
	info, err := os.Stat(file)
	return err == nil && info.Mode().IsRegular()
}
