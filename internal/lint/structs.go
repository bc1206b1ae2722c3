package lint

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"strings"
)

// maxFields is the number of fields above which a struct is divided, or says why not.
const maxFields = 20

// flatReason begins the reason in the comment of a struct that is not divided.
const flatReason = "flat because"

// CheckStructs returns the structs of many fields whose comments give no reason.
func (t *Tree) CheckStructs() ([]string, error) {
	return t.eachText(func(file string, text []byte) []string {
		if path.Ext(file) != ".go" || strings.HasSuffix(file, "_test.go") || strings.Contains(file, "/testdata/") {
			return nil
		}
		return checkStructs(file, text)
	})
}

func checkStructs(file string, text []byte) []string {
	set := token.NewFileSet()
	parsed, err := parser.ParseFile(set, file, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return []string{err.Error()}
	}
	var findings []string
	for _, d := range parsed.Decls {
		decl, ok := d.(*ast.GenDecl)
		if !ok {
			continue
		}
		for _, s := range decl.Specs {
			spec, ok := s.(*ast.TypeSpec)
			if !ok {
				continue
			}
			fields, ok := spec.Type.(*ast.StructType)
			if !ok {
				continue
			}
			comment := strings.Join(strings.Fields(decl.Doc.Text()+" "+spec.Doc.Text()), " ")
			if n := fields.Fields.NumFields(); n > maxFields && !strings.Contains(comment, flatReason) {
				findings = append(findings, fmt.Sprintf("%s: struct %s has %d fields; above %d, divide it or say in its comment that it is %s …",
					set.Position(spec.Pos()), spec.Name.Name, n, maxFields, flatReason))
			}
		}
	}
	return findings
}
