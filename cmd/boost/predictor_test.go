package main

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"boost/booster/model"
	"boost/internal/report"
	"boost/ptq"
)

// compressFile writes a compressed model of the one in a file.
func compressFile(t *testing.T, from, to string) {
	t.Helper()
	encodeFile(t, from, to, ptq.I8, ptq.Calibration{}, model.GroupModel)
}

// encodeFile does so in a type, with scales of that calibration by that grouping.
func encodeFile(t *testing.T, from, to string, d ptq.DType, k ptq.Calibration, grouping string) {
	t.Helper()
	m, err := model.Load(from)
	if err != nil {
		t.Fatal(err)
	}
	sum, err := m.SHA256()
	if err != nil {
		t.Fatal(err)
	}
	if m, err = m.Narrowed(model.KnownNames); err != nil {
		t.Fatal(err)
	}
	trees := m.Contents().Trees
	counts := make([]int, len(trees))
	for i := range trees {
		counts[i] = trees[i].NumLeaves()
	}
	if k.Groups, err = model.Groups(grouping, counts, m.Outputs()); err != nil {
		t.Fatal(err)
	}
	leaves, err := ptq.Encode(ptq.FormOf(d), k, m.Leaves(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if m, err = m.Compress(model.Compression{Leaves: leaves, Grouping: grouping, Source: sum}); err != nil {
		t.Fatal(err)
	}
	if err := m.Save(to); err != nil {
		t.Fatal(err)
	}
}

// Both loads of a compressed model write the same bytes.
func TestLoads(t *testing.T) {
	models(t)
	for _, m := range []string{"y", "b", "c"} {
		small := m + "small.boost"
		compressFile(t, m+".boost", small)
		t.Run("S4.30/both_loads/"+m, func(t *testing.T) {
			for _, kind := range []string{"value", "raw", "class", "leaf"} {
				if m == "y" && kind == "class" {
					continue
				}
				for _, format := range []string{"csv", "parquet"} {
					for _, more := range [][]string{nil, {"--rounds", "2"}} {
						args := append([]string{"predict", small, "t.csv", "--kind", kind, "--format", format}, more...)
						want := must(t, 0, boost(t, args...))
						got := must(t, 0, boost(t, append(args, "--load", "compact")...))
						if got.out != want.out || got.out == "" {
							t.Errorf("%s, %s, %v: the loads write different predictions", kind, format, more)
						}
					}
				}
			}
			want := must(t, 0, boost(t, "eval", small, "t.csv", "--json"))
			if got := must(t, 0, boost(t, "eval", small, "t.csv", "--json", "--load", "compact")); got.out != want.out {
				t.Errorf("metrics are %s, want %s", got.out, want.out)
			}
		})
		says(t, must(t, 0, boost(t, "inspect", small)).out, "loaded fast", "loaded compact")
		var said struct{ Memory *report.Memory }
		if err := json.Unmarshal([]byte(must(t, 0, boost(t, "inspect", small, "--json")).out), &said); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(small)
		if err != nil {
			t.Fatal(err)
		}
		if k := said.Memory; k == nil || k.Compact < 1 || k.Compact > 2*info.Size()+1<<20 || k.Fast < k.Compact {
			t.Errorf("a file of %d bytes takes %+v", info.Size(), said.Memory)
		}
		if full := must(t, 0, boost(t, "inspect", m+".boost", "--json")).out; json.Unmarshal([]byte(full), &said) != nil || strings.Contains(full, `"memory"`) {
			t.Error("a full model has loads")
		}
	}
	must(t, 4, boost(t, "predict", "t.csv", "t.csv", "--load", "compact"))
}
