//go:build unix

package main

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"boost/internal/comm/commtest"
)

// rankProcess is one rank of a training in a process of its own.
type rankProcess struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Reader
	errors lockedBuffer
}

// lockedBuffer is a buffer that one goroutine fills while another looks.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

// startRanks starts ranks, and hands their addresses on.
func startRanks(t *testing.T, n int, token func(rank int) string, args ...string) []*rankProcess {
	t.Helper()
	return startRanksIn(t, make([]string, n), token, args...)
}

// startRanksIn is startRanks with an environment variable more for each rank, "" for none.
func startRanksIn(t *testing.T, env []string, token func(rank int) string, args ...string) []*rankProcess {
	t.Helper()
	return startRanksOf(t, env, token, func(int) []string { return args })
}

// startRanksOf is startRanksIn with arguments for each rank.
func startRanksOf(t *testing.T, env []string, token func(rank int) string, args func(rank int) []string) []*rankProcess {
	t.Helper()
	n := len(env)
	ranks := make([]*rankProcess, n)
	var addresses []string
	for rank := range ranks {
		p := &rankProcess{cmd: program(append(args(rank), "--rank", strconv.Itoa(rank)+"/"+strconv.Itoa(n), "--listen", "127.0.0.1:0")...)}
		p.cmd.Env = append(p.cmd.Env, "BOOST_TOKEN="+token(rank))
		if env[rank] != "" {
			p.cmd.Env = append(p.cmd.Env, env[rank])
		}
		p.start(t)
		ranks[rank] = p
		addresses = append(addresses, p.address(t))
	}
	for _, p := range ranks {
		if _, err := io.WriteString(p.in, strings.Join(addresses, "\n")+"\n"); err != nil {
			t.Fatal(err)
		}
	}
	return ranks
}

// start starts the process of a rank.
func (p *rankProcess) start(t *testing.T) {
	t.Helper()
	p.cmd.Stderr = &p.errors
	var err error
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.cmd.Process.Kill() })
	p.out = bufio.NewReader(out)
}

// address returns where a rank says that it listens.
func (p *rankProcess) address(t *testing.T) string {
	t.Helper()
	line, err := p.out.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	address, _ := strings.CutPrefix(strings.TrimSpace(line), "address ")
	return address
}

// end waits for a rank to end.
func (p *rankProcess) end() result {
	out, _ := io.ReadAll(p.out)
	_ = p.cmd.Wait()
	return result{p.cmd.ProcessState.ExitCode(), string(out), p.errors.String()}
}

func sameToken(int) string { return "a token of some characters" }

func TestRanksMakeTheSameModel(t *testing.T) {
	inFolder(t)
	file(t, "t.csv", table(3000))
	want := boost(t, "train", "t.csv", "--label", "y", "--rounds", "20", "-o", "one.boost", "-q")
	if want.code != 0 {
		t.Fatal(want.errors)
	}
	one, err := os.ReadFile("one.boost")
	if err != nil {
		t.Fatal(err)
	}
	for _, more := range [][]string{{"--ranks", "3", "t.csv"}, {"--ranks=2", "--tls", "t.csv"}, {"--ranks=2", "--set", "train.threads=2", "--", "t.csv"},
		{"--ranks=3", "--by-features", "t.csv"}} {
		cmd := program(append([]string{"train", "--label", "y", "--rounds", "20", "-o", "ranks.boost", "--json"}, more...)...)
		var words bytes.Buffer
		cmd.Stderr = &words
		if out, err := cmd.Output(); err != nil || !bytes.HasPrefix(out, []byte("{")) || !bytes.Contains(out, []byte(`"sent_bytes_per_tree"`)) {
			t.Fatalf("%v: %v: %s%s", more, err, out, words.String())
		}
		if ranks, err := os.ReadFile("ranks.boost"); err != nil || !bytes.Equal(ranks, one) {
			t.Errorf("%v: not the model of one process (%v)", more, err)
		}
		_ = os.Remove("ranks.boost")
	}
}

// Ranks whose processors have other vectors make the same calls, and the same model.
func TestRanksOnOtherProcessors(t *testing.T) {
	wine, err := filepath.Abs("../../examples/wine_quality/train.csv.gz")
	if err != nil {
		t.Fatal(err)
	}
	inFolder(t)
	args := []string{"train", wine, "--label", "quality", "--rounds", "10", "--effort", "quick", "--set", "train.gradients=i8", "-q"}
	if want := boost(t, append(args, "-o", "one.boost")...); want.code != 0 {
		t.Fatal(want.errors)
	}
	one, err := os.ReadFile("one.boost")
	if err != nil {
		t.Fatal(err)
	}
	ranks := startRanksIn(t, []string{"BOOST_CPU=generic", "BOOST_CPU=avx2", ""}, sameToken, append(args, "-o", "ranks.boost")...)
	for rank, p := range ranks {
		if got := p.end(); got.code != 0 {
			t.Errorf("rank %d ends with %d: %s", rank, got.code, got.errors)
		}
	}
	if ranks, err := os.ReadFile("ranks.boost"); err != nil || !bytes.Equal(ranks, one) {
		t.Errorf("not the model of one process (%v)", err)
	}
}

// A program that starts ranks gives each its rows, also where it starts one.
func TestRankThatHasAllRows(t *testing.T) {
	inFolder(t)
	file(t, "t.csv", table(500))
	args := []string{"train", "t.csv", "--label", "y", "--rounds", "5", "--set", "data.out_of_core=true", "-q"}
	if want := boost(t, append(args, "-o", "one.boost")...); want.code != 0 {
		t.Fatal(want.errors)
	}
	if got := startRanks(t, 1, sameToken, append(args, "-o", "rank.boost", "--share", "--share-rows", "500")...)[0].end(); got.code != 0 {
		t.Fatal(got.errors)
	}
	one, err := os.ReadFile("one.boost")
	rank, rankErr := os.ReadFile("rank.boost")
	if err != nil || rankErr != nil || !bytes.Equal(one, rank) {
		t.Errorf("not the model of one process (%v, %v)", err, rankErr)
	}
}

// Ranks that read a part each of one file train as one process does, and name the lines of the file.
func TestRanksSplitAFile(t *testing.T) {
	inFolder(t)
	header, rows, _ := strings.Cut(table(500), "\n")
	file(t, "t.csv", header+"\n"+rows+rows)
	args := []string{"train", "t.csv", "--label", "y", "--rounds", "5", "-q"}
	if want := boost(t, append(args, "--set", "data.out_of_core=true", "-o", "one.boost")...); want.code != 0 {
		t.Fatal(want.errors)
	}
	one, err := os.ReadFile("one.boost")
	if err != nil {
		t.Fatal(err)
	}
	same := func(what string, got result) {
		t.Helper()
		if ranks, err := os.ReadFile("ranks.boost"); got.code != 0 || err != nil || !bytes.Equal(one, ranks) {
			t.Errorf("%s: not the model of one process: %v, %s", what, err, got.errors)
		}
		_ = os.Remove("ranks.boost")
	}
	for _, p := range startRanks(t, 3, sameToken, append(args, "-o", "ranks.boost", "--split", "--share-rows", "1000")...) {
		if got := p.end(); got.code != 0 {
			t.Error(got.errors)
		}
	}
	same("--rank", result{})
	cmd := program(append(args, "-o", "ranks.boost", "--ranks=4", "--split")...)
	words, _ := cmd.CombinedOutput()
	same("--ranks", result{cmd.ProcessState.ExitCode(), "", string(words)})

	file(t, "t.csv", header+"\n"+rows+rows+strings.Repeat("much,", strings.Count(header, ","))+"1\n")
	got := boost(t, append(args, "--set", "data.out_of_core=true", "-o", "ranks.boost")...)
	want := strings.ReplaceAll(got.errors, ", or give --set data.on_bad_row=skip to leave such rows out", "")
	if strings.Count(want, "t.csv:1002:") != 2 {
		t.Errorf("one process says %s", want)
	}
	for rank, p := range startRanks(t, 4, sameToken, append(args, "-o", "ranks.boost", "--split")...) {
		if its := p.end(); its.code != got.code || its.errors != want {
			t.Errorf("rank %d ends with %d: %s, want %d: %s", rank, its.code, its.errors, got.code, want)
		}
	}
	cmd = program(append(args, "-o", "ranks.boost", "--ranks=4", "--split")...)
	if words, _ := cmd.CombinedOutput(); cmd.ProcessState.ExitCode() != got.code || string(words) != want {
		t.Errorf("ranks end with %d: %s, want %d: %s", cmd.ProcessState.ExitCode(), words, got.code, want)
	}
}

func TestRankThatIsKilled(t *testing.T) {
	inFolder(t)
	file(t, "t.csv", table(3000))
	ranks := startRanks(t, 3, sameToken, "train", "t.csv", "--label", "y", "--rounds", "100000", "--effort", "quick", "--set", "train.early_stopping=0", "-o", "m.boost", "-v")
	for p := ranks[0]; !strings.Contains(p.errors.String(), "round 20"); {
		time.Sleep(10 * time.Millisecond)
	}
	if err := ranks[1].cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	for _, rank := range []int{0, 2} {
		if got := ranks[rank].end(); got.code != 1 || !strings.Contains(got.errors, "rank 1") {
			t.Errorf("rank %d ends with %d: %s", rank, got.code, got.errors)
		}
	}
	if _, err := os.Stat("m.boost"); err == nil {
		t.Error("a model was written")
	}
}

// A model that the first rank cannot save is missed by all.
func TestRanksMissAModel(t *testing.T) {
	inFolder(t)
	file(t, "t.csv", table(300))
	for out, want := range map[string]string{
		"m.boost":           "the model cannot be saved: m.boost", // found out when it is saved
		"/dev/null":         "cannot write /dev/null",             // before
		"nowhere/m.boost":   "cannot write nowhere/m.boost",
		"t.csv/sub/m.boost": "cannot write t.csv/sub/m.boost",
	} {
		t.Setenv("BOOST_TEST_FILE_SIZE", map[bool]string{true: "1000"}[out == "m.boost"])
		for rank, p := range startRanks(t, 3, sameToken, "train", "t.csv", "--label", "y", "--rounds", "2", "-o", out) {
			want := "error: " + want
			if rank > 0 {
				want = "rank 0: " + strings.TrimPrefix(want, "error: ")
			}
			if got := p.end(); got.code != 1 || !strings.Contains(got.errors, want) {
				t.Errorf("%s: rank %d ends with %d: %s, want %q", out, rank, got.code, got.errors, want)
			}
		}
	}
}

// Ranks that are given other settings say which, and both values.
func TestRanksHaveTheSameSettings(t *testing.T) {
	inFolder(t)
	file(t, "t.csv", table(300))
	for own, want := range map[string]string{
		"--leaves=15":                  "tree.leaves is 15, and 31 at rank 0",
		"--share":                      "--share is given, and not given at rank 0",
		"--split":                      "--split is given, and not given at rank 0",
		"--set=data.missing=-":         `data.missing is ["-"], and [] at rank 0`,
		"--set=train.early_stopping=0": "train.early_stopping is 0, and 50 at rank 0",
		"--threads=2":                  "",
	} {
		for rank, p := range startRanksOf(t, make([]string, 3), sameToken, func(rank int) []string {
			args := []string{"train", "t.csv", "--label", "y", "--rounds", "2", "--effort", "quick"}
			return append(args, []string{"-q", own, "-q"}[rank])
		}) {
			switch got := p.end(); {
			case want == "":
				if got.code != 0 {
					t.Errorf("%s: rank %d ends with %d: %s", own, rank, got.code, got.errors)
				}
			case got.code != 1 || !strings.Contains(got.errors, "error: ranks of the training: rank 1: "+want+": give all ranks the same settings"):
				t.Errorf("%s: rank %d ends with %d: %s, want %q", own, rank, got.code, got.errors, want)
			}
		}
	}
}

// startPeers starts ranks that know the addresses of all.
func startPeers(t *testing.T, n int, args func(rank int) []string) []*rankProcess {
	t.Helper()
	peers, err := commtest.Addresses(n)
	if err != nil {
		t.Fatal(err)
	}
	ranks := make([]*rankProcess, n)
	for rank := range ranks {
		p := &rankProcess{cmd: program(append([]string{"train", "--rank", strconv.Itoa(rank) + "/" + strconv.Itoa(n), "--listen", peers[rank], "--peers", strings.Join(peers, ",")}, args(rank)...)...)}
		p.cmd.Env = append(p.cmd.Env, "BOOST_TOKEN="+sameToken(rank))
		p.start(t)
		ranks[rank] = p
	}
	return ranks
}

// What only one rank cannot start with, all say at once.
func TestRankThatCannotStart(t *testing.T) {
	inFolder(t)
	file(t, "t.csv", table(300))
	file(t, "bad.toml", "[train]\nrounds = \"many\"\n")
	good := []string{"t.csv", "--label", "y", "--rounds", "2"}
	for _, test := range []struct {
		name string
		args []string
		code int
		want string
	}{
		{"a setting", append([]string{"--set=tree.leaves=1"}, good...), 2, "could not start: --set tree.leaves=1"},
		{"a config", []string{"bad.toml"}, 2, "could not start: bad.toml:2"},
		{"no config", []string{"none.toml"}, 2, "could not start: config file none.toml"},
		{"no model", append([]string{"--init-model=none.boost"}, good...), 4, "could not start: none.boost"},
		{"flags", append([]string{"--share", "--split"}, good...), 2, "could not start: --share gives each rank tables"},
		{"a port", append([]string{"--listen=203.0.113.1:1"}, good...), 1, "could not start: cannot listen"},
		{"no table", []string{"none.csv", "--label", "y", "--rounds", "2"}, 3, "none.csv"}, // found out after they have joined
	} {
		for rank, p := range startPeers(t, 3, func(rank int) []string {
			if rank == 1 {
				return test.args
			}
			return good
		}) {
			began := time.Now()
			got := p.end()
			if rank == 1 && (got.code != test.code || strings.Contains(got.errors, "could not start")) {
				t.Errorf("%s: the rank ends with %d: %s, want %d", test.name, got.code, got.errors, test.code)
			}
			if want := "rank 1: "; rank != 1 && (got.code != 1 || !strings.Contains(got.errors, want) || !strings.Contains(got.errors, test.want)) {
				t.Errorf("%s: rank %d ends with %d: %s, want %q", test.name, rank, got.code, got.errors, want+test.want)
			}
			if took := time.Since(began); took > 20*time.Second {
				t.Errorf("%s: that took %v", test.name, took)
			}
		}
	}
}

// A rank that is interrupted while it waits for addresses ends, and tells the others where these come.
func TestRankIsInterruptedBefore(t *testing.T) {
	inFolder(t)
	file(t, "t.csv", table(300))
	for _, handOn := range []bool{true, false} {
		var addresses string
		var ranks []*rankProcess
		for _, rank := range []string{"0/2", "1/2"} {
			p := &rankProcess{cmd: program("train", "t.csv", "--label", "y", "--rank", rank, "--listen", "127.0.0.1:0")}
			p.cmd.Env = append(p.cmd.Env, "BOOST_TOKEN="+sameToken(0))
			p.start(t)
			addresses += p.address(t) + "\n"
			ranks = append(ranks, p)
		}
		_ = ranks[1].cmd.Process.Signal(syscall.SIGTERM)
		if handOn {
			for _, p := range ranks {
				_, _ = io.WriteString(p.in, addresses)
			}
			if got := ranks[0].end(); got.code != 1 || !strings.Contains(got.errors, "rank 1: interrupted") {
				t.Errorf("rank 0 ends with %d: %s", got.code, got.errors)
			}
		}
		if got := ranks[1].end(); got.code != 130 {
			t.Errorf("the rank ends with %d: %s", got.code, got.errors)
		}
	}
}

// A rank that is interrupted says what the first one has written.
func TestRankIsInterrupted(t *testing.T) {
	inFolder(t)
	file(t, "t.csv", table(3000))
	ranks := startRanks(t, 2, sameToken, "train", "t.csv", "--label", "y", "--rounds", "100000", "--effort", "quick", "--set", "train.early_stopping=0", "-o", "m.boost", "-v")
	for !strings.Contains(ranks[1].errors.String(), "round 20") {
		time.Sleep(10 * time.Millisecond)
	}
	_ = ranks[1].cmd.Process.Signal(syscall.SIGTERM)
	for rank, want := range []string{"the model so far was written to m.boost.partial", "rank 0 has written the model so far to m.boost.partial"} {
		if got := ranks[rank].end(); got.code != 130 || !strings.Contains(got.errors, want) || strings.Contains(got.errors, "nothing was written") {
			t.Errorf("rank %d ends with %d: %s, want %q", rank, got.code, got.errors, want)
		}
	}
	if _, err := os.Stat("m.boost.partial"); err != nil {
		t.Error(err)
	}
}

// What is wrong with a table is told once, as by one process, whichever rank finds it first.
func TestRanksTellAnErrorOnce(t *testing.T) {
	inFolder(t)
	file(t, "t.csv", "x,y\n")
	want := boost(t, "train", "t.csv", "--label", "y", "-o", "m.boost")
	for range 5 {
		cmd := program("train", "t.csv", "--label", "y", "-o", "m.boost", "--ranks", "4")
		var words bytes.Buffer
		cmd.Stderr = &words
		_ = cmd.Run()
		got := words.String()
		for rank := range 4 { // any of them may be the first
			got = strings.TrimPrefix(got, "rank "+strconv.Itoa(rank)+": ")
		}
		if got != want.errors || cmd.ProcessState.ExitCode() != want.code {
			t.Errorf("ranks end with %d: %s, want %d: %s", cmd.ProcessState.ExitCode(), words.String(), want.code, want.errors)
		}
	}
}

// A signal to the process that has started the ranks stops them all after a round.
func TestRanksAreStopped(t *testing.T) {
	inFolder(t)
	file(t, "t.csv", table(3000))
	cmd := program("train", "t.csv", "--label", "y", "--rounds", "100000", "--effort", "quick", "--set", "train.early_stopping=0", "-o", "m.boost", "--ranks", "3", "-v")
	var words lockedBuffer
	cmd.Stderr = &words
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for !strings.Contains(words.String(), "round 20") {
		time.Sleep(10 * time.Millisecond)
	}
	_ = cmd.Process.Signal(syscall.SIGTERM)
	_ = cmd.Wait()
	if got := cmd.ProcessState.ExitCode(); got != 130 || strings.Count(words.String(), "Ctrl-C again") != 1 || strings.Contains(words.String(), "nothing was written") {
		t.Errorf("ranks end with %d: %s", got, words.String())
	}
	if _, err := os.Stat("m.boost.partial"); err != nil {
		t.Error(err)
	}
}

// Ranks end when the process that has started them is killed.
func TestRanksOfAKilledProcess(t *testing.T) {
	inFolder(t)
	file(t, "t.csv", table(3000))
	cmd := program("train", "t.csv", "--label", "y", "--rounds", "100000", "--effort", "quick", "--set", "train.early_stopping=0", "-o", "m.boost", "--ranks", "2", "-q",
		"--checkpoint", "saved", "--set", "output.checkpoint_every=1")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	saved := func() string {
		files, _ := filepath.Glob("saved/*")
		return strings.Join(files, " ")
	}
	for saved() == "" {
		time.Sleep(10 * time.Millisecond)
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	end := time.Now().Add(10 * time.Second)
	for before := ""; before != saved(); time.Sleep(500 * time.Millisecond) {
		if before = saved(); time.Now().After(end) {
			t.Fatal("ranks go on without the process that has started them")
		}
	}
}

func TestRanksReadNoTableFromStandardInput(t *testing.T) {
	inFolder(t)
	got := boost(t, "train", "-", "--label", "y", "--ranks", "2")
	if got.code != 2 || !strings.Contains(got.errors, "standard input") {
		t.Errorf("ends with %d: %s", got.code, got.errors)
	}
}

func TestRankFlags(t *testing.T) {
	inFolder(t)
	file(t, "t.csv", table(30))
	for token, c := range map[string]struct{ flags, want string }{
		"short":             {"--rank=0/2", "BOOST_TOKEN has 5 characters"},
		sameToken(0):        {"--rank=0/2 --peers=here:1,there", "--peers there: expected HOST:PORT"},
		sameToken(0) + "2":  {"--rank=2/2", "expected R/N"},
		sameToken(0) + "4":  {"--split", "--split is for ranks"},
		sameToken(0) + "5":  {"--rank=0/2 --split --share", "leave one of them out"},
		sameToken(0) + "6":  {"--rank=0/2 --share-rows=3", "give it with --share or --split"},
		sameToken(0) + "33": {"--rank=0/2 --peers=here:1", "--peers has 1 addresses"},
		sameToken(0) + "44": {"--by-features", "--by-features is for ranks"},
		sameToken(0) + "55": {"--rank=0/2 --by-features --share", "--by-features has all rows"},
		sameToken(0) + "66": {"--rank=0/2 --join-wait=-1s", "--join-wait -1s: expected a time above 0"},
		sameToken(0) + "77": {"--rank=1/2 --set data.cache=c", "data.cache keeps the codes of one process"},
		sameToken(0) + "88": {"--ranks=2 --set data.cache=c", "data.cache keeps the codes of one process"},
	} {
		t.Setenv("BOOST_TOKEN", token)
		got := boost(t, append([]string{"train", "t.csv", "--label", "y"}, strings.Fields(c.flags)...)...)
		if got.code != 2 || !strings.Contains(got.errors, c.want) {
			t.Errorf("%s ends with %d: %s, want %q", c.flags, got.code, got.errors, c.want)
		}
	}
}
