package registry

import (
	"encoding/json"
	"slices"
	"testing"
)

// Lists of numbers are read as encoding/json reads them, and nothing else is a list.
func TestOrder(t *testing.T) {
	for _, text := range []string{`[]`, `[ ]`, `[0]`, ` [3, -1 ,2]`, `null`, `5`, `"1"`, `[[1]]`, `[1,[2]]`, `[1.5]`, `["1"]`, `{"a":1}`, `[1e2]`, `true`} {
		var want []int
		var got order
		wantErr, err := json.Unmarshal([]byte(text), &want), json.Unmarshal([]byte(text), &got)
		if (err == nil) != (wantErr == nil) || err == nil && !slices.Equal(got, want) {
			t.Errorf("%s: %v, %v, want %v, %v", text, got, err, want, wantErr)
		}
	}
}
