//go:build unix

package mesh_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"boost/internal/comm"
	"boost/internal/comm/mesh"
	"boost/internal/rng"
)

// asRank is the variable that makes this program a rank.
const asRank = "BOOST_MESH_RANK"

func TestMain(m *testing.M) {
	if text := os.Getenv(asRank); text != "" {
		if err := beRank(text); err != nil {
			fmt.Println("fault:", err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// rankOptions are what a process needs to be a rank.
type rankOptions struct {
	Rank    int
	Silence time.Duration
}

// beRank prints the address of a rank, reads those of all, and makes calls until one fails. It prints "ready" first and the
// error at last.
func beRank(text string) error {
	var o rankOptions
	if err := json.Unmarshal([]byte(text), &o); err != nil {
		return err
	}
	l, err := mesh.Listen("127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println(l.Addr())
	line, err := bufio.NewReader(os.Stdin).ReadString('\n')
	if err != nil {
		return err
	}
	m, err := l.Connect(context.Background(), o.Rank, strings.Fields(line), mesh.Options{Token: token, Silence: o.Silence})
	if err != nil {
		return err
	}
	fmt.Println("ready")
	for call := uint64(0); ; call++ {
		err = callByNumber(m, call)
		if blame := (*comm.Error)(nil); errors.As(err, &blame) {
			return errors.Join(json.NewEncoder(os.Stdout).Encode(blame), m.Close())
		} else if err != nil {
			return err
		}
	}
}

// callByNumber makes a call that depends on its number alone.
func callByNumber(c comm.Comm, call uint64) (err error) {
	n := 1 << (rng.Draw(1, call) % 17)
	switch rng.Draw(2, call) % 4 {
	case 0:
		_, err = c.Gather(context.Background(), make([]byte, n))
	case 1:
		_, err = c.Broadcast(context.Background(), int(call)%c.Size(), make([]byte, n))
	default:
		err = c.Sum64(context.Background(), make([]uint64, n))
	}
	return err
}

// process is a rank that runs elsewhere.
type process struct {
	*exec.Cmd
	in  io.Writer
	out *bufio.Scanner
}

// startRanks starts processes that make calls with each other.
func startRanks(t *testing.T, n int, silence time.Duration) []*process {
	t.Helper()
	var ranks []*process
	var addresses []string
	for r := range n {
		text, err := json.Marshal(rankOptions{r, silence})
		if err != nil {
			t.Fatal(err)
		}
		p := &process{Cmd: exec.Command(os.Args[0])}
		// The race detector otherwise waits a second at the end of a process.
		p.Env = append(os.Environ(), asRank+"="+string(text), "GORACE=atexit_sleep_ms=0")
		in, err := p.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		out, err := p.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := p.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			_ = p.Process.Kill()
			_ = p.Wait()
		})
		p.in, p.out = in, bufio.NewScanner(out)
		ranks = append(ranks, p)
	}
	for _, p := range ranks {
		addresses = append(addresses, p.line(t))
	}
	for _, p := range ranks {
		if _, err := fmt.Fprintln(p.in, strings.Join(addresses, " ")); err != nil {
			t.Fatal(err)
		}
	}
	for _, p := range ranks {
		if line := p.line(t); line != "ready" {
			t.Fatalf("a rank says %q", line)
		}
	}
	return ranks
}

// line returns the next line that a rank prints.
func (p *process) line(t *testing.T) string {
	t.Helper()
	late := time.AfterFunc(30*time.Second, func() { _ = p.Process.Kill() })
	defer late.Stop()
	if !p.out.Scan() {
		t.Fatal("a rank printed nothing more within 30 s")
	}
	return p.out.Text()
}

// blames fails the test unless a rank ends because of another with a text.
func (p *process) blames(t *testing.T, rank int, text string) {
	t.Helper()
	line := p.line(t)
	var blame comm.Error
	if err := json.Unmarshal([]byte(line), &blame); err != nil || blame.Rank != rank || !strings.Contains(blame.Text, text) {
		t.Errorf("a rank ended with %q, want rank %d and %q", line, rank, text)
	}
}

// A rank that is killed at any moment ends the calls of all others at once, and all know which it was.
func TestKilled(t *testing.T) {
	t.Parallel()
	rounds := 100
	if testing.Short() {
		rounds = 3
	}
	for round := range rounds {
		ranks := startRanks(t, 4, 0)
		time.Sleep(time.Duration(rng.Draw(3, uint64(round)) % uint64(20*time.Millisecond)))
		victim := int(rng.Draw(4, uint64(round)) % 4)
		began := time.Now()
		if err := ranks[victim].Process.Kill(); err != nil {
			t.Fatal(err)
		}
		for r, p := range ranks {
			if r != victim {
				p.blames(t, victim, "left")
			}
			_ = p.Wait()
		}
		if took := time.Since(began); took > 5*time.Second {
			t.Errorf("round %d: the ranks ended %v after rank %d", round, took, victim)
		}
	}
}

// A rank that is stopped is silent for the others, and when it goes on it learns so.
func TestStopped(t *testing.T) {
	t.Parallel()
	const silence = time.Second
	ranks := startRanks(t, 3, silence)
	began := time.Now()
	if err := ranks[1].Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	ranks[0].blames(t, 1, "silent for 1s")
	ranks[2].blames(t, 1, "silent for 1s")
	if took := time.Since(began); took < silence/2 || took > silence+2*time.Second {
		t.Errorf("the others ended after %v", took)
	}
	began = time.Now()
	_, _ = ranks[0].Wait(), ranks[2].Wait()
	if took := time.Since(began); took > 900*time.Millisecond {
		t.Errorf("the others closed their ends in %v: they waited for the rank that is silent", took)
	}
	if err := ranks[1].Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	ranks[1].blames(t, 1, "silent for 1s")
}
