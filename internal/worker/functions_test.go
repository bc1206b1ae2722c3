package worker_test

import (
	"context"
	"encoding/binary"
	"math"
	"slices"
	"strings"
	"testing"

	"boost/booster"
	"boost/dataset"
	"boost/objectives"
	"boost/objectives/metrics"
)

// call is what the worker has asked for.
type call struct {
	head   map[string]any
	labels []float64
	scores []float64
}

// functions answers calls of a request until it ends.
func (c *client) functions(id uint32, answer func(call) []byte) (map[string]any, []byte) {
	c.t.Helper()
	var labels []float64
	for {
		got, head, body := c.read()
		if got != id {
			c.t.Fatalf("a frame of %d, want %d", got, id)
		}
		switch head["event"] {
		case nil:
			return head, body
		case "call":
			values := make([]float64, len(body)/8)
			for i := range values {
				values[i] = math.Float64frombits(binary.LittleEndian.Uint64(body[8*i:]))
			}
			n := int(head["shape"].([]any)[1].(float64))
			if head["new"] == true {
				labels, values = values[:n], values[n:]
			}
			result := answer(call{head, labels, values})
			c.send(map[string]any{"op": "result", "call": head["call"]}, result)
		}
	}
}

// TestFunctions trains on a loss of the library, by its metric, as the library that is linked does with the same functions.
func TestFunctions(t *testing.T) {
	_, columns := sample()
	own := objectives.FromFunc("squared", objectives.Identity, func(score, label float64) (float64, float64) { return score - label, 1 })
	farthest := func(labels, values []float64) float64 {
		most := 0.0
		for i, y := range labels {
			most = max(most, math.Abs(y-values[i]))
		}
		return most
	}
	table, err := dataset.FromColumns(columns, dataset.Label("y"))
	if err != nil {
		t.Fatal(err)
	}
	params := booster.Defaults()
	params.Rounds, params.Tree.MinDataInLeaf, params.EarlyStopping = 60, 3, 2
	want, err := booster.Train(context.Background(), params, table, booster.WithObjective(own), booster.Valid("valid", table),
		booster.LedBy(metrics.FromFunc("farthest", metrics.HigherIsBetter, func(in metrics.Input) float64 { return farthest(in.Labels, in.Values) })))
	if err != nil {
		t.Fatal(err)
	}

	c := start(t)
	source := map[string]any{"table": c.giveSample()}
	known := 0
	answer, data := c.functions(c.send(map[string]any{"op": "train", "train": source, "valid": []any{source},
		"settings": [][2]string{{"data.label", "y"}, {"rounds", "60"}, {"tree.min_data_in_leaf", "3"}, {"early_stopping", "2"}},
		"loss":     map[string]any{"name": "squared", "link": "identity", "outputs": 1, "base_score": []float64{0}},
		"metrics":  []any{map[string]any{"name": "farthest", "higher": true}}, "leads": true}, nil), func(asked call) []byte {
		if asked.head["new"] == true {
			known++
		}
		if asked.head["loss"] != true {
			return bytesOf([]float64{farthest(asked.labels, asked.scores)})
		}
		gradients := make([]float32, len(asked.scores))
		for i, score := range asked.scores {
			gradients[i] = float32(score - asked.labels[i])
		}
		return bytesOf(append(gradients, slices.Repeat([]float32{1}, len(gradients))...))
	})
	if answer["error"] != nil {
		t.Fatal(answer["error"])
	}
	bytes, err := want.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(data, bytes) {
		t.Error("the model is another one than that of the same functions in Go")
	}
	if known != 2 { // those of training and of validation
		t.Errorf("labels were sent %d times, want 2", known)
	}
	if got := answer["rounds"]; got != float64(want.Rounds()) || want.Rounds() != 1 {
		t.Errorf("the model has %v rounds, that in Go %d, want 1: the metric falls from the first round on", got, want.Rounds())
	}
}

// TestFunctionsFail ends training where a result is not one, or the library gives up.
func TestFunctionsFail(t *testing.T) {
	c := start(t)
	request := map[string]any{"op": "train", "train": map[string]any{"table": c.giveSample()}, "settings": sampleSettings,
		"loss": map[string]any{"name": "squared", "link": "identity", "outputs": 1, "base_score": []float64{0}}}
	answer, _ := c.functions(c.send(request, nil), func(call) []byte { return make([]byte, 12) })
	if answer["class"] != "protocol" || !strings.Contains(answer["error"].(string), "a result of 12 bytes in place of 1600") {
		t.Errorf("the answer is %v", answer)
	}
	id := c.send(request, nil)
	if _, head, _ := c.read(); head["event"] != "call" {
		t.Fatalf("%v, want a call", head)
	}
	sent := make(chan struct{})
	go func() {
		defer close(sent)
		c.send(map[string]any{"op": "cancel", "cancel": id}, nil)
	}()
	if _, head, _ := c.read(); head["class"] != "interrupted" {
		t.Errorf("the answer is %v", head)
	}
	<-sent
	for _, one := range []struct {
		key, words string
		value      map[string]any
	}{
		{"loss", "two outputs", map[string]any{"name": "squared", "link": "identity", "outputs": 2, "base_score": []float64{0}}},
		{"loss", "no such link", map[string]any{"name": "squared", "link": "cube", "outputs": 1, "base_score": []float64{0}}},
	} {
		bad := map[string]any{"op": "train", "train": request["train"], "settings": sampleSettings, one.key: one.value}
		if answer, _ := c.ask(bad, nil); answer["class"] != "protocol" {
			t.Errorf("%s: the answer is %v", one.words, answer)
		}
	}
}
