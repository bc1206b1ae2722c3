package worker_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestReading predicts tables that are written in another way than that of training.
func TestReading(t *testing.T) {
	c := start(t)
	trained, _ := c.must(map[string]any{"op": "train", "train": map[string]any{"table": c.giveSample()}, "settings": sampleSettings}, nil)
	file := func(cells string) []string {
		name := filepath.Join(t.TempDir(), "t.csv")
		if err := os.WriteFile(name, []byte("a;b;y\n"+cells+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		return []string{name}
	}
	_, want := c.must(map[string]any{"op": "predict", "model": trained["model"], "kind": "value", "files": file("3;;1")}, nil)
	head := map[string]any{"op": "predict", "model": trained["model"], "kind": "value", "files": file("$3;-;1")}
	for _, one := range []struct {
		reading [][2]string
		wrong   string
	}{
		{nil, `give reading={"data.parse": '{a="1,234.5 $"}'} if the table is written so`},
		{[][2]string{{"data.parse", `{a="1,234.5 $"}`}}, `add "-" to missing`},
		{[][2]string{{"data.parse", `{a="1,234.5 $"}`}, {"missing", `["-"]`}}, ""},
		{[][2]string{{"data.label", "y"}}, "data.label does not say how a table is written"},
		{[][2]string{{"data.nonsense", "y"}}, "unknown key"},
	} {
		head["reading"] = one.reading
		answer, got := c.ask(head, nil)
		text, _ := answer["error"].(string)
		if one.wrong == "" && !bytes.Equal(got, want) || !strings.Contains(text, one.wrong) || (text == "") != (one.wrong == "") {
			t.Errorf("reading %q: predictions %v, error %q; want %v, %q", one.reading, got, text, want, one.wrong)
		}
	}
}
