package main

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"boost/internal/comm/commtest"
)

// rankEnd is how long the other ranks may take to end after one has gone.
const rankEnd = 10 * time.Second

// rankFaults trains a table over ranks, of which something happens to one.
type rankFaults struct {
	*fixture
	pace pace
	n    int // ranks
}

// prepareRankFaults makes the case: kills most of the time, and of the others one.
func prepareRankFaults(t *trial) (func(t *trial) error, error) {
	f, _, err := makeFixture(t)
	if err != nil {
		return nil, err
	}
	r := &rankFaults{fixture: f, n: 3}
	ranks, begin, err := r.start(t)
	if err != nil {
		return nil, err
	}
	if _, err := t.endRanks(ranks, hang); err != nil {
		return nil, err
	}
	r.pace.add(time.Since(begin))
	if err := t.isOneOf("m.boost", f.now); err != nil {
		return nil, fmt.Errorf("undisturbed ranks: %w", err)
	}
	return func(t *trial) error {
		faults := []func(*trial) error{r.kill, r.kill, r.kill, r.interruptOne, r.interruptAll, r.strangers, r.differ, r.absent, r.twice}
		if sleep != nil {
			faults = append(faults, r.pause, r.stop)
		}
		if err := faults[t.IntN(len(faults))](t); err != nil {
			return err
		}
		return t.onlyHas(true, "m.boost", "m.boost.partial")
	}, nil
}

// start starts the ranks. One that is gone before it has joined is missing in time.
func (r *rankFaults) start(t *trial) ([]*rank, time.Time, error) {
	var commands []*exec.Cmd
	for range r.n {
		commands = append(commands, t.command(nil, append(training(r.table, "m.boost", after...), "--join-wait=8s")...))
	}
	begin := time.Now()
	ranks, err := t.startRanks(commands)
	if err != nil {
		for _, p := range ranks {
			_ = p.cmd.Process.Kill()
		}
	}
	return ranks, begin, err
}

// after waits for a moment of the training, and sends ranks a signal.
func (r *rankFaults) after(t *trial, begin time.Time, signal os.Signal, to ...*rank) {
	time.Sleep(time.Until(begin.Add(r.pace.moment(t))))
	for _, p := range to {
		if p.cmd.Process.Signal(signal) == nil {
			*t.kills++
		}
	}
}

// whole is an error where the model is neither absent nor whole, or absent though rank 0 says that it has ended well.
func (r *rankFaults) whole(t *trial, ends []ended) error {
	contents := [][]byte{nil, r.now}
	if ends[0].code == 0 {
		contents = contents[1:]
	} else if ends[0].code > 0 {
		contents = contents[:1]
	}
	return t.isOneOf("m.boost", contents...)
}

// named is an error where a rank other than one has not ended because of that one: with status 1 and its number. All may have been done before.
func named(ends []ended, gone int) error {
	for i, e := range ends {
		if i != gone && e.code != 0 && (e.code != 1 || !strings.Contains(e.errors, fmt.Sprintf("rank %d", gone))) {
			return fmt.Errorf("rank %d is gone, rank %d ends with %d: %s", gone, i, e.code, e.errors)
		}
	}
	return nil
}

// kill kills a rank.
func (r *rankFaults) kill(t *trial) error {
	ranks, begin, err := r.start(t)
	if err != nil {
		return err
	}
	gone := t.IntN(r.n)
	r.after(t, begin, os.Kill, ranks[gone])
	ends, err := t.endRanks(ranks, rankEnd)
	if err != nil {
		return fmt.Errorf("rank %d killed: %w", gone, err)
	}
	return errors.Join(named(ends, gone), r.whole(t, ends))
}

// interruptOne presses Ctrl-C at one rank.
func (r *rankFaults) interruptOne(t *trial) error { return r.interrupt(t, t.IntN(r.n)) }

// interruptAll presses Ctrl-C at all ranks.
func (r *rankFaults) interruptAll(t *trial) error { return r.interrupt(t, -1) }

// interrupt asks ranks to stop, all for -1: all end, and leave the model of the rounds so far where all have stopped after the same.
func (r *rankFaults) interrupt(t *trial, at int) error {
	ranks, begin, err := r.start(t)
	if err != nil {
		return err
	}
	to := ranks
	if at >= 0 {
		to = ranks[at : at+1]
	}
	r.after(t, begin, os.Interrupt, to...)
	ends, err := t.endRanks(ranks, rankEnd)
	if err != nil {
		return fmt.Errorf("rank %d interrupted: %w", at, err)
	}
	for i, e := range ends {
		if e.code > 1 && e.code != interrupted {
			return fmt.Errorf("rank %d interrupted, rank %d ends with %d: %s", at, i, e.code, e.errors)
		}
	}
	if err := r.whole(t, ends); err != nil {
		return err
	}
	partial, err := t.read("m.boost.partial")
	if err != nil || partial == nil {
		return err
	}
	if ends[0].code != interrupted {
		return fmt.Errorf("rank 0 ends with %d and wrote a partial model", ends[0].code)
	}
	return t.isRollback("m.boost.partial", r.new)
}

// pause stops a rank for three seconds, which is no fault.
func (r *rankFaults) pause(t *trial) error {
	ranks, begin, err := r.start(t)
	if err != nil {
		return err
	}
	slow := ranks[t.IntN(r.n)]
	r.after(t, begin, sleep, slow)
	time.Sleep(3 * time.Second)
	_ = slow.cmd.Process.Signal(wake)
	return r.endWell(t, ranks, "a rank that slept for 3 s")
}

// endWell waits for ranks to end without a fault, whatever happened to them.
func (r *rankFaults) endWell(t *trial, ranks []*rank, what string) error {
	ends, err := t.endRanks(ranks, hang)
	if err != nil {
		return err
	}
	for i, e := range ends {
		if e.code != 0 {
			return fmt.Errorf("%s: rank %d ends with %d: %s", what, i, e.code, e.errors)
		}
	}
	return t.isOneOf("m.boost", r.now)
}

// stop stops a rank for good, while the ranks join or later. The others end; it does so when it goes on.
func (r *rankFaults) stop(t *trial) error {
	ranks, begin, err := r.start(t)
	if err != nil {
		return err
	}
	gone := t.IntN(r.n)
	r.after(t, begin, sleep, ranks[gone])
	ends, err := t.endRanks(slices.Delete(slices.Clone(ranks), gone, gone+1), rankEnd)
	_ = ranks[gone].cmd.Process.Signal(wake)
	late, lateErr := t.endRanks(ranks[gone:gone+1], rankEnd)
	if err = errors.Join(err, lateErr); err != nil {
		return fmt.Errorf("rank %d stopped: %w", gone, err)
	}
	ends = slices.Insert(ends, gone, late[0])
	return errors.Join(named(ends, gone), r.whole(t, ends))
}

// strangers connect to the ports of ranks while these join, and say nothing or anything. The training ends well.
func (r *rankFaults) strangers(t *trial) error {
	var open []net.Conn
	defer func() {
		for _, c := range open {
			_ = c.Close()
		}
	}()
	var mu sync.Mutex
	said := [][]byte{nil, []byte("GET / HTTP/1.1\r\n\r\n"), []byte("boostRNK\x01\x00\xff\xff"), []byte("boostRNK\x01\x00\x02\x00{}"), bytes.Repeat([]byte{0x16}, 3000)}
	t.onAddress = func(address string) {
		for range 1 + t.IntN(4) {
			c, err := net.Dial("tcp", address)
			if err != nil {
				continue
			}
			_, _ = c.Write(said[t.IntN(len(said))])
			mu.Lock()
			open = append(open, c)
			mu.Unlock()
		}
	}
	ranks, _, err := r.start(t)
	if err != nil {
		return err
	}
	return r.endWell(t, ranks, "strangers at the port")
}

// differ gives a rank another table, other settings or another token: no model is made.
func (r *rankFaults) differ(t *trial) error {
	other := t.IntN(r.n)
	more := map[int][]string{other: {"--set", []string{"train.seed=7", "tree.leaves=13", "train.learning_rate=0.2", "train.rounds=59", "sampling.row_fraction=0.81",
		"binning.max_bin=100", "tree.lambda_l2=1", "train.objective=poisson", "train.objective=huber", "data.ignore=alcohol", "train.gradients=i8", "data.weight=alcohol",
		"sampling.col_tree=0.9", "train.time_limit=100s"}[t.IntN(14)]}}
	key := keyOf(more[other][1])
	var commands []*exec.Cmd
	for i := range r.n {
		args := training(r.table, "m.boost", slices.DeleteFunc(slices.Clone(after), func(s string) bool { return i == other && keyOf(s) == key })...)
		commands = append(commands, t.command(nil, append(args, more[i]...)...))
	}
	ranks, err := t.startRanks(commands)
	if err != nil {
		return err
	}
	ends, err := t.endRanks(ranks, hang)
	if err != nil {
		return fmt.Errorf("%s: %w", more[other], err)
	}
	if key == "train.time_limit" { // the same model where none is over it
		return r.whole(t, ends)
	}
	for i, e := range ends {
		if e.code == 0 {
			return fmt.Errorf("ranks differ in %s, rank %d ends well", more[other], i)
		}
	}
	return t.isOneOf("m.boost", nil)
}

// absent leaves ranks out: those that are missing are named.
func (r *rankFaults) absent(t *trial) error {
	gone := t.IntN(r.n)
	addresses, err := commtest.Addresses(r.n)
	if err != nil {
		return err
	}
	var there []*rank
	for i := range r.n {
		if i == gone {
			continue
		}
		cmd := t.command([]string{rankToken}, append(training(r.table, "m.boost", after...), fmt.Sprintf("--rank=%d/%d", i, r.n), "--listen="+addresses[i],
			"--peers="+strings.Join(addresses, ","), "--join-wait=2s")...)
		p, err := newRank(cmd)
		if err != nil {
			return err
		}
		there = append(there, p)
	}
	ends, err := t.endRanks(there, rankEnd)
	if err != nil {
		return err
	}
	for _, e := range ends {
		if e.code != 1 || !strings.Contains(e.errors, strconv.Itoa(gone)) {
			return fmt.Errorf("rank %d is missing, another ends with %d: %s", gone, e.code, e.errors)
		}
	}
	return t.isOneOf("m.boost", nil)
}

// twice starts two processes as the same rank.
func (r *rankFaults) twice(t *trial) error {
	again := t.IntN(r.n)
	var commands []*exec.Cmd
	for range r.n {
		commands = append(commands, t.command(nil, append(training(r.table, "m.boost", after...), "--join-wait=3s")...))
	}
	t.place = func(i int) int {
		if i == (again+1)%r.n {
			return again
		}
		return i
	}
	ranks, err := t.startRanks(commands)
	if err != nil {
		return err
	}
	ends, err := t.endRanks(ranks, hang)
	if err != nil {
		return err
	}
	for i, e := range ends {
		if e.code != 1 || !strings.Contains(e.errors, "rank") {
			return fmt.Errorf("rank %d is there twice, process %d ends with %d: %s", again, i, e.code, e.errors)
		}
	}
	return t.isOneOf("m.boost", nil)
}
