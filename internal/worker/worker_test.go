package worker_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"boost/booster"
	"boost/booster/search"
	"boost/dataset"
	"boost/internal/worker"
)

// client speaks to a worker as a library does.
type client struct {
	t      *testing.T
	in     *io.PipeWriter
	out    io.Reader
	last   uint32
	events []map[string]any
}

func start(t *testing.T) *client {
	t.Helper()
	inRead, inWrite := io.Pipe()
	outRead, outWrite := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		err := worker.Serve(context.Background(), inRead, outWrite, "1.2.3")
		outWrite.Close()
		ended <- err
	}()
	c := &client{t: t, in: inWrite, out: outRead}
	t.Cleanup(func() {
		inWrite.Close()
		_, _ = io.Copy(io.Discard, outRead)
		if err := <-ended; err != nil {
			t.Errorf("Serve: %v", err)
		}
	})
	if _, head, _ := c.read(); head["protocol"] != float64(worker.Protocol) || head["version"] != "1.2.3" {
		t.Fatalf("hello is %v", head)
	}
	return c
}

func (c *client) read() (id uint32, head map[string]any, body []byte) {
	c.t.Helper()
	prefix := make([]byte, 16)
	if _, err := io.ReadFull(c.out, prefix); err != nil {
		c.t.Fatal(err)
	}
	text := make([]byte, binary.LittleEndian.Uint32(prefix[4:]))
	body = make([]byte, binary.LittleEndian.Uint64(prefix[8:]))
	for _, part := range [][]byte{text, body} {
		if _, err := io.ReadFull(c.out, part); err != nil {
			c.t.Fatal(err)
		}
	}
	if err := json.Unmarshal(text, &head); err != nil {
		c.t.Fatal(err)
	}
	return binary.LittleEndian.Uint32(prefix), head, body
}

func (c *client) send(head map[string]any, body []byte) uint32 {
	c.t.Helper()
	text, err := json.Marshal(head)
	if err != nil {
		c.t.Fatal(err)
	}
	c.last++
	frame := binary.LittleEndian.AppendUint32(nil, c.last)
	frame = binary.LittleEndian.AppendUint32(frame, uint32(len(text)))
	frame = binary.LittleEndian.AppendUint64(frame, uint64(len(body)))
	if _, err := c.in.Write(append(append(frame, text...), body...)); err != nil {
		c.t.Fatal(err)
	}
	return c.last
}

// ask sends a request and returns its answer; events on the way are kept.
func (c *client) ask(head map[string]any, body []byte) (map[string]any, []byte) {
	c.t.Helper()
	id := c.send(head, body)
	for {
		got, answer, data := c.read()
		if got != id {
			c.t.Fatalf("an answer to %d, want %d", got, id)
		}
		if answer["event"] == nil {
			return answer, data
		}
		c.events = append(c.events, answer)
	}
}

// must is ask for what cannot fail.
func (c *client) must(head map[string]any, body []byte) (map[string]any, []byte) {
	c.t.Helper()
	answer, data := c.ask(head, body)
	if answer["error"] != nil {
		c.t.Fatalf("%v: %v", head["op"], answer["error"])
	}
	return answer, data
}

// bytesOf returns the bytes of numbers.
func bytesOf(values any) []byte {
	var b bytes.Buffer
	_ = binary.Write(&b, binary.LittleEndian, values)
	return b.Bytes()
}

func block(dtype string, rows, columns, rowStride, columnStride, at int) map[string]any {
	return map[string]any{"dtype": dtype, "shape": []int{rows, columns}, "strides": []int{rowStride, columnStride}, "at": at}
}

// sample is 200 rows of two features and a label, row by row.
func sample() (rows []float64, columns []dataset.ColumnData) {
	var a, b, y []float64
	for i := range 200 {
		a = append(a, float64(i%13))
		b = append(b, math.Sqrt(float64(i)))
		y = append(y, a[i]*b[i])
		rows = append(rows, a[i], b[i], y[i])
	}
	return rows, []dataset.ColumnData{{Name: "a", Values: a}, {Name: "b", Values: b}, {Name: "y", Values: y}}
}

func (c *client) giveSample() float64 {
	rows, _ := sample()
	answer, _ := c.must(map[string]any{"op": "table", "parts": []any{
		map[string]any{"kind": "numbers", "names": []string{"a", "b", "y"}, "block": block("f8", 200, 3, 24, 8, 0)}}}, bytesOf(rows))
	return answer["table"].(float64)
}

var sampleSettings = [][2]string{{"data.label", "y"}, {"rounds", "7"}, {"tree.min_data_in_leaf", "3"}}

// TestTrain has the worker make what the library makes, byte for byte, and predict with it.
func TestTrain(t *testing.T) {
	c := start(t)
	source := map[string]any{"table": c.giveSample()}
	answer, data := c.must(map[string]any{"op": "train", "train": source, "settings": sampleSettings, "events": true, "every": true, "log": "info"}, nil)

	rows, columns := sample()
	table, err := dataset.FromColumns(columns, dataset.Label("y"))
	if err != nil {
		t.Fatal(err)
	}
	params := booster.Defaults()
	params.Rounds, params.Tree.MinDataInLeaf = 7, 3
	want, err := booster.Train(context.Background(), params, table)
	if err != nil {
		t.Fatal(err)
	}
	wantData, _ := want.Encode()
	if !bytes.Equal(data, wantData) {
		t.Error("the model is not the one that package booster trains")
	}
	rounds := 0
	for _, e := range c.events {
		if e["event"] == "round" {
			rounds++
		}
	}
	if rounds != 7 {
		t.Errorf("%d events of rounds, want 7: %v", rounds, c.events)
	}
	wantValues, _ := want.Predict(context.Background(), table)

	loaded, _ := c.must(map[string]any{"op": "load"}, data)
	var features []float64
	for i := 0; i < len(rows); i += 3 {
		features = append(features, rows[i], rows[i+1])
	}
	for name, head := range map[string]map[string]any{
		"table":    {"op": "predict", "model": answer["model"], "kind": "value", "table": source["table"]},
		"block":    {"op": "predict", "model": loaded["model"], "kind": "value", "block": block("f8", 200, 2, 16, 8, 0)},
		"few rows": {"op": "predict", "model": loaded["model"], "kind": "value", "block": block("f8", 5, 2, 16, 8, 0), "quick": true},
	} {
		_, got := c.must(head, bytesOf(features))
		if !bytes.Equal(got, bytesOf(wantValues[:len(got)/8])) || len(got) == 0 {
			t.Errorf("%s: the predictions are not those of package booster", name)
		}
	}
	evaluated, _ := c.must(map[string]any{"op": "evaluate", "model": answer["model"], "metrics": []string{"rmse"}, "table": source["table"]}, nil)
	sum := 0.0
	for i, v := range wantValues {
		sum += (v - rows[3*i+2]) * (v - rows[3*i+2])
	}
	rmse := evaluated["metrics"].([]any)[0].(map[string]any)["value"].(float64)
	if math.Abs(rmse-math.Sqrt(sum/200)) > 1e-12 {
		t.Errorf("rmse is %v, want %v", rmse, math.Sqrt(sum/200))
	}
	stages, values := c.must(map[string]any{"op": "staged", "model": answer["model"], "kind": "value", "every": 3, "table": source["table"]}, nil)
	if got := stages["rounds"].([]any); len(got) != 3 || !bytes.Equal(values[len(values)-1600:], bytesOf(wantValues)) {
		t.Errorf("stages after rounds %v; the last is not the whole model's", got)
	}
}

// TestBlocks reads matrices as they lie in memory.
func TestBlocks(t *testing.T) {
	c := start(t)
	rows, _ := sample()
	_, want := c.must(map[string]any{"op": "train", "train": map[string]any{"table": c.giveSample()}, "settings": sampleSettings}, nil)
	byColumns := make([]float64, len(rows))
	backwards := make([]float64, len(rows))
	for i := range 200 {
		for j := range 3 {
			byColumns[j*200+i] = rows[3*i+j]
			backwards[len(rows)-1-3*i-j] = rows[3*i+j]
		}
	}
	for name, b := range map[string]struct {
		block map[string]any
		data  []byte
	}{
		"by columns":  {block("f8", 200, 3, 8, 1600, 0), bytesOf(byColumns)},
		"backwards":   {block("f8", 200, 3, -24, -8, 24*200-8), bytesOf(backwards)},
		"not aligned": {block("f8", 200, 3, 24, 8, 3), append([]byte("abc"), bytesOf(rows)...)},
	} {
		answer, _ := c.must(map[string]any{"op": "table", "parts": []any{
			map[string]any{"kind": "numbers", "names": []string{"a", "b", "y"}, "block": b.block}}}, b.data)
		if _, data := c.must(map[string]any{"op": "train", "train": map[string]any{"table": answer["table"]}, "settings": sampleSettings}, nil); !bytes.Equal(data, want) {
			t.Errorf("%s: another model", name)
		}
	}
}

// A matrix without columns adds nothing to a table, whatever its number of rows.
func TestPartWithoutColumns(t *testing.T) {
	c := start(t)
	part := func(b map[string]any, names ...string) map[string]any {
		return map[string]any{"kind": "numbers", "names": names, "block": b}
	}
	one, none := part(block("f8", 1, 1, 8, 8, 0), "a"), part(block("f8", 2, 0, 8, 8, 0))
	for _, parts := range [][]any{{one, none}, {none, one}} {
		answer, _ := c.must(map[string]any{"op": "table", "parts": parts}, make([]byte, 8))
		if answer["table"] == nil {
			t.Errorf("%v: %v", parts, answer)
		}
	}
}

// TestRefused has requests that are wrong: each is an error of its class, and the worker goes on.
func TestRefused(t *testing.T) {
	c := start(t)
	table := map[string]any{"table": c.giveSample()}
	_, data := c.must(map[string]any{"op": "train", "train": table, "settings": sampleSettings}, nil)
	loaded, _ := c.must(map[string]any{"op": "load"}, data)
	_, data = c.must(map[string]any{"op": "train", "train": table, "settings": append(slices.Clone(sampleSettings), [2]string{"boosting", "dart"})}, nil)
	dart, _ := c.must(map[string]any{"op": "load"}, data)
	train := func(settings ...[2]string) map[string]any {
		return map[string]any{"op": "train", "train": table, "settings": settings}
	}
	goOn := func(key, value string) map[string]any {
		return map[string]any{"op": "train", "train": table, "base": loaded["model"], "settings": append(slices.Clone(sampleSettings), [2]string{key, value})}
	}
	numbers := func(b map[string]any, names ...string) map[string]any {
		return map[string]any{"op": "table", "parts": []any{map[string]any{"kind": "numbers", "names": names, "block": b}}}
	}
	for _, test := range []struct {
		head         map[string]any
		body         []byte
		class, words string
	}{
		{map[string]any{"op": "fly"}, nil, "protocol", `unknown operation "fly"`},
		{map[string]any{"op": "predict", "model": 99}, nil, "protocol", "no model 99"},
		{map[string]any{"op": "predict", "model": loaded["model"], "table": 99}, nil, "protocol", "no table 99"},
		{map[string]any{"op": "hello", "protocol": 7}, nil, "protocol", "speaks protocol 7"},
		{map[string]any{"op": "load"}, []byte("no model"), "model", "model"},
		{map[string]any{"op": "load", "path": "absent.boost"}, nil, "model", "absent.boost"},
		{train([2]string{"leavs", "3"}, [2]string{"label", "y"}), nil, "parameter", `did you mean`},
		{train([2]string{"leaves", "many"}, [2]string{"label", "y"}), nil, "parameter", "leaves = many: tree.leaves must be an integer"},
		{train([2]string{"label", "z"}), nil, "table", `no column "z"`},
		{train(), nil, "parameter", "which column is to be predicted"},
		{train([2]string{"label", "y"}, [2]string{"output.model", "m.boost"}), nil, "parameter", "output.model cannot be set here"},
		{train([2]string{"label", "y"}, [2]string{"cegb_tradeoff", "2"}), nil, "parameter", "is a factor of costs, and there are none"},
		{goOn("ignore", "b"), nil, "parameter", `data.ignore = ["b"]: column "b" is a feature of the base model`},
		{goOn("categorical", "b"), nil, "parameter", `data.categorical = ["b"]: column "b" has numbers in the base model`},
		{map[string]any{"op": "train", "train": map[string]any{"files": []string{"absent.csv"}}}, nil, "table", "absent.csv"},
		{map[string]any{"op": "predict", "model": loaded["model"], "kind": "class", "table": table["table"]}, nil, "parameter", "not classes"},
		{map[string]any{"op": "predict", "model": loaded["model"], "kind": "value", "rounds": 8, "table": table["table"]}, nil, "parameter", "rounds must be 0 … 7"},
		{map[string]any{"op": "predict", "model": dart["model"], "kind": "value", "rounds": 3, "table": table["table"]}, nil, "parameter", `train.boosting = "dart"`},
		{map[string]any{"op": "staged", "model": dart["model"], "kind": "value", "every": 5, "table": table["table"]}, nil, "parameter", "the first 5 rounds are no model of 5 rounds"},
		{map[string]any{"op": "predict", "model": loaded["model"], "kind": "value", "block": block("f8", 1, 1, 8, 8, 0)}, make([]byte, 8), "table", "the model has 2 features"},
		{numbers(block("f8", 2, 1, 8, 8, 0), "a"), make([]byte, 8), "protocol", "reaches out of the body"},
		{numbers(block("f8", 2, 1, -8, 8, 0), "a"), make([]byte, 16), "protocol", "reaches out of the body"},
		{numbers(block("f8", 1<<31, 1, 8, 8, 0), "a"), nil, "protocol", "a block of"},
		{numbers(block("c16", 1, 1, 8, 8, 0), "a"), nil, "protocol", "unknown type"},
		{numbers(block("f8", 1, 1, 8, 8, 0)), make([]byte, 8), "protocol", "0 names for 1 columns"},
		{map[string]any{"op": "table", "parts": []any{map[string]any{"kind": "arrow", "length": 3}}}, []byte("abc"), "table", "Arrow stream"},
	} {
		answer, _ := c.ask(test.head, test.body)
		if answer["class"] != test.class || !strings.Contains(answer["error"].(string), test.words) {
			t.Errorf("%v: %v error %q, want %s with %q", test.head, answer["class"], answer["error"], test.class, test.words)
		}
	}
	c.send(map[string]any{"op": "free", "models": []any{loaded["model"]}, "tables": []any{table["table"]}}, nil)
	if answer, _ := c.ask(map[string]any{"op": "predict", "model": loaded["model"]}, nil); answer["class"] != "protocol" {
		t.Errorf("a model that was freed: %v", answer)
	}
}

// TestFolds has the worker cross-validate and search as the library does.
func TestFolds(t *testing.T) {
	c := start(t)
	source := map[string]any{"table": c.giveSample()}
	answer, body := c.must(map[string]any{"op": "cv", "train": source, "settings": sampleSettings, "folds": 3, "confidence": 0.95, "events": true, "every": true}, nil)
	_, columns := sample()
	table, err := dataset.FromColumns(columns, dataset.Label("y"))
	if err != nil {
		t.Fatal(err)
	}
	params := booster.Defaults()
	params.Rounds, params.Tree.MinDataInLeaf = 7, 3
	want, err := search.CrossValidate(t.Context(), params, table, search.Params{Division: search.Division{Folds: 3, Seed: params.Seed}})
	if err != nil {
		t.Fatal(err)
	}
	wantBody := slices.Concat(bytesOf(want.Values), bytesOf(want.Raw), bytesOf(want.Fold))
	for _, m := range want.Models {
		data, _ := m.Encode()
		wantBody = append(wantBody, data...)
	}
	if !bytes.Equal(body, wantBody) {
		t.Error("predictions, folds or models are not those of package search")
	}
	if add := answer["add"].(map[string]any); add["train.rounds"] != float64(want.Best) || add["train.early_stopping"] != 0.0 || len(add) != 2 || answer["drop"].([]any)[0] != "rounds" {
		t.Errorf("after %d rounds: add %v, drop %v", want.Best, add, answer["drop"])
	}
	events := len(c.events)
	scheduled := [][2]string{{"data.label", "y"}, {"rounds", "50"}, {"early_stopping", "2"}, {"train.early_stopping_min_delta", "1"}, {"learning_rate", "0.5"}, {"train.learning_rate_schedule", "linear"}}
	ofSchedule, _ := c.must(map[string]any{"op": "cv", "train": source, "settings": scheduled, "folds": 3, "confidence": 0.95}, nil)
	best := int(ofSchedule["report"].(map[string]any)["best_round"].(float64))
	rates, _ := ofSchedule["add"].(map[string]any)["train.learning_rates"].([]any) // from 0.5 to 0 in 50 steps of 0.01
	if best == 50 || len(rates) != best || math.Abs(rates[best-1].(float64)-(0.51-0.01*float64(best))) > 1e-12 || len(ofSchedule["drop"].([]any)) != 5 {
		t.Errorf("after %d rounds of a schedule: add %v, drop %v", best, ofSchedule["add"], ofSchedule["drop"])
	}
	if events != 21 {
		t.Errorf("%d events of rounds, want 21", events)
	}
	var numbers []any
	for _, m := range answer["models"].([]any) {
		numbers = append(numbers, m.(map[string]any)["model"])
	}
	_, averaged := c.must(map[string]any{"op": "average", "models": numbers}, nil)
	average, err := want.Average()
	if err != nil {
		t.Fatal(err)
	}
	if data, _ := average.Encode(); !bytes.Equal(averaged, data) {
		t.Error("the average is not that of package search")
	}
	c.events = nil
	found, _ := c.must(map[string]any{"op": "tune", "train": source, "settings": sampleSettings, "folds": 2, "trials": 3, "only": true,
		"try": [][2]string{{"leaves", "3..9"}}, "events": true}, nil)
	if trials := found["report"].(map[string]any)["trials"].([]any); len(trials) != 3 || len(c.events) != 3 || c.events[0]["event"] != "trial" {
		t.Errorf("%d trials, events %v; want 3 of both", len(trials), c.events)
	}
	if settings := found["settings"].(map[string]any); settings["data.label"].([]any)[0] != "y" || settings["train.effort"] != "" || settings["tree.min_data_in_leaf"] != 3.0 {
		t.Errorf("the settings found are %v", settings)
	}
	for _, test := range []struct{ op, key, value, words string }{
		{"tune", "budget", "soon", `budget = "soon": must be seconds`},
		{"tune", "held_out", "half", "held_out = half"},
		{"cv", "group_by", "z", `no column "z"`},
	} {
		head := map[string]any{"op": test.op, "train": source, "settings": sampleSettings, "folds": 2, "trials": 1, test.key: test.value}
		if answer, _ := c.ask(head, nil); answer["error"] == nil || !strings.Contains(answer["error"].(string), test.words) {
			t.Errorf("%s with %s: %v, want %q", test.op, test.key, answer["error"], test.words)
		}
	}
}

// TestCancel stops a training that would take long.
func TestCancel(t *testing.T) {
	c := start(t)
	table := map[string]any{"table": c.giveSample()}
	id := c.send(map[string]any{"op": "train", "train": table, "events": true, "every": true,
		"settings": [][2]string{{"label", "y"}, {"rounds", "100000000"}}}, nil)
	if got, head, _ := c.read(); got != id || head["event"] != "round" {
		t.Fatalf("%d %v, want a round of %d", got, head, id)
	}
	sent := make(chan struct{})
	go func() {
		defer close(sent)
		c.send(map[string]any{"op": "cancel", "cancel": id}, nil)
	}()
	for {
		if _, head, _ := c.read(); head["event"] == nil {
			if head["class"] != "interrupted" {
				t.Errorf("the answer is %v", head)
			}
			break
		}
	}
	<-sent
}

// TestDamagedFrames ends the worker with an error, whatever is sent.
func TestDamagedFrames(t *testing.T) {
	for _, sent := range []string{"short", strings.Repeat("\xff", 16), strings.Repeat("\x01\x00\x00\x00", 4)} {
		if err := worker.Serve(context.Background(), strings.NewReader(sent), io.Discard, ""); err == nil {
			t.Errorf("%q: no error", sent)
		}
	}
}
