package main

import (
	"fmt"
	"os"
)

// wine is a table that ships with the program: 5,000 rows, seven classes.
const wine = "examples/wine_quality/train.csv.gz"

// training returns a command that trains on a table.
func training(table, out string, sets ...string) []string {
	args := []string{"train", table, "--label", "quality", "-q", "-o", out, "--set", "train.early_stopping=0"}
	for _, s := range sets {
		args = append(args, "--set", s)
	}
	return args
}

// The settings of the two models that the campaigns train.
var (
	before = []string{"train.objective=regression", "train.rounds=3"}
	after  = []string{"train.objective=regression", "train.rounds=60", "sampling.row_fraction=0.8"}
)

// fixture is a trial's folder with the table and two models.
type fixture struct {
	table     string // path
	old, new  string // paths
	oldB, now []byte
}

func makeFixture(t *trial) (f *fixture, p *pace, err error) {
	text, err := os.ReadFile(wine)
	if err != nil {
		return nil, nil, fmt.Errorf("%w: soak runs in the root of the module", err)
	}
	f = &fixture{table: t.path("wine.csv.gz"), old: t.path("old.boost"), new: t.path("new.boost")}
	if err := t.write("wine.csv.gz", text); err != nil {
		return nil, nil, err
	}
	if _, err := t.succeed(training(f.table, f.old, before...)...); err != nil {
		return nil, nil, err
	}
	p = &pace{}
	for range 3 {
		e, err := t.succeed(training(f.table, f.new, after...)...)
		if err != nil {
			return nil, nil, err
		}
		p.add(e.took)
	}
	if f.oldB, err = t.read("old.boost"); err != nil {
		return nil, nil, err
	}
	f.now, err = t.read("new.boost")
	return f, p, err
}

// replacing is a command that replaces a file whose new bytes are known.
type replacing struct {
	args     func(out string) []string
	out      string
	old, new []byte
	pace     *pace
}

// run kills the command, several times in a row, and lets it end once.
func (r *replacing) run(t *trial) error {
	old := r.old
	if t.IntN(4) == 0 {
		old = nil
	}
	if err := t.write(r.out, old); err != nil {
		return err
	}
	for range 1 + t.IntN(2) {
		e, err := t.kill(r.pace.moment(t), r.args(r.out)...)
		if err != nil {
			return err
		}
		if e.code == 0 {
			old = r.new
		}
		if err := t.isOneOf(r.out, old, r.new); err != nil {
			return fmt.Errorf("killed: %w", err)
		}
		if err := t.onlyHas(true, r.out); err != nil {
			return fmt.Errorf("killed: %w", err)
		}
	}
	e, err := t.succeed(r.args(r.out)...)
	if err != nil {
		return err
	}
	r.pace.add(e.took)
	if err := t.isOneOf(r.out, r.new); err != nil {
		return fmt.Errorf("the next run: %w", err)
	}
	return t.onlyHas(false, r.out)
}

// known runs the command undisturbed and keeps what it writes and its time.
func (r *replacing) known(t *trial) error {
	r.pace = &pace{}
	for range 2 {
		e, err := t.succeed(r.args(r.out)...)
		if err != nil {
			return err
		}
		r.pace.add(e.took)
	}
	var err error
	r.new, err = t.read(r.out)
	return err
}

func prepareTrain(t *trial) (func(t *trial) error, error) {
	f, p, err := makeFixture(t)
	if err != nil {
		return nil, err
	}
	r := &replacing{out: "m.boost", old: f.oldB, new: f.now, pace: p,
		args: func(out string) []string { return training(f.table, out, after...) }}
	return r.run, nil
}

func prepareQuantize(t *trial) (func(t *trial) error, error) {
	f, _, err := makeFixture(t)
	if err != nil {
		return nil, err
	}
	forms := []*replacing{}
	for _, form := range [][]string{{"--dtype", "I8"}, {"--dtype", "Q4_0", "--keep-stats"}, {"--tiers", "cold"}} {
		r := &replacing{out: "q.boost", old: f.oldB,
			args: func(out string) []string { return append([]string{"quantize", f.new, "-q", "-o", out}, form...) }}
		if err := r.known(t); err != nil {
			return nil, err
		}
		forms = append(forms, r)
	}
	return func(t *trial) error { return forms[t.IntN(len(forms))].run(t) }, nil
}

func preparePredict(t *trial) (func(t *trial) error, error) {
	f, _, err := makeFixture(t)
	if err != nil {
		return nil, err
	}
	forms := []*replacing{}
	for _, name := range []string{"p.csv", "p.csv.gz", "p.jsonl", "p.parquet", "p.arrow"} {
		r := &replacing{out: name, args: func(out string) []string { return []string{"predict", f.old, f.table, "-q", "-o", out} }}
		if err := r.known(t); err != nil {
			return nil, err
		}
		r.old = r.new
		r.args = func(out string) []string { return []string{"predict", f.new, f.table, "-q", "-o", out} }
		if err := r.known(t); err != nil {
			return nil, err
		}
		forms = append(forms, r)
	}
	return func(t *trial) error { return forms[t.IntN(len(forms))].run(t) }, nil
}

// prepareCache kills runs that write or read a cache, which is absent, that of the run, or another's.
func prepareCache(t *trial) (func(t *trial) error, error) {
	f, p, err := makeFixture(t)
	if err != nil {
		return nil, err
	}
	args := func(more ...string) []string {
		return training(f.table, "m.boost", append(append([]string{"data.cache=t.cache"}, after...), more...)...)
	}
	var caches [3][]byte
	for i, more := range [][]string{nil, {"binning.max_bin=63"}} {
		if _, err := t.succeed(args(more...)...); err != nil {
			return nil, err
		}
		if caches[i], err = t.read("t.cache"); err != nil {
			return nil, err
		}
	}
	return func(t *trial) error {
		if err := t.write("t.cache", caches[t.IntN(len(caches))]); err != nil {
			return err
		}
		for range 1 + t.IntN(2) {
			e, err := t.kill(p.moment(t), args()...)
			if err != nil {
				return err
			}
			contents := [][]byte{f.now}
			if e.code != 0 {
				contents = append(contents, nil)
			}
			if err := t.isOneOf("m.boost", contents...); err != nil {
				return fmt.Errorf("killed: %w", err)
			}
			if err := t.isOneOf("t.cache", caches[:]...); err != nil {
				return fmt.Errorf("killed: %w", err)
			}
			if err := t.write("m.boost", nil); err != nil {
				return err
			}
		}
		for _, run := range []string{"the next run", "the run after it, from the cache"} {
			e, err := t.succeed(args()...)
			if err != nil {
				return err
			}
			p.add(e.took)
			if err := t.isOneOf("m.boost", f.now); err != nil {
				return fmt.Errorf("%s: %w", run, err)
			}
			if err := t.isOneOf("t.cache", caches[0]); err != nil {
				return fmt.Errorf("%s: %w", run, err)
			}
		}
		return t.onlyHas(false, "m.boost", "t.cache")
	}, nil
}

// prepareInterrupt asks a run to stop: what it leaves is the model of the rounds so far, beside the old
// one, and training that goes on from there ends in the trees of one that was not stopped.
func prepareInterrupt(t *trial) (func(t *trial) error, error) {
	f, p, err := makeFixture(t)
	if err != nil {
		return nil, err
	}
	return func(t *trial) error {
		if err := t.write("m.boost", f.oldB); err != nil {
			return err
		}
		e, err := t.signalled(t.command(nil, training(f.table, "m.boost", after...)...), os.Interrupt, p.moment(t))
		switch {
		case err != nil:
			return err
		case e.code == 0:
			p.add(e.took)
			return t.isOneOf("m.boost", f.now)
		case e.code != interrupted && e.code != -1:
			return fmt.Errorf("interrupted: exit code %d: %s", e.code, e.errors)
		}
		contents := [][]byte{f.oldB}
		if e.code == -1 { // it was not yet listening, or had written everything
			contents = append(contents, f.now)
		}
		if err := t.isOneOf("m.boost", contents...); err != nil {
			return fmt.Errorf("interrupted: %w", err)
		}
		if err := t.onlyHas(e.code == -1, "m.boost", "m.boost.partial"); err != nil {
			return fmt.Errorf("interrupted: %w", err)
		}
		partial, err := t.read("m.boost.partial")
		if err != nil || partial == nil {
			return err
		}
		return t.isRollback("m.boost.partial", f.new)
	}, nil
}
