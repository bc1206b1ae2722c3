package store_test

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"boost/internal/recordlog"
	"boost/internal/testenv"
	"boost/tensorq/store"
)

// model is what a store should hold: the values put, exactly.
type model struct {
	values map[string][]float32
	rules  map[string]store.Rule
	absent map[string]bool
}

func newModel() *model {
	return &model{values: map[string][]float32{}, rules: map[string]store.Rule{}, absent: map[string]bool{}}
}

func refOf(r store.Rule) string {
	switch r := r.(type) {
	case store.Scale:
		return r.Of
	case store.Delta:
		return r.Base
	case store.Permutation:
		return r.Of
	case store.Projection:
		return r.Of
	}
	return ""
}

// needed returns the ids whose rules refer to one.
func (m *model) needed(id string, absent bool) []string {
	var by []string
	for _, other := range slices.Sorted(maps.Keys(m.rules)) {
		if refOf(m.rules[other]) == id && (!absent || m.absent[other]) {
			by = append(by, other)
		}
	}
	return by
}

// leads reports whether the rules lead from one tensor to another.
func (m *model) leads(from, to string) bool {
	for id := from; id != ""; id = refOf(m.rules[id]) {
		if id == to {
			return true
		}
	}
	return false
}

func (m *model) below(id string) int {
	if !m.absent[id] || refOf(m.rules[id]) == "" {
		return 0
	}
	return 1 + m.below(refOf(m.rules[id]))
}

func (m *model) above(id string) int {
	deepest := 0
	for _, other := range m.needed(id, true) {
		deepest = max(deepest, 1+m.above(other))
	}
	return deepest
}

// player does random things to a store and to the model of it, and compares.
type player struct {
	*fixture
	m      *model
	random *rand.Rand
	ids    int
	counts map[string]int
}

const length = 80 // values of every tensor: a block and a ragged one

func (p *player) id() string { return fmt.Sprint("t", p.random.IntN(p.ids)) }

// numbers are values that rules make exactly: whole numbers.
func (p *player) numbers() []float32 {
	v := make([]float32, length)
	for i := range v {
		v[i] = float32(p.random.IntN(255) - 127)
	}
	return v
}

// related returns values that a rule makes of a base's, and the rule.
func (p *player) related(ref string, base []float32) ([]float32, store.Rule) {
	out := slices.Clone(base)
	switch p.random.IntN(5) {
	case 0:
		for i := range out {
			out[i] *= -2
		}
		return out, store.Scale{Of: ref, By: -2}
	case 1:
		order := p.random.Perm(length)
		for i, k := range order {
			out[i] = base[k]
		}
		return out, store.Permutation{Of: ref, Order: order}
	case 2:
		keep := make([]int, length)
		for i := range keep {
			keep[i] = i
		}
		return out, store.Projection{Of: ref, Keep: keep}
	case 3:
		d := p.numbers()
		for i := range out {
			out[i] += d[i]
		}
		return out, store.Delta{Base: ref, Dense: d}
	}
	i := p.random.IntN(length)
	out[i] += 3
	return out, store.Delta{Base: ref, Index: []int{i}, Value: []float32{3}}
}

func (p *player) fatal(what string, err error) {
	p.t.Helper()
	p.t.Fatalf("%s: %v", what, err)
}

func (p *player) play() {
	p.t.Helper()
	id := p.id()
	_, there := p.m.values[id]
	kind := p.random.IntN(100)
	switch {
	case kind < 40:
		p.checkRead(id)
		p.counts["read"]++
	case kind < 55:
		p.putRandom(id)
	case kind < 70:
		p.ruleRandom(id)
	case kind < 75:
		by := p.m.needed(id, false)
		err := p.Remove(id)
		var needed *store.NeededError
		switch {
		case !there && errors.Is(err, store.ErrNotFound):
		case there && len(by) > 0 && errors.As(err, &needed) && slices.Equal(needed.By, by):
		case there && len(by) == 0 && err == nil:
			delete(p.m.values, id)
			delete(p.m.rules, id)
			delete(p.m.absent, id)
			p.source.set(id, nil)
			p.counts["removed"]++
		default:
			p.fatal(fmt.Sprintf("Remove(%s), there: %v, needed by %v", id, there, by), err)
		}
	case kind < 88:
		p.retireRandom(id)
	case kind < 92:
		p.clock.pass(time.Duration(p.random.IntN(200)) * time.Second)
	case kind < 93:
		p.clock.pass(26 * time.Hour)
	case kind < 98:
		p.sweepAndCheck()
	case kind < 99:
		p.reopen()
	default:
		if err := p.Compact(); err != nil {
			p.fatal("Compact", err)
		}
	}
}

func (p *player) checkRead(id string) {
	p.t.Helper()
	out := make([]float32, length)
	_, err := p.Read(id, out)
	want, there := p.m.values[id]
	if !there {
		if !errors.Is(err, store.ErrNotFound) {
			p.fatal("Read of a tensor that is not there", err)
		}
		return
	}
	if err != nil {
		p.fatal("Read("+id+")", err)
	}
	i := p.info(id)
	if d := farthest(out, want); d > i.Bound {
		p.t.Fatalf("%s is off by %v, and its bound is %v: %+v, rule %+v", id, d, i.Bound, i, p.m.rules[id])
	}
	if (i.Tier == store.Absent) != p.m.absent[id] {
		p.t.Fatalf("%s is %v, absent in the model: %v", id, i.Tier, p.m.absent[id])
	}
}

func (p *player) putRandom(id string) {
	p.t.Helper()
	v := p.numbers()
	var rule store.Rule
	ref := p.id()
	if base, ok := p.m.values[ref]; ok && p.random.IntN(2) == 0 {
		v, rule = p.related(ref, base)
	}
	by := p.m.needed(id, true)
	tier := []store.Tier{store.Hot, store.Hot, store.Warm, store.Cold}[p.random.IntN(4)]
	err := p.Put(id, []int{length}, v, store.PutOptions{Tier: tier, Master: p.random.IntN(3) == 0})
	var needed *store.NeededError
	if len(by) > 0 {
		if !errors.As(err, &needed) || !slices.Equal(needed.By, by) {
			p.fatal("Put of what absent tensors need", err)
		}
		return
	}
	if err != nil {
		p.fatal("Put", err)
	}
	p.m.values[id] = v
	delete(p.m.rules, id)
	delete(p.m.absent, id)
	p.source.set(id, nil)
	if p.random.IntN(2) == 0 {
		p.source.set(id, v)
	}
	p.counts["put"]++
	if rule != nil && !p.m.leads(ref, id) {
		p.setRule(id, rule)
	}
}

// ruleRandom gives a tensor a rule that may be wrong.
func (p *player) ruleRandom(id string) {
	p.t.Helper()
	v, there := p.m.values[id]
	if !there {
		return
	}
	var rule store.Rule = store.Discard{}
	if ref := p.id(); p.random.IntN(3) > 0 {
		_, rule = p.related(ref, v)
	}
	p.setRule(id, rule)
}

func (p *player) setRule(id string, rule store.Rule) {
	p.t.Helper()
	ref := refOf(rule)
	_, known := p.m.values[ref]
	err := p.SetRule(id, rule, 0)
	switch {
	case p.m.absent[id] && errors.Is(err, store.ErrAbsent):
	case p.m.absent[id]:
		p.fatal("SetRule of an absent tensor", err)
	case ref == id && errors.Is(err, store.ErrCycle):
	case ref != "" && !known && errors.Is(err, store.ErrNotFound):
	case ref != "" && known && p.m.leads(ref, id) && errors.Is(err, store.ErrCycle):
	case ref != "" && (ref == id || !known || p.m.leads(ref, id)), err != nil:
		p.fatal(fmt.Sprintf("SetRule(%s, %+v)", id, rule), err)
	default:
		p.m.rules[id] = rule
		p.counts["rule"]++
	}
}

func (p *player) retireRandom(id string) {
	p.t.Helper()
	v, there := p.m.values[id]
	if !there {
		return
	}
	i := p.info(id)
	idle := i.Score < 1 && p.clock.Now().Sub(i.LastAccess) > day
	rule := p.m.rules[id]
	ref := refOf(rule)
	err := p.Retire(id)
	var early *store.EarlyError
	var mismatch *store.MismatchError
	var needed *store.NeededError
	expect := func(ok bool, what string) {
		p.t.Helper()
		if !ok {
			p.fatal(fmt.Sprintf("Retire(%s), %s", id, what), err)
		}
	}
	switch {
	case p.m.absent[id]:
		expect(errors.Is(err, store.ErrAbsent), "absent")
	case rule == nil:
		expect(errors.Is(err, store.ErrNoRule), "no rule")
	case !idle:
		expect(errors.As(err, &early), "in use")
	case ref == "" && len(p.m.needed(id, false)) > 0:
		expect(errors.As(err, &needed), "needed")
	case ref != "" && 1+p.m.below(ref)+p.m.above(id) > p.cfg.MaxDepth:
		// The rule is executed before, and may be wrong too.
		expect(errors.Is(err, store.ErrReconstructionDepth) || errors.Is(err, store.ErrTierZeroNoPolicy) || errors.As(err, &mismatch), "too deep")
	case err != nil:
		expect(errors.As(err, &mismatch) || errors.Is(err, store.ErrTierZeroNoPolicy), "rule wrong")
		p.counts["mismatch"]++
	default:
		p.m.absent[id] = true
		if ref == "" {
			p.m.values[id] = make([]float32, len(v)) // reads as zeros from here on
			p.source.set(id, nil)
		}
		p.counts["retired"]++
	}
}

func (p *player) sweepAndCheck() {
	p.t.Helper()
	r := p.sweep()
	if r.Early {
		return
	}
	p.counts["sweep"]++
	p.counts["narrowed"] += r.Narrowed
	p.counts["raised"] += r.Raised
	p.counts["lowered"] += r.Lowered
	p.counts["restored"] += r.Restored
	p.counts["swept away"] += r.Retired
	st := p.Stats()
	if st.Warm != r.Warm || st.OverCap != r.OverCap {
		p.t.Fatalf("report %+v, statistics %+v", r, st)
	}
	var warm int64
	wide := 0
	for id := range p.m.values {
		i := p.info(id)
		if was := p.m.absent[id]; was != (i.Tier == store.Absent) {
			// The sweep has retired it, or restored it from its source or rule.
			if i.Tier == store.Absent && !(i.Score < 1 && p.clock.Now().Sub(i.LastAccess) > day && p.m.rules[id] != nil) {
				p.t.Fatalf("%s was retired by a sweep: %+v", id, i)
			}
			p.m.absent[id] = !was
			if i.Tier == store.Absent && refOf(p.m.rules[id]) == "" {
				p.m.values[id] = make([]float32, length)
				p.source.set(id, nil)
			}
		}
		if i.Tier == store.Absent {
			continue
		}
		want := p.cfg.TierOf(i.Score)
		if i.Tier != want && !(i.Degraded && i.Tier > want) { // the numbers grow from hot to cold
			p.t.Fatalf("%s is %v with a score of %d after a sweep: %+v", id, i.Tier, i.Score, i)
		}
		if i.Tier == store.Warm {
			warm += map[int]int64{7: 60 + 18, 5: 44 + 14}[i.Bits] // 64 values and 16
			if i.Bits == 7 {
				wide++
			}
		}
	}
	if warm != st.Warm {
		p.t.Fatalf("%d warm bytes, want %d", st.Warm, warm)
	}
	if st.OverCap > 0 && wide > 0 {
		p.t.Fatalf("%d bytes over the cap with %d tensors at 7 bits", st.OverCap, wide)
	}
}

// Random histories of a store against a model in memory: what is read is what was put,
// within the bound; what is refused, and why, is what the model says.
func TestRandomHistories(t *testing.T) {
	seeds, steps := 6, 3000
	if testing.Short() {
		seeds, steps = 3, 1500
	}
	counts := map[string]int{}
	for seed := range seeds {
		f := newStore(t, capped(150), func(c *store.Config) { c.MemoryCap = 1500 })
		p := &player{fixture: f, m: newModel(), random: rand.New(rand.NewPCG(uint64(seed), 7)), ids: 24, counts: counts}
		for range steps {
			p.play()
			if bytes, cap := p.Resident(); bytes > cap {
				t.Fatalf("%d bytes in memory, and the cap is %d", bytes, cap)
			}
		}
		for id := range p.m.values {
			p.checkRead(id)
		}
		if ids := p.IDs(); !slices.Equal(ids, slices.Sorted(maps.Keys(p.m.values))) {
			t.Fatalf("the store has %v, the model %v", ids, slices.Sorted(maps.Keys(p.m.values)))
		}
		if err := p.Verify(); err != nil {
			t.Fatal(err)
		}
		if err := p.Store.Close(); err != nil {
			t.Fatal(err)
		}
	}
	for _, what := range []string{"read", "put", "rule", "removed", "retired", "mismatch", "sweep", "narrowed", "raised", "lowered", "restored", "swept away"} {
		if counts[what] < 5 {
			t.Errorf("%q happened %d times: the histories do not show it; all: %v", what, counts[what], counts)
		}
	}
}

// A log that ends at any byte of a history opens to what the store held when it had
// written so much; in between a tensor is before or after its change, and never without
// data or a rule that makes it.
func TestCutAnywhere(t *testing.T) {
	t.Run("S3.56/crash_between_steps", cutAnywhere)
}

func cutAnywhere(t *testing.T) {
	f := newStore(t, capped(70), func(c *store.Config) { c.AbsentAgeThreshold = time.Hour; c.MaxDepth = 2 })
	file := filepath.Join(f.dir, "00000001.log")
	states := map[int64]map[string][]float32{}
	held := map[string][]float32{}
	note := func() {
		_, total := f.Log().Size()
		states[total] = maps.Clone(held)
	}
	note()
	put := func(id string, v []float32, o store.PutOptions) {
		f.put(id, v, o)
		held[id] = v
		note()
	}
	twice := func(v []float32) []float32 {
		w := slices.Clone(v)
		for i := range w {
			w[i] *= 2
		}
		return w
	}
	a, b := values(1, 20), values(2, 20)
	put("a", a, store.PutOptions{})
	put("b", twice(a), store.PutOptions{Master: true})
	f.rule("b", store.Scale{Of: "a", By: 2})
	put("c", b, store.PutOptions{Tier: store.Warm})
	f.rule("c", store.Delta{Base: "a", Index: []int{0}, Value: []float32{1}})
	put("a2", b, store.PutOptions{Master: true})
	put("a2", a, store.PutOptions{}) // in place of the other
	f.clock.pass(90 * time.Minute)
	f.sweep() // retires b, refuses c, lowers the others
	f.is("b", store.Absent, 0, false)
	f.is("c", store.Cold, 3, false)
	if err := f.Remove("c"); err != nil {
		t.Fatal(err)
	}
	delete(held, "c")
	note()
	if err := f.Sync(); err != nil {
		t.Fatal(err)
	}
	log, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Store.Close(); err != nil {
		t.Fatal(err)
	}
	ends := slices.Sorted(maps.Keys(states))
	for n := ends[0]; n <= int64(len(log)); n += int64(testenv.ByLength(1, 7, 31)) {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "00000001.log"), log[:n], 0o666); err != nil {
			t.Fatal(err)
		}
		before, at := states[ends[0]], 0
		for at+1 < len(ends) && ends[at+1] <= n {
			at++
			before = states[ends[at]]
		}
		after := before
		if at+1 < len(ends) {
			after = states[ends[at+1]]
		}
		s, err := store.Open(dir, f.cfg, store.Options{Clock: f.clock.Now})
		if err != nil {
			t.Fatalf("%d bytes: %v", n, err)
		}
		for _, id := range s.IDs() {
			if before[id] == nil && after[id] == nil {
				t.Errorf("%d bytes: %s is there", n, id)
				continue
			}
			out := make([]float32, 20)
			if _, err := s.Read(id, out); err != nil {
				t.Fatalf("%d bytes: %v", n, err)
			}
			i, err := s.Info(id)
			if err != nil {
				t.Fatal(err)
			}
			ok := before[id] != nil && farthest(out, before[id]) <= i.Bound || after[id] != nil && farthest(out, after[id]) <= i.Bound
			if !ok {
				t.Errorf("%d bytes: %s reads neither as before the change nor as after it", n, id)
			}
		}
		for id := range before {
			if _, err := s.Info(id); err != nil && after[id] != nil {
				t.Errorf("%d bytes: %s is lost", n, id)
			}
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

const writerVariable = "BOOST_TEST_STORE_WRITER"

// TestMain lets the test binary be the writer that is killed.
func TestMain(m *testing.M) {
	if dir := os.Getenv(writerVariable); dir != "" {
		if err := endlessly(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// killValues are whole numbers that say whose they are and which time they were put.
func killValues(id, generation int) []float32 {
	v := make([]float32, 10+id*20)
	for i := range v {
		v[i] = float32((i*7+generation*13+id)%255 - 127)
	}
	v[0], v[1] = float32(generation), 127
	return v
}

// endlessly puts tensors again and again, lets them sink, and says when a generation is
// put.
func endlessly(dir string) error {
	c := newClock()
	cfg := config(capped(2000), func(c *store.Config) { c.CompactRatio = 1.01 })
	s, err := store.Open(dir, cfg, store.Options{Clock: c.Now})
	if err != nil {
		return err
	}
	if err := s.Verify(); err != nil {
		return err
	}
	for _, id := range s.IDs() {
		i, err := s.Info(id)
		if err != nil {
			return err
		}
		out := make([]float32, i.Shape[0])
		if _, err := s.Read(id, out); err != nil {
			return err
		}
		c.pass(max(0, i.LastAccess.Sub(c.Now())))
	}
	for generation := 0; ; generation++ {
		g := generation % 100
		for id := range 16 {
			c.pass(time.Second)
			if err := s.Put(fmt.Sprint(id), []int{10 + id*20}, killValues(id, g), store.PutOptions{Master: id%2 == 0}); err != nil {
				return err
			}
			if _, err := fmt.Println(id, g); err != nil {
				return err
			}
		}
		for range 2 {
			c.pass(time.Minute)
			if _, err := s.Sweep(); err != nil {
				return err
			}
		}
		if generation%3 == 2 {
			if err := s.Compact(); err != nil {
				return err
			}
		}
	}
}

// The process that writes a store is killed at random moments; what it said it had put is
// there, whole, or what came after it.
func TestKill(t *testing.T) {
	kills := testenv.ByLength(200, 50, 15)
	random := rand.New(rand.NewPCG(3, 4))
	dir := t.TempDir()
	said := map[int]int{}    // id to generation
	unsure := map[int]bool{} // ids that may have been put and not said
	for range kills {
		last := -1
		testenv.Kill(t, random.IntN, writerVariable+"="+dir, 120, 300_000, func(line string) {
			var id, g int
			if _, err := fmt.Sscan(line, &id, &g); err != nil {
				t.Fatal(err)
			}
			said[id], last = g, id
			delete(unsure, id)
		})
		unsure[(last+1)%16] = true
		checkKilled(t, dir, said, unsure)
	}
}

// checkKilled reads all tensors; one that was to be put next when the writer was killed
// may be of another generation.
func checkKilled(t *testing.T, dir string, said map[int]int, unsure map[int]bool) {
	t.Helper()
	s, err := store.Open(dir, config(), store.Options{Clock: newClock().Now, ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Verify(); err != nil {
		t.Fatal(err)
	}
	for id, g := range said {
		out := make([]float32, 10+id*20)
		if _, err := s.Read(fmt.Sprint(id), out); err != nil {
			t.Fatal(err)
		}
		i, err := s.Info(fmt.Sprint(id))
		if err != nil {
			t.Fatal(err)
		}
		fits := farthest(out, killValues(id, g)) <= i.Bound
		if unsure[id] && !fits {
			for other := range 100 {
				fits = fits || farthest(out, killValues(id, other)) <= i.Bound
			}
		}
		if !fits {
			t.Fatalf("tensor %d is not what was put as generation %d, within %v (%v)", id, g, i.Bound, i.Tier)
		}
	}
}

// Damage is an error that names file and byte when the tensor is read, also one that is kept in
// memory no longer.
func TestDamage(t *testing.T) {
	f := newStore(t, func(c *store.Config) { c.MemoryCap = 1 })
	f.put("x", values(1, 100))
	f.put("y", values(2, 100))
	if err := f.Store.Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(f.dir, "00000001.log")
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	b[200] ^= 4
	if err := os.WriteFile(path, b, 0o666); err != nil {
		t.Fatal(err)
	}
	f.open()
	var damage *recordlog.DamageError
	if _, err := f.Read("x", make([]float32, 100)); !errors.As(err, &damage) || damage.File != path || damage.Offset != 32 {
		t.Errorf("Read of a damaged tensor: %v", err)
	}
	if err := f.Verify(); !errors.As(err, &damage) {
		t.Errorf("Verify: %v", err)
	}
	f.within("y", values(2, 100))
}
