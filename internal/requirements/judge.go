package main

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// idInName finds row ids in the names of tests: S0.7, or S0_7 where the name
// is a function's.
var idInName = regexp.MustCompile(`S([0-4])[._]([0-9]+)`)

// idsIn returns the row ids that a name carries.
func idsIn(name string) []string {
	var ids []string
	for _, at := range idInName.FindAllStringSubmatchIndex(name, -1) {
		ids = append(ids, idAt(name, at))
	}
	return ids
}

func idAt(name string, at []int) string {
	return "S" + name[at[2]:at[3]] + "." + name[at[4]:at[5]]
}

// proof is a test that carries a row's id, cut off after the part of its name
// that does, or a file of decisions and the id.
type proof struct {
	pkg, name string
}

func (p proof) String() string { return p.pkg + " " + p.name }

// outcome of a proof over the subtests that it stands for. It is stale where the record of a
// benchmark is of other code. missed says by how much a benchmark missed its bars.
type outcome struct {
	passed, failed, stale bool
	missed                string
}

// proofsByRow groups the run's tests by the ids in their names. Benchmarks are
// left out: a row names those that it needs.
func proofsByRow(e *events) map[string]map[proof]outcome {
	rows := map[string]map[proof]outcome{}
	for k, action := range e.outcomes {
		if strings.HasPrefix(k.test, "Benchmark") {
			continue
		}
		for _, at := range idInName.FindAllStringSubmatchIndex(k.test, -1) {
			id := idAt(k.test, at)
			end := len(k.test)
			if slash := strings.IndexByte(k.test[at[1]:], '/'); slash >= 0 {
				end = at[1] + slash
			}
			p := proof{k.pkg, k.test[:end]}
			if rows[id] == nil {
				rows[id] = map[proof]outcome{}
			}
			o := rows[id][p]
			o.passed = o.passed || action == "pass"
			o.failed = o.failed || action == "fail"
			rows[id][p] = o
		}
	}
	return rows
}

// judge sets proofs and result of every row, from the events of a run, the records of benchmarks and
// the files that decide rows. current reports whether a record is of the code in the tree.
func (m *matrix) judge(e *events, records []record, current func(record) bool, decided map[string][]string) {
	byRow := proofsByRow(e)
	for id, r := range m.rows {
		found := byRow[id]
		if found == nil {
			found = map[proof]outcome{}
		}
		for _, file := range decided[id] {
			found[proof{file, id}] = outcome{passed: true}
		}
		for _, n := range r.needs {
			if n.kind == "fuzz" && n.name != "" {
				addFuzz(found, n, e)
			}
		}
		for _, record := range records {
			if record.Row == id {
				found[proof{record.Package, "Benchmark" + record.Benchmark}] = outcome{
					passed: record.Result == pass, failed: record.Result != pass, stale: !current(record),
					missed: record.missed(),
				}
			}
		}
		r.conclude(found)
	}
}

// addFuzz puts into found the fuzz target that a need names. An ordinary run
// tries it on its seeds.
func addFuzz(found map[proof]outcome, n need, e *events) {
	for k, action := range e.outcomes {
		if k.test == "Fuzz"+n.name {
			found[proof{k.pkg, k.test}] = outcome{passed: action == "pass", failed: action == "fail"}
		}
	}
}

// conclude words the proofs and decides the result.
func (r *row) conclude(found map[proof]outcome) {
	var words []string
	met := map[need]bool{}
	failed := false
	for _, p := range slices.SortedFunc(maps.Keys(found), func(a, b proof) int { return strings.Compare(a.String(), b.String()) }) {
		o := found[p]
		switch {
		case o.stale:
			words = append(words, p.String()+" (of other code)")
		case o.failed:
			failed = true
			words = append(words, p.String()+" (failed"+o.missed+")")
		case o.passed:
			words = append(words, p.String())
			for _, n := range r.needs {
				met[n] = met[n] || p.meets(n)
			}
		}
	}
	var lacking []string
	for _, n := range r.needs {
		if !met[n] {
			lacking = append(lacking, n.String())
		}
	}
	switch {
	case failed:
		r.result = fail
	case len(lacking) == 0:
		r.result = pass
		if slices.Contains(r.needs, need{kind: notBuilt}) {
			r.result = notBuilt
		}
	default:
		r.result = open
		if len(words) > 0 {
			words = append(words, "lacks "+strings.Join(lacking, ", "))
		}
	}
	r.proofs = strings.Join(words, "; ")
}

// meets reports whether a passed proof is of the kind that a row needs.
func (p proof) meets(n need) bool {
	isDoc := strings.HasPrefix(p.pkg, designFolder)
	switch n.kind {
	case "test":
		return !isDoc && !strings.HasPrefix(p.name, "Benchmark")
	case "e2e":
		test, _, _ := strings.Cut(p.name, "/")
		return test == n.name && (p.pkg == "booster" || p.pkg == "cmd/boost")
	case "fuzz":
		return strings.HasPrefix(p.name, "Fuzz"+n.name)
	case "bench":
		return p.name == "Benchmark"+n.name
	default: // doc, not built
		return isDoc
	}
}

// unknown returns complaints about ids in tests' names that are no rows.
func (m *matrix) unknown(e *events) []string {
	var warnings []string
	for id, proofs := range proofsByRow(e) {
		if m.rows[id] == nil {
			for p := range proofs {
				warnings = append(warnings, fmt.Sprintf("%s names %s, which is no row", p, id))
			}
		}
	}
	slices.Sort(warnings)
	return warnings
}
