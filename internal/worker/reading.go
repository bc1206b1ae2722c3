package worker

import (
	"regexp"
	"slices"
	"strings"

	"boost/configs"
	"boost/dataset"
)

// readingKeys are the settings that say how a table for a model is written. They stand above what the model remembers.
var readingKeys = []string{
	"data.format", "data.missing", "data.missing_only", "data.parse", "data.blanks", "data.decimal", "data.encoding",
	"data.separator", "data.header", "data.skip_lines", "data.absent", "data.index_base", "data.sheet",
}

// flagsOf returns settings as flags of a configuration.
func flagsOf(settings [][2]string) []configs.Flag {
	var flags []configs.Flag
	for _, setting := range settings {
		flags = append(flags, configs.Flag{Name: setting[0] + " =", Key: setting[0], Value: setting[1]})
	}
	return flags
}

// readOptions returns how a table for a model is read, by settings of readingKeys.
func (r *request) readOptions(settings [][2]string) ([]dataset.Option, error) {
	if len(settings) == 0 {
		return nil, nil
	}
	c, notes, err := configs.Read(configs.Default(), "", nil, flagsOf(settings)...)
	r.note(notes...)
	if err != nil {
		return nil, err
	}
	for _, k := range configs.Keys() {
		if c.Given(k.Name) && !slices.Contains(readingKeys, k.Name) {
			return nil, usagef("%s does not say how a table is written: reading takes %s", k.Name, strings.Join(readingKeys, ", "))
		}
	}
	return c.ReadOptions(), nil
}

// setFlag is a flag --set in a message, in single quotes or without.
var setFlag = regexp.MustCompile(`--set (?:'([a-z_.]+)=([^']*)'|([a-z_.]+)=(\S+))`)

// settingsOf returns a message with flags --set as settings of Python: those of params, or of reading.
func (r *request) settingsOf(message string) string {
	setting := `{"$1$3": '$2$4'}`
	switch r.head.Op {
	case "predict", "staged", "evaluate":
		setting = "reading=" + setting
	}
	return setFlag.ReplaceAllString(message, setting)
}
