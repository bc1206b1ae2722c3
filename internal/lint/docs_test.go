package lint

import (
	"go/format"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
)

func TestDocumentsCommands(t *testing.T) {
	findings, err := here(t).CheckCommands()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range findings {
		t.Error(f)
	}
}

func TestDocumentsLinks(t *testing.T) {
	findings, err := here(t).CheckLinks()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range findings {
		t.Error(f)
	}
}

func TestProgramPage(t *testing.T) {
	findings, err := here(t).CheckProgramPage()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range findings {
		t.Error(f)
	}
}

func TestProgramPageRule(t *testing.T) {
	sources := "flags.StringVar(&f.label, \"label\", \"\", \"x\")\nflags.StringVarP(&f.output, \"output\", \"o\", \"\", \"x\")\n"
	want := []string{"a.md: boost has no flag --lable", "a.md: does not mention --output"}
	if got := checkProgramPage("a.md", "`--label NAME` and `--lable` and `--help`", sources); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestLinkRule(t *testing.T) {
	root := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":    "module m\n",
		"README.md": "[a](docs/a.md) [b](docs/b.md) [c](https://example.org/x) [d](docs/a.md#the-first-part) [e](docs/a.md#second)\n```\n[f](g.md)\n```\n[h](#here)\n# Here!\n",
		"docs/a.md": "## The *first* part\n[up](../README.md) [gone](../GONE.md)\n",
	} {
		if err := os.MkdirAll(root+"/docs", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(root+"/"+name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := (&Tree{Root: root}).CheckLinks()
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"README.md:1: link to docs/b.md: no such file",
		"README.md:1: link to docs/a.md#second: no such heading",
		"docs/a.md:2: link to ../GONE.md: no such file",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestNamedDocuments(t *testing.T) {
	tree := here(t)
	findings, err := tree.CheckNamedDocuments()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range findings {
		t.Error(f)
	}
	text := "package p\n\n// As docs/data.md says, and docs/none.md.\nvar x = 1 // see docs/none.md\n"
	if got, want := tree.namedDocuments("a.go", []byte(text)), []string{"a.go:3: docs/none.md is not in the tree", "a.go:4: docs/none.md is not in the tree"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// CI runs the tests once, in the form that the README gives.
func TestReadmeTestCommand(t *testing.T) {
	text, err := here(t).Read("README.md")
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, c := range ShellBlocks("README.md", text) {
		lines = append(lines, c.Text)
	}
	if !slices.Contains(lines, "go test ./...") {
		t.Errorf("the README's commands do not hold `go test ./...`: %q", lines)
	}
}

// The README's program builds as it stands there.
func TestReadmeProgram(t *testing.T) {
	tree := here(t)
	text, err := tree.Read("README.md")
	if err != nil {
		t.Fatal(err)
	}
	programs := Programs(text)
	if len(programs) != 1 {
		t.Fatalf("found %d programs, want 1", len(programs))
	}
	folder := t.TempDir()
	file := filepath.Join(folder, "main.go")
	if err := os.WriteFile(file, []byte(programs[0]), 0o644); err != nil {
		t.Fatal(err)
	}
	formatted, err := format.Source([]byte(programs[0]))
	if err != nil {
		t.Fatal(err)
	}
	if string(formatted) != programs[0] {
		t.Error("gofmt would change the README's program")
	}
	// Not vet, which would look at all that the program imports, the standard library too.
	build := exec.Command("go", "build", "-o", filepath.Join(folder, "program"), file)
	build.Dir = tree.Root
	if out, err := build.CombinedOutput(); err != nil {
		t.Errorf("go build: %v\n%s", err, out)
	}
}

func TestPrograms(t *testing.T) {
	got := Programs([]byte("```go\nx := 1\n```\n```go\npackage main\n\nfunc main() {}\n```\n```sh\npackage main\n```\n"))
	if !slices.Equal(got, []string{"package main\n\nfunc main() {}\n"}) {
		t.Errorf("got %q", got)
	}
}

func TestShellBlocks(t *testing.T) {
	const text = "# A\n```sh\n# words\ngo test ./...\n\nboost train a.csv \\\n  --label y\n```\n```go\nmake x\n```\n```\nmake y\n```\n```sh\nmake z\n```\n"
	want := []Command{{"a.md", 4, "go test ./..."}, {"a.md", 6, "boost train a.csv --label y"}, {"a.md", 16, "make z"}}
	if got := ShellBlocks("a.md", []byte(text)); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestCommandRules(t *testing.T) {
	root := t.TempDir()
	if err := os.MkdirAll(root+"/cmd/boost", 0o755); err != nil {
		t.Fatal(err)
	}
	known := &vocabulary{
		root:     root,
		targets:  map[string]bool{"test": true},
		commands: map[string]bool{"train": true},
		flags:    `f.String("label", "", "")`,
	}
	for line, want := range map[string]string{
		"make test":                               "",
		"make test THREADS=2":                     "",
		"make tset":                               "make tset: no such target",
		"go run ./cmd/boost train a --label y":    "",
		"go build -o ./boost ./cmd/boost":         "",
		"go test ./cmd/...":                       "",
		"go test ./cdm/...":                       "go test: ./cdm does not exist",
		"./boost train a.csv --label=y":           "",
		"./boost trian a.csv":                     "boost trian: no such command",
		"BOOST_CPU=generic boost train --lable y": "boost: no flag --lable",
		"cat a | boost train - && make tset":      "make tset: no such target",
		".ci/nothing":                             ".ci/nothing does not exist",
		"echo make nothing":                       "",
	} {
		got := known.check(line)
		if want == "" && len(got) > 0 || want != "" && !slices.Equal(got, []string{want}) {
			t.Errorf("%s: got %q, want %q", line, got, want)
		}
	}
}
