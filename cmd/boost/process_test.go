//go:build unix

package main

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// process is boost in a process of its own, whose words are read as they come.
type process struct {
	t     *testing.T
	cmd   *exec.Cmd
	stdin io.WriteCloser
	words io.Reader
	said  bytes.Buffer
}

func start(t *testing.T, args ...string) *process {
	t.Helper()
	return begin(t, func(*exec.Cmd) {}, args...)
}

// begin is start after the command was prepared further.
func begin(t *testing.T, prepare func(*exec.Cmd), args ...string) *process {
	t.Helper()
	p := &process{t: t, cmd: program(args...)}
	prepare(p.cmd)
	// Standard input stays open and silent, as at a terminal.
	var err error
	if p.stdin, err = p.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.stdin.Close() })
	if p.words, err = p.cmd.StderrPipe(); err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return p
}

// until waits for a word and then sends the signal of Ctrl-C.
func (p *process) until(word string) {
	p.t.Helper()
	p.listen(word)
	if err := p.cmd.Process.Signal(os.Interrupt); err != nil {
		p.t.Fatal(err)
	}
}

// listen reads until a word was said.
func (p *process) listen(word string) {
	p.t.Helper()
	buffer := make([]byte, 4096)
	for !strings.Contains(p.said.String(), word) {
		n, err := p.words.Read(buffer)
		p.said.Write(buffer[:n])
		if err != nil {
			p.t.Fatalf("%v before %q was said:\n%s", err, word, p.said.String())
		}
	}
}

func (p *process) end() result {
	_, _ = p.said.ReadFrom(p.words)
	_ = p.cmd.Wait()
	return result{code: p.cmd.ProcessState.ExitCode(), errors: p.said.String()}
}

// The first Ctrl-C ends training after the round and keeps what there is under
// another name; MODEL stays as it was.
func TestInterrupt(t *testing.T) {
	dir := inFolder(t)
	file(t, "t.csv", table(3000))
	file(t, "m.boost", "the old model")
	p := start(t, "train", "t.csv", "--label", "y", "-v", "-o", "m.boost",
		"--set", "train.rounds=100000", "--set", "train.early_stopping=0")
	p.until("round 2/")
	says(t, must(t, 130, p.end()).errors, "m.boost.partial")
	if readFile(t, "m.boost") != "the old model" {
		t.Error("MODEL was touched")
	}
	must(t, 0, boost(t, "eval", "m.boost.partial", "t.csv"))
	must(t, 0, boost(t, "reproduce", "m.boost.partial", "t.csv"))
	if left := leftovers(t, dir); len(left) > 0 {
		t.Errorf("left over: %q", left)
	}
}

// Of several models those that are whole are averaged, and the report says that the run was interrupted, although the first model had
// stopped by itself.
func TestInterruptMean(t *testing.T) {
	inFolder(t)
	file(t, "t.csv", table(3000))
	var out bytes.Buffer
	p := begin(t, func(cmd *exec.Cmd) { cmd.Stdout = &out }, "train", "t.csv", "--label", "y", "--ignore", "x", "-v", "--json", "-o", "m.boost",
		"--set", "train.blend=100", "--set", "train.retrain=true", "--set", "train.rounds=300", "--set", "train.early_stopping=50", "--set", "train.learning_rate=0.05")
	p.until("symmetric trees") // which the second model has
	says(t, must(t, 130, p.end()).errors, "interrupted: the mean of the ", " models so far was written to m.boost.partial")
	says(t, out.String(), `"stopped": "interrupted"`, `"blend": `)
	must(t, 0, boost(t, "reproduce", "m.boost.partial", "t.csv"))
}

// The second one ends the program at once, where the first cannot take effect: here
// nobody takes the predictions.
func TestInterruptTwice(t *testing.T) {
	inFolder(t)
	file(t, "t.csv", table(20000))
	must(t, 0, boost(t, "train", "t.csv", "--label", "y", "-q", "-o", "m.boost", "--set", "train.rounds=2"))
	var predictions io.Reader
	p := begin(t, func(cmd *exec.Cmd) {
		var err error
		if predictions, err = cmd.StdoutPipe(); err != nil {
			t.Fatal(err)
		}
	}, "predict", "m.boost", "t.csv", "-v")
	// Once the first ones came, the program waits for the pipe to be emptied.
	if _, err := io.ReadFull(predictions, make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	p.until("")
	p.until("stopping after this step; press Ctrl-C again to stop at once")
	must(t, 130, p.end())
}

// Interrupted before anything is made, the program says so, though standard input stays
// open and silent: from its beginning, or in the middle of a table.
func TestInterruptEarly(t *testing.T) {
	inFolder(t)
	file(t, "t.csv", table(100))
	must(t, 0, boost(t, "train", "t.csv", "--label", "y", "-q", "-o", "m.boost", "--set", "train.rounds=2"))
	for _, args := range [][]string{
		{"train", "-", "--label", "y", "-v", "-o", "new.boost"},
		{"train", "-", "--label", "y", "-v", "-o", "new.boost", "--set", "data.out_of_core=true"},
		{"inspect", "-", "-v"}, {"init", "-", "-v"}, {"eval", "m.boost", "-", "-v"}, {"predict", "m.boost", "-", "-v"},
	} {
		for _, text := range []string{"", table(10)} {
			p := start(t, args...)
			p.listen("reading")
			if _, err := io.WriteString(p.stdin, text); err != nil {
				t.Fatal(err)
			}
			p.until("")
			p.listen("interrupted: nothing was written")
			must(t, 130, p.end())
		}
	}
	if exists("new.boost") || exists("new.boost.partial") {
		t.Error("a model was written")
	}
}

// A disk that is full while saving is exit 1, and what was there stays.
func TestFullDisk(t *testing.T) {
	dir := inFolder(t)
	file(t, "t.csv", table(2000))
	must(t, 0, boost(t, "train", "t.csv", "--label", "y", "-q", "--set", "train.rounds=20"))
	file(t, "m.boost", "the old model")
	file(t, "p.csv", "old predictions")
	for name, args := range map[string][]string{
		"m.boost": {"train", "t.csv", "--label", "y", "-o", "m.boost", "--set", "train.rounds=20"},
		"p.csv":   {"predict", "t.boost", "t.csv", "-o", "p.csv"},
	} {
		before := readFile(t, name)
		cmd := program(args...)
		cmd.Env = append(cmd.Env, "BOOST_TEST_FILE_SIZE=4096")
		words, _ := cmd.CombinedOutput()
		if code := cmd.ProcessState.ExitCode(); code != 1 {
			t.Errorf("%s: exit code %d\n%s", args[0], code, words)
		}
		says(t, string(words), " "+name+": file too large\n")
		if readFile(t, name) != before {
			t.Errorf("%s was touched", name)
		}
	}
	if left := leftovers(t, dir); len(left) > 0 {
		t.Errorf("left over: %q", left)
	}
}
