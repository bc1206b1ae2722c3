package configs

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// Starter is a commented config file to begin with.
type Starter struct {
	Config   *Config
	Title    []string            // lines at the top
	Comments map[string][]string // by key: lines that say how its value came about
	All      bool                // every key, those at their default commented out
}

// starterKeys are written even where they hold the default.
var starterKeys = []string{
	"data.train", "data.label", "train.objective", "train.effort", "output.model",
}

// TOML returns the file. Reading it gives the Config back.
func (s *Starter) TOML() []byte {
	var b bytes.Buffer
	for _, line := range s.Title {
		fmt.Fprintf(&b, "# %s\n", oneLine(line))
	}
	section := ""
	own := keysOf(s.Config)
	for i := range own {
		k := &own[i]
		value := k.format()
		active := value != k.Default() || slices.Contains(starterKeys, k.Name)
		comments := s.Comments[k.Name]
		if !active && !s.All && len(comments) == 0 {
			continue
		}
		if k.Section() != section {
			section = k.Section()
			fmt.Fprintf(&b, "\n[%s]\n", section)
		} else if s.All {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "# %s\n", k.Doc)
		if limits := k.Allowed(); s.All && limits != "" {
			fmt.Fprintf(&b, "# %s, %s\n", k.Type(), limits)
		} else if s.All {
			fmt.Fprintf(&b, "# %s\n", k.Type())
		}
		for _, line := range comments {
			fmt.Fprintf(&b, "# %s\n", oneLine(line))
		}
		if !active {
			b.WriteString("# ")
		}
		fmt.Fprintf(&b, "%s = %s\n", k.Leaf(), value)
	}
	return b.Bytes()
}

// MapPaths puts what f returns in the place of the names of files that the config has.
func (c *Config) MapPaths(f func(path string) string) {
	for _, k := range keysOf(c) {
		if !k.Path {
			continue
		}
		switch v := k.Value.(type) {
		case *string:
			if *v != "" {
				*v = f(*v)
			}
		case *[]string:
			*v = slices.Clone(*v)
			for i := range *v {
				(*v)[i] = f((*v)[i])
			}
		}
	}
}

// oneLine keeps text from a table inside its comment.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if r < 0x20 || r == 0x7f {
			return ' '
		}
		return r
	}, s)
}
