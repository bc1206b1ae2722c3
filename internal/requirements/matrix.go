package main

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// A result is what came of a row.
const (
	pass     = "pass"
	fail     = "fail"
	open     = "open"
	notBuilt = "not built"
)

// row is one line of the matrix:
//
//	| id | requirement | package | needs | proofs | result |
type row struct {
	id       string
	text     string // columns requirement and package, as they stand
	needs    []need
	proofs   string
	result   string
	recorded string // result as the file had it
}

// need is a kind of proof that a row asks for. e2e carries the name of the row's end-to-end test,
// bench the name of a benchmark, with one of its parts after a slash, and fuzz may carry the fuzz
// target's.
type need struct{ kind, name string }

func (n need) String() string { return strings.TrimSpace(n.kind + " " + n.name) }

// base is the name of the benchmark without the part.
func (n need) base() string {
	base, _, _ := strings.Cut(n.name, "/")
	return base
}

// isPart reports whether a benchmark of that name measures what a need of row asks for. Its path
// carries the row's id: without it a benchmark only measures, and does not know the row's bar. Where
// the need names a part, the path is that part and the id and nothing else: 10M/only_300k_rows does not
// stand for 10M.
func (n need) isPart(test, row string) bool {
	path := strings.Split(test, "/")
	if path[0] != "Benchmark"+n.base() || !slices.Contains(path[1:], row) {
		return false
	}
	_, part, isNamed := strings.Cut(n.name, "/")
	return !isNamed || len(path) == 3 && slices.Contains(path[1:], part)
}

// kinds of needs; a row that is not built needs the decision that gives the reason.
var kinds = []string{"test", "e2e", "fuzz", "bench", "doc", notBuilt}

// matrix is the document: lines that are kept as they are, and rows.
type matrix struct {
	lines []any // string or *row
	rows  map[string]*row
}

var idCell = regexp.MustCompile(`^S[0-4]\.[0-9]+$`)

func parseMatrix(text []byte) (*matrix, error) {
	m := &matrix{rows: map[string]*row{}}
	for i, line := range strings.Split(strings.TrimSuffix(string(text), "\n"), "\n") {
		cells := strings.Split(strings.Trim(line, "|"), "|")
		for j := range cells {
			cells[j] = strings.TrimSpace(cells[j])
		}
		if !strings.HasPrefix(line, "|") || !idCell.MatchString(cells[0]) {
			m.lines = append(m.lines, line)
			continue
		}
		r, err := parseRow(cells)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", i+1, err)
		}
		if m.rows[r.id] != nil {
			return nil, fmt.Errorf("line %d: %s stands there twice", i+1, r.id)
		}
		m.rows[r.id] = r
		m.lines = append(m.lines, r)
	}
	if len(m.rows) == 0 {
		return nil, errors.New("no rows")
	}
	return m, nil
}

func parseRow(cells []string) (*row, error) {
	if len(cells) != 6 {
		return nil, fmt.Errorf("%s: %d cells, want 6", cells[0], len(cells))
	}
	r := &row{id: cells[0], text: cells[1] + " | " + cells[2], proofs: cells[4], result: cells[5], recorded: cells[5]}
	for item := range strings.SplitSeq(cells[3], ",") {
		n := need{kind: strings.TrimSpace(item)}
		if kind, name, ok := strings.Cut(n.kind, " "); ok && (kind == "bench" || kind == "e2e" || kind == "fuzz") {
			n = need{kind, name}
		}
		if !slices.Contains(kinds, n.kind) || n.name == "" && (n.kind == "bench" || n.kind == "e2e") {
			return nil, fmt.Errorf("%s: needs %q: want some of %s", r.id, item, strings.Join(kinds, ", "))
		}
		r.needs = append(r.needs, n)
	}
	return r, nil
}

func (m *matrix) format() []byte {
	var out bytes.Buffer
	for _, line := range m.lines {
		r, ok := line.(*row)
		if !ok {
			fmt.Fprintln(&out, line)
			continue
		}
		var needs []string
		for _, n := range r.needs {
			needs = append(needs, n.String())
		}
		fmt.Fprintf(&out, "| %s | %s | %s | %s | %s |\n", r.id, r.text, strings.Join(needs, ", "), r.proofs, r.result)
	}
	return out.Bytes()
}

// lost returns the rows that the file claims and this run does not prove, in
// the file's order.
func (m *matrix) lost() []string {
	var lost []string
	for _, line := range m.lines {
		r, ok := line.(*row)
		if ok && (r.recorded == pass || r.recorded == notBuilt) && r.result != r.recorded {
			lost = append(lost, fmt.Sprintf("%s: %s there, %s now: %s", r.id, r.recorded, r.result, r.proofs))
		}
	}
	return lost
}

func (m *matrix) summary() string {
	count := map[string]int{}
	for _, r := range m.rows {
		count[r.result]++
	}
	return fmt.Sprintf("%d rows: %d pass, %d fail, %d open, %d not built", len(m.rows), count[pass], count[fail], count[open], count[notBuilt])
}
