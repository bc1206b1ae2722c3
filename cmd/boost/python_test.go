package main

import (
	"compress/gzip"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"boost/booster/model"
	"boost/internal/testenv"
	"boost/ptq"
	"boost/ptq/compress"
)

// difficult makes a table of n rows: numbers that decimals, 32-bit floats and 64-bit floats hold,
// some of them missing; levels by number, levels with every odd character, and some 2,500 others.
// y is a number, b and c are of two and four classes, w is a weight and one the same everywhere.
func difficult(n int, seed uint64) string {
	names := []string{"red", "back\\slash", "line\nend", "käse", "com,ma", `"quoted"`, strings.Repeat("long ", 20), "\u00a0∀\U0001f333", "NA?", " led"}
	state := seed
	draw := func() float64 { // 0 to 1
		state = state*6364136223846793005 + 1442695040888963407
		return float64(state>>11) / (1 << 53)
	}
	var text strings.Builder
	rows := csv.NewWriter(&text)
	_ = rows.Write([]string{"a", "b64", "code", "name", "user", "f32", "big", "y", "b", "c", "w", "one", "start"})
	for range n {
		a := math.Round(600*draw()-300) / 100
		small := draw() * 1e-3
		code := []float64{1, 2, 3, 7, 10, 0, -4, 0.5, 1e17, 0.00002, 3e-7, 2.5e21}[int(12*draw())]
		name := int(10 * draw())
		user := int(2500 * draw())
		f32, big := fmt.Sprint(int(40*draw())), fmt.Sprint(math.Pow(draw(), 8)*1e12)
		y := a + 1000*small + math.Min(code, 12) + float64(name%4) + 3*float64(user*37%100)/100
		if draw() < 0.2 {
			f32 = ""
			y++
		}
		if draw() < 0.1 {
			big = "NA"
		}
		c := []string{"low", "mid", "high", "top"}[min(3, max(0, int(y)/3))]
		_ = rows.Write([]string{
			fmt.Sprint(a), fmt.Sprint(small), strconv.FormatFloat(code, []byte("eg")[user%2], -1, 64), names[name], fmt.Sprintf("u%04d", user), f32, big,
			fmt.Sprintf("%.3f", y), fmt.Sprint(y > 4), c, fmt.Sprint(int(3 * draw())), "7", fmt.Sprint(a / 3),
		})
	}
	rows.Flush()
	return text.String()
}

// pairs makes a table of n rows whose label follows from pairs of zones and hours, either of them missing here and there.
func pairs(n int, seed uint64) string {
	rng := rand.New(rand.NewPCG(seed, 0))
	var text strings.Builder
	text.WriteString("zone,hour,x,y\n")
	for range n {
		zone, hour, x := rng.IntN(100), rng.IntN(24), rng.Float64()
		y := 2*float64((zone*37+hour*101)*2654435761>>7&1) + 0.1*x
		zoneCell, hourCell := fmt.Sprintf("zone × %d", zone), fmt.Sprint(float64(hour)/2)
		if zone == 0 {
			zoneCell = ""
		}
		if hour == 0 {
			hourCell = "NA"
		}
		fmt.Fprintf(&text, "%s,%s,%v,%v\n", zoneCell, hourCell, x, y)
	}
	return text.String()
}

// Rows that training had no like of: values between floats, beyond all cuts, missing where none
// was, unseen levels and other spellings of known ones.
const strangeRows = `inf,-inf,1.0,red,u0001,3,1e6,0,true,low,1,7,0.1
-inf,inf,01,never,u9999,1e300,-1e300,0,true,low,1,7,0.1
,,,,,,,0,true,low,1,7,0.1
NA,NaN,?,None,null,N/A,nan,0,true,low,1,7,0.1
-0,0.0000001,7.0e0,"line
end",u0100,0.1,1000000.1,0,true,low,1,7,0.1
0.30000000000000004,1e-3,8,käse,u0000,16777217,999999.999,0,true,low,1,7,0.1
3,0.0005,100,back\slash,u0003,39.00000001,1e6,0,true,low,1,7,0.1
2.9949999999999997,0.0005,-4,NA?,u0003,38.99999999999999,1e12,0,true,low,1,7,0.1
2.995,5e-324,+2,"com,ma",u0004,1e-300,-0,0,true,low,1,7,0.1
`

// secondReader is the program that reads what this package writes.
type secondReader struct {
	python, script string
	groups         []string // MODEL TABLE SCORES JSON
}

func newSecondReader(t *testing.T) *secondReader {
	t.Helper()
	python, err := exec.LookPath("python3")
	testenv.Machine(t, err == nil, "python3")
	script, err := filepath.Abs(filepath.Join("..", "..", "benchmarks", "python", "interop_compressed.py"))
	if err != nil {
		t.Fatal(err)
	}
	return &secondReader{python: python, script: script}
}

// compress writes a compressed model to be read.
func (r *secondReader) compress(t *testing.T, from, table, to string, args ...string) {
	t.Helper()
	must(t, 0, boost(t, append([]string{"quantize", from + ".boost", "-o", to + ".boost"}, args...)...))
	r.add(t, table, to)
}

// add writes what a compressed model predicts and its JSON, all to be read.
func (r *secondReader) add(t *testing.T, table, to string) {
	t.Helper()
	must(t, 0, boost(t, "predict", to+".boost", table, "--kind", "raw", "-q", "-o", to+".scores.csv"))
	must(t, 0, boost(t, "convert", to+".boost", to+".json"))
	r.groups = append(r.groups, to+".boost", table, to+".scores.csv", to+".json")
}

// read has all of them read and returns what differs.
func (r *secondReader) read() (string, error) {
	words, err := exec.Command(r.python, append([]string{r.script}, r.groups...)...).CombinedOutput()
	r.groups = nil
	return string(words[max(len(words)-3000, 0):]), err
}

// forms returns the flags for every form of leaf values, each with the groupings that it has.
func forms(groupings ...string) [][]string {
	var all [][]string
	for i, form := range ptq.Forms() {
		name := strings.ToLower(form.String())
		if _, typed := form.DType(); !typed {
			flag := "--tiers"
			if form == ptq.FormQ4_0 {
				flag = "--dtype"
			}
			all = append(all, []string{flag, name})
			continue
		}
		if len(groupings) == 0 {
			all = append(all, []string{"--dtype", name, "--by", compress.Granularities()[i%len(compress.Granularities())]})
		}
		for _, by := range groupings {
			all = append(all, []string{"--dtype", name, "--by", by})
		}
	}
	return all
}

// TestInteropPython has a second reader, Python written from docs/format.md and nothing else, read
// compressed models whole, texts, cuts, trees, leaf values, statistics, and predict with them: the
// same raw scores to the last bit, and the same model as JSON. It reads one model in every form, the
// others, which differ in their trees and texts, in a form each; under BOOST_SOAK every form of
// every model, and models of real sets.
func TestInteropPython(t *testing.T) {
	r := newSecondReader(t)
	kept, err := os.ReadFile(filepath.Join("..", "..", "booster", "model", "testdata", "v2.boost"))
	if err != nil {
		t.Fatal(err)
	}
	inFolder(t)
	soak := os.Getenv("BOOST_SOAK") != ""
	file(t, "train.csv", difficult(3000, 1))
	file(t, "test.csv", difficult(60, 2)+strangeRows)
	few := [][]string{
		{"--dtype", "q4_0", "--keep-stats"}, {"--dtype", "i8", "--by", "output"}, {"--dtype", "u2", "--by", "block", "--calibrate", "mse"},
		{"--tiers", "cold2"},
	}
	for number, m := range []struct {
		name, label string
		set         []string
	}{
		{"regression", "y", nil},
		{"binary", "b", nil},
		{"multiclass", "c", []string{"data.weight=w"}},
		{"few_bins", "y", []string{"binning.max_bin=15", "binning.placement=value", "data.categorical=code"}},
		{"all_levels", "y", []string{"categorical.smooth=0", "categorical.max_per_side=2000", "categorical.min_per_group=1", "data.ignore=b,c,w,one,start,a,b64"}},
		{"few_levels", "c", []string{"categorical.max_cat=5", "categorical.order=name"}},
		{"stopped", "b", []string{"train.early_stopping=2", "train.learning_rate=1", "train.rounds=30"}},
		{"leaves_alone", "y", []string{"tree.min_gain=1e9"}},
		{"init_scores", "y", []string{"data.init_score=start", "data.ignore=b,c,w"}},
		{"continued", "c", []string{"train.init_model=multiclass.boost", "data.weight=w"}},
	} {
		t.Run("S4.29/"+m.name, func(t *testing.T) {
			args := []string{"train", "train.csv", "--label", m.label, "-q", "-o", m.name + ".boost"}
			usual := []string{"train.effort=quick", "train.early_stopping=0", "data.categorical=code,name,user", "train.rounds=4", "tree.leaves=12", "categorical.min_per_group=10",
				"data.ignore=" + map[string]string{"y": "b,c,w,start", "b": "y,c,w,start", "c": "y,b,start"}[m.label]}
			for _, s := range usual {
				key, _, _ := strings.Cut(s, "=")
				if !slices.ContainsFunc(m.set, func(own string) bool { return strings.HasPrefix(own, key+"=") }) {
					args = append(args, "--set", s)
				}
			}
			for _, s := range m.set {
				args = append(args, "--set", s)
			}
			must(t, 0, boost(t, args...))
			flags := few[number%len(few):][:1]
			if number == 0 && !testing.Short() {
				flags = forms()
			}
			if soak {
				flags = append(slices.Clone(few), forms(compress.Granularities()...)...)
				flags = append(flags, []string{"--dtype", "i4", "--calibrate", "percentile:99"})
			}
			for i, f := range flags {
				r.compress(t, m.name, "test.csv", fmt.Sprint(m.name, i), f...)
			}
			if words, err := r.read(); err != nil {
				t.Errorf("%v\n%s", err, words)
			}
		})
	}
	t.Run("S4.29/few_names", func(t *testing.T) {
		file(t, "more.csv", difficult(400, 3))
		file(t, "titles.csv", titles(4000, 0))
		file(t, "new.csv", titles(60, 3)+"new,1\n,2\n?,3\nNA,4\n")
		must(t, 0, boost(t, "train", "titles.csv", "--label", "y", "-q", "-o", "titles.boost", "--set", "train.effort=quick", "--set", "train.rounds=20", "--set", "data.categorical=title", "--set", "categorical.min_per_group=5"))
		r.compress(t, "titles", "new.csv", "few_names", "--max-bytes", "100KB", "--dtype", "i8")
		says(t, must(t, 0, boost(t, "inspect", "few_names.boost", "--json")).out, `"marked"`)
		// Nothing is left of a model that may lose anything.
		r.compress(t, "all_levels", "test.csv", "no_trees", "--data", "more.csv", "--max-loss", "100%")
		if words, err := r.read(); err != nil {
			t.Errorf("%v\n%s", err, words)
		}
	})
	t.Run("S4.29/crossed", func(t *testing.T) {
		file(t, "pairs.csv", pairs(6000, 1))
		file(t, "new.csv", pairs(60, 2)+"9,1,0.5,1\nzone × 3,99,0.5,1\n zone × 3,7.50,0.5,1\n?,,,1\n")
		must(t, 0, boost(t, "train", "pairs.csv", "--label", "y", "-q", "-o", "pairs.boost", "--effort", "quick", "--set", "train.early_stopping=0", "--set", "train.rounds=20",
			"--set", "categorical.splits=auto", "--set", "categorical.combinations=2", "--set", "categorical.min_per_group=1"))
		r.compress(t, "pairs", "new.csv", "crossed", "--dtype", "i8")
		if used := must(t, 0, boost(t, "inspect", "crossed.boost", "--importance", "split")).out; !regexp.MustCompile(`zone × hour +[1-9]`).MatchString(used) {
			t.Fatalf("no split by pairs:\n%s", used)
		}
		if words, err := r.read(); err != nil {
			t.Errorf("%v\n%s", err, words)
		}
	})
	t.Run("S4.29/kept_file", func(t *testing.T) {
		file(t, "v2.boost", string(kept))
		// Blue had no code of its own in training, purple was not there.
		file(t, "five.csv", "age,income,color\n1.5,10,red\n2,10.5,green\n2.5,,blue\n,9,purple\n3,1e9,\n")
		r.add(t, "five.csv", "v2")
		if words, err := r.read(); err != nil {
			t.Errorf("%v\n%s", err, words)
		}
	})
	// What the program does not choose: scales of 32 bits, and given ones.
	t.Run("S4.29/scales", func(t *testing.T) {
		for i, c := range []struct {
			dtype       ptq.DType
			calibration ptq.Calibration
			grouping    string
		}{
			{ptq.I8, ptq.Calibration{Float32Scales: true}, model.GroupTree},
			{ptq.FP4, ptq.Calibration{Float32Scales: true, Method: ptq.MSE}, model.GroupOutput},
			{ptq.U8, ptq.Calibration{Method: ptq.Given, Scale: 0.01, Offset: -1}, model.GroupModel},
			{ptq.I16, ptq.Calibration{Method: ptq.Given, Scale: 0.001}, model.GroupModel},
			{ptq.I4, ptq.Calibration{Method: ptq.Given, Scale: 0.25}, model.GroupModel},
		} {
			to := fmt.Sprint("scales", i)
			encodeFile(t, "multiclass.boost", to+".boost", c.dtype, c.calibration, c.grouping)
			r.add(t, "test.csv", to)
		}
		if words, err := r.read(); err != nil {
			t.Errorf("%v\n%s", err, words)
		}
	})
	// It notices what is not so: another bit of a score, another model.
	t.Run("S4.29/tells", func(t *testing.T) {
		r.compress(t, "binary", "test.csv", "told", "--dtype", "i8")
		scores := readFile(t, "told.scores.csv")
		places := strings.SplitN(scores, "\n", 3)
		var x float64
		if _, err := fmt.Sscan(places[1], &x); err != nil {
			t.Fatal(err)
		}
		file(t, "told.scores.csv", fmt.Sprintf("%s\n%v\n%s", places[0], math.Nextafter(x, 10), places[2]))
		if words, err := r.read(); err == nil || !strings.Contains(words, "row 0") {
			t.Errorf("another score passed: %v\n%s", err, words)
		}
		r.compress(t, "binary", "test.csv", "told", "--dtype", "i8")
		must(t, 0, boost(t, "convert", "stopped0.boost", "told.json"))
		if words, err := r.read(); err == nil || !strings.Contains(words, "told.boost: tree") {
			t.Errorf("another model passed: %v\n%s", err, words)
		}
	})
	data := os.Getenv("BOOST_SHARED")
	if !soak || data == "" {
		return
	}
	for set, label := range map[string]string{"adult": "income", "ames_housing": "Sale_Price", "wine_quality": "quality"} {
		t.Run("S4.29/"+set, func(t *testing.T) {
			firstRows(t, filepath.Join(data, "data", set, "test.csv.gz"), "rows.csv", 300)
			must(t, 0, boost(t, "train", filepath.Join(data, "data", set, "train.csv.gz"), "--label", label, "-q", "-o", set+".boost",
				"--set", "train.early_stopping=0", "--set", "train.rounds=20", "--set", `data.missing_only=[""]`))
			for i, f := range append(few, []string{"--dtype", "i16", "--keep-stats"}, []string{"--tiers", "warm5"}, []string{"--dtype", "f64"}) {
				r.compress(t, set, "rows.csv", fmt.Sprint(set, i), f...)
			}
			if words, err := r.read(); err != nil {
				t.Errorf("%v\n%s", err, words)
			}
		})
	}
}

// firstRows writes the header line and the first n rows of a packed table.
func firstRows(t *testing.T, from, to string, n int) {
	t.Helper()
	in, err := os.Open(from)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	z, err := gzip.NewReader(in)
	if err != nil {
		t.Fatal(err)
	}
	rows := csv.NewReader(z)
	var all [][]string
	for len(all) <= n {
		row, err := rows.Read()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, slices.Clone(row))
	}
	var text strings.Builder
	if err := csv.NewWriter(&text).WriteAll(all); err != nil {
		t.Fatal(err)
	}
	file(t, to, text.String())
}
