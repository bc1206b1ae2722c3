package ranks

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"boost/cmd/boost/internal/exit"
	"boost/internal/comm"
	"boost/internal/cpu"
)

// process is a rank that was started here.
type process struct {
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  *bufio.Reader
	errs *prefixed
	err  error
}

// joinHere is how long ranks on this machine wait for each other, all of which listen by then.
const joinHere = "--join-wait=30s"

// parentVariable is set for a rank whose standard input stays open as long as the process that has started it is there.
const parentVariable = "BOOST_RANK_PARENT"

// StartedHere reports whether this process is a rank that Launch has started.
func StartedHere() bool { return os.Getenv(parentVariable) != "" }

// Launch runs the program's own command line once for each rank, and returns when all have ended: with the error of
// one that has failed, already told. The first rank has standard output; messages of the others begin with their number. threads are those of
// each rank, 0 for its share of the processor. An interruption of ctx is one of all ranks.
func (f *Flags) Launch(ctx context.Context, args []string, threads int, out, messages io.Writer) error {
	program, err := os.Executable()
	if err != nil {
		return err
	}
	token := rand.Text()
	var mu sync.Mutex // of messages
	ranks := make([]*process, f.Count)
	started := 0
	for rank := range ranks {
		flags := []string{fmt.Sprintf("--rank=%d/%d", rank, f.Count), "--listen=127.0.0.1:0", joinHere}
		if threads == 0 {
			flags = append(flags, fmt.Sprintf("--threads=%d", max(1, cpu.Threads()/f.Count)))
		}
		p := &process{cmd: exec.CommandContext(ctx, program, asRank(args, flags)...)}
		passSignals(p.cmd)
		p.cmd.Env = append(os.Environ(), TokenVariable+"="+token, parentVariable+"=1")
		p.errs = &prefixed{mu: &mu, to: messages}
		if rank > 0 {
			p.errs.prefix = fmt.Sprintf("rank %d: ", rank)
		}
		p.cmd.Stderr = p.errs
		if p.in, err = p.cmd.StdinPipe(); err != nil {
			break
		}
		pipe, pipeErr := p.cmd.StdoutPipe()
		if err = pipeErr; err != nil {
			break
		}
		if p.out, err = bufio.NewReader(pipe), p.cmd.Start(); err != nil {
			break
		}
		ranks[rank] = p
		started++
	}
	ranks = ranks[:started]
	var addresses []string
	for _, p := range ranks {
		line, _ := p.out.ReadString('\n') // of one that has failed there is none
		address, ok := strings.CutPrefix(strings.TrimSpace(line), "address ")
		if !ok {
			break
		}
		addresses = append(addresses, address)
	}
	var all sync.WaitGroup
	failed := make(chan struct{}, f.Count)
	over := make(chan struct{})
	go endOthers(ranks, failed, over)
	for rank, p := range ranks {
		all.Go(func() {
			if len(addresses) == f.Count {
				_, _ = io.WriteString(p.in, strings.Join(addresses, "\n")+"\n") // one that is gone is missed by the others
			} else {
				_ = p.in.Close()
			}
			to := io.Discard
			if rank == 0 {
				to = out
			}
			_, _ = io.Copy(to, p.out)
			if p.err = p.cmd.Wait(); p.err != nil && p.cmd.ProcessState.ExitCode() != exit.Interrupted {
				failed <- struct{}{}
			}
		})
	}
	all.Wait()
	close(over)
	if err != nil {
		return fmt.Errorf("%w: cannot start rank %d: %w", comm.ErrComm, started, err)
	}
	if failed := atFault(ranks); failed != nil {
		if len(failed.errs.held) > 0 {
			_ = failed.errs.write(failed.errs.held)
		}
		if ended, ok := errors.AsType[*exec.ExitError](failed.err); ok && ended.ExitCode() > 0 {
			return &exit.Silent{Err: exit.Status(ended.ExitCode())}
		}
		return fmt.Errorf("%w: %w", comm.ErrComm, failed.err)
	}
	return nil
}

// endOthers kills the ranks that are still there a while after one has failed: those that were stopped, and end by nothing else.
func endOthers(ranks []*process, failed, over <-chan struct{}) {
	select {
	case <-failed:
	case <-over:
		return
	}
	select {
	case <-time.After(leaveWithin):
	case <-over:
		return
	}
	for _, p := range ranks {
		_ = p.cmd.Process.Kill() // no effect on those that have ended
	}
}

// leaveWithin is how long ranks have to end after one that has failed, which all others learn at once.
const leaveWithin = 2 * time.Second

// atFault returns the rank whose error says why the ranks have failed: the first with one of its own, else the first with one of another
// rank; nil where none has failed.
func atFault(ranks []*process) (failed *process) {
	for _, p := range ranks {
		switch {
		case p.err == nil, failed != nil && failed.cmd.ProcessState.ExitCode() == exit.Interrupted: // what others say of that is no news
		case failed == nil, len(failed.errs.held) == 0 && len(p.errs.held) > 0:
			failed = p
		case failed.errs.ofOthers() && len(p.errs.held) > 0 && !p.errs.ofOthers():
			failed = p
		}
	}
	return failed
}

// asRank returns the arguments with the flags of a rank in place of the one that asks for ranks here.
func asRank(args, flags []string) (own []string) {
	for i := 0; i < len(args); i++ {
		switch {
		case args[i] == "--ranks":
			i++
			own = append(own, flags...)
		case strings.HasPrefix(args[i], "--ranks="):
			own = append(own, flags...)
		default:
			own = append(own, args[i])
		}
	}
	return own
}

// prefixed writes whole lines, each behind a prefix, and holds errors back: what fails at one rank is an error of all.
type prefixed struct {
	mu     *sync.Mutex
	to     io.Writer
	prefix string
	line   []byte
	held   []byte // errors
}

func (w *prefixed) Write(p []byte) (int, error) {
	w.line = append(w.line, p...)
	for {
		end := bytes.IndexByte(w.line, '\n') + 1
		if end == 0 {
			return len(p), nil
		}
		line := w.line[:end]
		w.line = w.line[end:]
		if isJSON := line[0] == '{'; bytes.HasPrefix(line, []byte("error: ")) || isJSON && bytes.Contains(line, []byte(`"level":"ERROR"`)) || !isJSON && len(w.held) > 0 { // further lines of an error
			w.held = append(w.held, line...)
		} else if err := w.write(line); err != nil {
			return 0, err
		}
	}
}

// write writes a line. One of JSON has no prefix.
func (w *prefixed) write(line []byte) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	prefix := w.prefix
	if line[0] == '{' {
		prefix = ""
	}
	_, err := fmt.Fprintf(w.to, "%s%s", prefix, line)
	return err
}

// ofOthers reports whether the errors are those of another rank.
func (w *prefixed) ofOthers() bool { return bytes.Contains(w.held, []byte(comm.ErrComm.Error())) }
