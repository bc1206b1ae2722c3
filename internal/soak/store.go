package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"time"

	"boost/tensorq/store"
)

// storeChild is the first argument of the program where it is the process that is killed: it takes a
// folder, a seed, the number of the first act, and whether to sync writes.
const storeChild = "store-child"

// storeActs is how many acts a child makes at most.
const storeActs = 300

func openStore(dir string, sync bool) (*store.Store, error) {
	cfg := store.DefaultConfig()
	cfg.SyncWrites = sync
	return store.Open(dir, cfg, store.Options{Clock: time.Now})
}

// storeAct makes act n of a seed: the same on every store that has made those before.
func storeAct(s *store.Store, seed uint64, n int) error {
	r := rand.New(rand.NewPCG(seed, uint64(n)))
	ids := s.IDs()
	id := fmt.Sprint("t", r.IntN(12))
	switch kind := r.IntN(20); {
	case kind < 12 || len(ids) == 0:
		values := make([]float32, 1+r.IntN(2000))
		for i := range values {
			values[i] = float32(r.NormFloat64())
		}
		tiers := []store.Tier{store.Hot, store.Warm, store.Cold}
		return s.Put(id, []int{len(values)}, values, store.PutOptions{Tier: tiers[r.IntN(3)], Master: r.IntN(2) == 0})
	case kind < 16:
		return s.Remove(ids[r.IntN(len(ids))])
	case kind < 19:
		// Only tiers of fewer bits need no source of the values.
		return s.Move(ids[r.IntN(len(ids))], store.Cold)
	default:
		return s.Compact()
	}
}

// runStoreChild makes acts and prints the number of each when it is done.
func runStoreChild(args []string) error {
	if len(args) != 4 {
		return errors.New("store-child: want a folder, a seed, a number and true or false")
	}
	seed, err := strconv.ParseUint(args[1], 10, 64)
	if err != nil {
		return err
	}
	first, err := strconv.Atoi(args[2])
	if err != nil {
		return err
	}
	s, err := openStore(args[0], args[3] == "true")
	if err != nil {
		return err
	}
	for n := first; n < first+storeActs; n++ {
		if err := storeAct(s, seed, n); err != nil {
			return fmt.Errorf("act %d: %w", n, err)
		}
		fmt.Println(n)
	}
	return s.Close()
}

func prepareStore(*trial) (func(t *trial) error, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	p := &pace{}
	return func(t *trial) error {
		reference, err := openStore(t.path("reference"), false)
		if err != nil {
			return err
		}
		defer reference.Close()
		next := 0
		for range 3 {
			cmd := exec.Command(self, storeChild, t.path("store"), fmt.Sprint(t.seed), fmt.Sprint(next), fmt.Sprint(t.IntN(2) == 0))
			moment := p.moment(t)
			if p.usual == 0 {
				moment = hang
			}
			e, err := t.signalled(cmd, os.Kill, moment)
			if err != nil {
				return err
			}
			if e.code > 0 {
				return fmt.Errorf("child: exit code %d: %s", e.code, e.errors)
			}
			if e.code == 0 {
				p.add(e.took)
			}
			// The acts that were acknowledged, and perhaps the one after them.
			acknowledged := next
			for lines := bufio.NewScanner(bytes.NewBufferString(e.out)); lines.Scan(); acknowledged++ {
				if n, err := strconv.Atoi(lines.Text()); err != nil || n != acknowledged {
					return fmt.Errorf("child printed %q, want %d", lines.Text(), acknowledged)
				}
			}
			for ; next < acknowledged; next++ {
				if err := storeAct(reference, t.seed, next); err != nil {
					return fmt.Errorf("reference, act %d: %w", next, err)
				}
			}
			got, err := contents(t.path("store"))
			if err != nil {
				return fmt.Errorf("after act %d: %w", next-1, err)
			}
			want, err := contentsOf(reference)
			if err != nil {
				return err
			}
			if maps.Equal(got, want) {
				continue
			}
			if e.code == 0 {
				return fmt.Errorf("after all acts up to %d: %s", next-1, differing(got, want))
			}
			if err := storeAct(reference, t.seed, next); err != nil {
				return fmt.Errorf("reference, act %d: %w", next, err)
			}
			next++
			with, err := contentsOf(reference)
			if err != nil {
				return err
			}
			if !maps.Equal(got, with) {
				return fmt.Errorf("killed at act %d, the store has what it was neither before (%s) nor after (%s)",
					next-1, differing(got, want), differing(got, with))
			}
		}
		return nil
	}, nil
}

// contents opens a store as the next process does and returns its tensors.
func contents(dir string) (map[string]string, error) {
	s, err := openStore(dir, true)
	if err != nil {
		return nil, err
	}
	got, err := contentsOf(s)
	return got, errors.Join(err, s.Verify(), s.Close())
}

// contentsOf returns the form and codes of each tensor.
func contentsOf(s *store.Store) (map[string]string, error) {
	all := map[string]string{}
	for _, id := range s.IDs() {
		codes, form, err := s.Codes(id)
		if err != nil {
			return nil, err
		}
		info, err := s.Info(id)
		if err != nil {
			return nil, err
		}
		all[id] = fmt.Sprint(form.Tier, form.Bits, info.Shape, info.Master, info.Bound, info.Sum) + string(codes)
	}
	return all, nil
}

// differing names the tensors that are not equal.
func differing(got, want map[string]string) string {
	var ids []string
	for id := range want {
		if got[id] != want[id] {
			ids = append(ids, id)
		}
	}
	for id := range got {
		if _, there := want[id]; !there {
			ids = append(ids, "+"+id)
		}
	}
	slices.Sort(ids)
	return fmt.Sprintf("%d tensors, differing %v", len(got), ids)
}
