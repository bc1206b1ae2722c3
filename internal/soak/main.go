// Command soak looks for what tests of fixed cases miss: it kills the program at random moments, trains
// one random table in many ways, gives damaged files to the readers, and fuzzes. A case is a function of
// its campaign and seed, except for the moment at which a process is killed, which is a share of the
// time that it usually takes.
//
//	go run ./internal/soak -for 2m [-seed N] [-n CASES] [-only NAME,…] [-json FILE] [-document FILE]
//
// A failed case keeps its folder, and the command that repeats it is printed. The exit status is 1 if
// any failed.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"time"

	"boost/benchmarks/harness"
)

// campaign is one kind of case.
type campaign struct {
	name  string
	share int // of the time, beside those of the others
	// prepare makes what all cases use, in the folder of the trial, and returns a case.
	prepare func(t *trial) (func(t *trial) error, error)
}

var campaigns = []campaign{
	{"kills/train", 5, prepareTrain},
	{"kills/resume", 6, prepareResume},
	{"kills/loop", 6, prepareLoop},
	{"kills/cache", 6, prepareCache},
	{"kills/quantize", 4, prepareQuantize},
	{"kills/predict", 4, preparePredict},
	{"kills/interrupt", 3, prepareInterrupt},
	{"kills/registry", 9, prepareRegistry},
	{"kills/store", 4, prepareStore},
	{"differential", 18, prepareDifferential},
	{"ranks/differential", 12, prepareRanks},
	{"ranks/faults", 8, prepareRankFaults},
	{"memory", 9, prepareMemory},
	{fuzzing, 38, nil},
}

// soak is one run of the program.
type soak struct {
	seed  uint64
	cases int              // of each campaign, 0: as many as there is time for
	root  string           // the folder of all others
	boost string           // the program
	fuzz  map[string]int64 // executions of a target, by folder and name
	// fuzzed is the same of the runs before.
	fuzzed map[string]int64
	kills  int // of the campaign
}

func main() {
	if len(os.Args) > 1 && os.Args[1] == storeChild {
		if err := runStoreChild(os.Args[2:]); err != nil {
			fmt.Fprintln(os.Stderr, "soak:", err)
			os.Exit(1)
		}
		return
	}
	failed, err := run()
	if err != nil {
		fmt.Fprintln(os.Stderr, "soak:", err)
		os.Exit(2)
	}
	if failed {
		os.Exit(1)
	}
}

func run() (failed bool, err error) {
	total := flag.Duration("for", 2*time.Minute, "time to take, shared by the campaigns")
	seed := flag.Uint64("seed", uint64(time.Now().UnixNano()), "seed of the first case; the next ones count up")
	cases := flag.Int("n", 0, "cases of each campaign instead of a time")
	only := flag.String("only", "", "campaigns, or beginnings of their names, separated by commas")
	recordFile := flag.String("json", "", "record to which the run is added")
	document := flag.String("document", "", "Markdown file whose section soak is written from the record")
	flag.Parse()

	chosen, shares, err := choose(*only)
	if err != nil {
		return false, err
	}
	var before record
	if *recordFile != "" {
		if err := harness.Read(*recordFile, &before); err != nil {
			return false, err
		}
	}
	root, err := os.MkdirTemp("", "boost-soak-")
	if err != nil {
		return false, err
	}
	s := &soak{seed: *seed, cases: *cases, root: root, boost: filepath.Join(root, "boost"), fuzz: map[string]int64{}, fuzzed: before.Fuzz}
	if out, err := exec.Command("go", "build", "-o", s.boost, "./cmd/boost").CombinedOutput(); err != nil {
		return false, fmt.Errorf("go build ./cmd/boost, in the root of the module: %w\n%s", err, out)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()

	begin := time.Now()
	var results []result
	for _, c := range chosen {
		limit := time.Duration(float64(*total) * float64(c.share) / float64(shares))
		fmt.Printf("%s: %s, seed %d\n", c.name, limit.Round(time.Second), *seed)
		r := s.campaign(ctx, c, limit)
		results = append(results, r)
		failed = failed || r.Failures > 0
		if ctx.Err() != nil {
			break
		}
	}
	fmt.Print(table(results))
	if *recordFile != "" {
		err = addRun(*recordFile, *document, runRecord{Date: begin.UTC().Format(time.DateOnly), Seed: *seed,
			Seconds: round(time.Since(begin))}, results, s.fuzz)
	}
	if failed {
		fmt.Println("failed cases are kept in", root)
		os.Remove(s.boost)
	} else {
		err = errors.Join(err, os.RemoveAll(root))
	}
	return failed, err
}

// choose returns the campaigns of a list of names or beginnings of names, and the sum of their shares.
func choose(only string) (chosen []campaign, shares int, err error) {
	found := map[string]bool{}
	names := strings.Split(only, ",")
	for _, c := range campaigns {
		for _, name := range names {
			if name == "" && only == "" || c.name == name || strings.HasPrefix(c.name, name+"/") {
				chosen, shares = append(chosen, c), shares+c.share
				found[name] = true
				break
			}
		}
	}
	for _, name := range names {
		if !found[name] {
			return nil, 0, fmt.Errorf("no campaign %q", name)
		}
	}
	return chosen, shares, nil
}

// campaign runs the cases of one.
func (s *soak) campaign(ctx context.Context, c campaign, limit time.Duration) (r result) {
	begin := time.Now()
	r.Name = c.name
	s.kills = 0
	defer func() { r.Kills, r.Seconds = s.kills, round(time.Since(begin)) }()
	if c.prepare == nil {
		r.Cases, r.Failures = s.runFuzz(ctx, limit)
		return r
	}
	shared := s.trial(ctx, c.name, 0, "shared")
	body, err := c.prepare(shared)
	if err != nil {
		fmt.Printf("FAILED %s: before the first case: %v\n", c.name, err)
		r.Failures = 1
		return r
	}
	for i := 0; ctx.Err() == nil && (s.cases > 0 && i < s.cases || s.cases == 0 && (i == 0 || time.Since(begin) < limit)); i++ {
		seed := s.seed + uint64(i)
		t := s.trial(ctx, c.name, seed, fmt.Sprint(seed))
		err := body(t)
		if ctx.Err() != nil {
			break
		}
		r.Cases++
		if err != nil {
			r.Failures++
			fmt.Printf("FAILED %s, seed %d: %v\n  in %s\n  again: go run ./internal/soak -only %s -seed %d -n 1\n",
				c.name, seed, err, t.dir, c.name, seed)
			continue
		}
		os.RemoveAll(t.dir)
	}
	if r.Failures == 0 {
		os.RemoveAll(shared.dir)
	}
	return r
}

// trial is one case: its chance, its folder, and the program.
type trial struct {
	*rand.Rand
	ctx   context.Context
	boost string
	dir   string // where the program runs
	seed  uint64
	kills *int // processes that a signal of the campaign ended or stopped

	onAddress func(address string) // is called with that of each rank; nil for not
	place     func(i int) int      // the rank that a process is; nil for its own
}

func (s *soak) trial(ctx context.Context, name string, seed uint64, folder string) *trial {
	dir := filepath.Join(s.root, strings.ReplaceAll(name, "/", "-"), folder)
	if err := os.MkdirAll(filepath.Join(dir, scratch), 0o777); err != nil {
		panic(err) // nothing can be done without room for files
	}
	return &trial{Rand: rand.New(rand.NewPCG(seed, 1)), ctx: ctx, boost: s.boost, dir: dir, seed: seed, kills: &s.kills}
}
