package configs_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Forced splits are a table, JSON or a file; the parameters hold what they say.
func TestForcedSplits(t *testing.T) {
	const want = `{"feature":"a","left":{"feature":1,"threshold":2},"threshold":1.5}`
	file := filepath.Join(t.TempDir(), "splits.json")
	if err := os.WriteFile(file, []byte(`{ "feature": "a", "left": {"feature": 1, "threshold": 2}, "threshold": 1.5 }`), 0o666); err != nil {
		t.Fatal(err)
	}
	for name, document := range map[string]string{
		"table": "[tree]\nforced_splits = {feature = \"a\", threshold = 1.5, left = {feature = 1, threshold = 2}}\n",
		"json":  "[tree]\nforced_splits = '" + want + "'\n",
		"file":  "[tree]\nforced_splits = '" + file + "'\n",
		"alias": "forcedsplits_filename = '" + file + "'\n",
	} {
		if c, _ := mustRead(t, document); c.Params.Tree.ForcedSplits != want {
			t.Errorf("%s: %s", name, c.Params.Tree.ForcedSplits)
		}
	}
	for document, want := range map[string]string{
		"forced_splits = 3":                     "must be",
		"forced_splits = 'nowhere.json'":        "give a file, or JSON that begins with {",
		"forced_splits = '{}'":                  "needs a \"feature\" and a \"threshold\"",
		"forced_splits = {feature = 1}":         "needs a \"feature\" and a \"threshold\"",
		"forced_splits = '{\"feature\": 1} {}'": "something follows",
	} {
		if _, _, err := read(t, "[tree]\n"+document+"\n"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", document, err, want)
		}
	}
}
