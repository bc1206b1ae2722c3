// Command transcript holds documents to what the program does. In their ```console blocks, a line that
// begins with "$ " is a command and what follows is its output: the command runs the lines in order in a
// folder of their own that has the examples, and fails where an output is another. Times and memory may
// differ.
//
//	go run ./internal/transcript [-update] DOCUMENT.md…
//	go run ./internal/transcript -svg PICTURE.svg COMMAND…
//
// -update writes the outputs into the documents; -svg draws one command and its output.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

func main() {
	update := flag.Bool("update", false, "write the outputs into the documents")
	svg := flag.String("svg", "", "picture of one command, given as the arguments, and its output")
	flag.Parse()
	if err := run(*svg, *update, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "transcript:", err)
		os.Exit(1)
	}
}

func run(svg string, update bool, args []string) error {
	if len(args) == 0 {
		return errors.New("nothing to run: name documents, or a command with -svg")
	}
	work, err := os.MkdirTemp("", "boost-transcript-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	bin := filepath.Join(work, "bin")
	if out, err := exec.Command("go", "build", "-o", bin+string(filepath.Separator), "./cmd/boost").CombinedOutput(); err != nil {
		return fmt.Errorf("go build ./cmd/boost: %w\n%s", err, out)
	}
	if svg != "" {
		s, err := newShell(work, bin)
		if err != nil {
			return err
		}
		command := strings.Join(args, " ")
		output, err := s.run(command)
		if err != nil {
			return err
		}
		return os.WriteFile(svg, draw("$ "+command+"\n"+output), 0o666)
	}
	different := 0
	for _, name := range args {
		old, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		s, err := newShell(filepath.Join(work, strings.ReplaceAll(name, "/", "_")), bin)
		if err != nil {
			return err
		}
		d, err := replay(string(old), s.run)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		switch {
		case update && !bytes.Equal(old, []byte(d.text)):
			if err := os.WriteFile(name, []byte(d.text), 0o666); err != nil {
				return err
			}
		case !update:
			for _, c := range d.changed {
				fmt.Fprintf(os.Stderr, "%s:%d: $ %s\nthe document has\n%sthe program prints\n%s", name, c.line, c.command, c.want, c.got)
			}
			different += len(d.changed)
		}
	}
	if different > 0 {
		return fmt.Errorf("%d outputs are other than in the documents; -update writes them", different)
	}
	return nil
}

// shell runs commands in a folder that has the examples.
type shell struct {
	folder string
	env    []string
}

func newShell(folder, bin string) (*shell, error) {
	s := &shell{folder, append(os.Environ(), "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"),
		"NO_COLOR=1", "TERM=dumb", "LC_ALL=C.UTF-8")}
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return nil, err
	}
	return s, os.CopyFS(filepath.Join(folder, "examples"), os.DirFS("examples"))
}

// run returns what a command prints; its exit status is a last line where it is not 0.
func (s *shell) run(command string) (string, error) {
	cmd := exec.Command("bash", "-c", command)
	cmd.Dir, cmd.Env = s.folder, s.env
	out, err := cmd.CombinedOutput()
	text := string(out)
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		return fmt.Sprintf("%sexit status %d\n", text, exit.ExitCode()), nil
	}
	return text, err
}
