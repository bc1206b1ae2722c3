package lint

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// picture is the layering of the packages. A package imports only what stands
// in a strictly lower layer; inside layers 0 and 1, and inside one folder called
// internal below another, it may also import what stands further left or above. Tools belong to no layer: they import only
// each other, and nothing imports them. What is not in the picture is refused,
// so a new package starts with a decision about its place.
const picture = `
  0:  internal/cpu  internal/rng  internal/near  internal/format  internal/setting  internal/vfs  internal/vfs/crashfs  internal/replace  internal/testenv  internal/heapsize  internal/gcpercent  internal/paired  internal/peakmemory
  0:  parallel  internal/comm  internal/comm/commtest  internal/comm/ahead  internal/comm/mesh  internal/comm/mpi
  1:  internal/detmath
  1:  internal/kernel/hist  internal/kernel/partition  internal/kernel/quantize  internal/kernel/scan  internal/kernel/predict
  1:  internal/kernel/codec  internal/kernel/bin  internal/kernel/loss  internal/kernel/text  internal/kernel/mix  internal/kernel/sample  internal/kernel/gram
  1:  internal/recordlog  internal/entropy
  1:  dataset/internal/missing  dataset/internal/written  dataset/internal/plain  dataset/internal/chunk  dataset/internal/parts  dataset/internal/records  dataset/internal/csv  dataset/internal/jsonl  dataset/internal/xlsx  dataset/internal/columnar  dataset/internal/arrowipc  dataset/internal/parquet  dataset/internal/libsvm  dataset/internal/sidefile  dataset/internal/sample
  1:  dataset/internal/packed  dataset/internal/notes  dataset/internal/inmemory  dataset/internal/dictionary  dataset/internal/crossed  dataset/internal/estimate  dataset/internal/fingerprint  dataset/internal/build  dataset/internal/queries
  2:  objectives  objectives/metrics  tree  tree/colsample  tree/allowed  dataset  dataset/write  tensorq  binning/internal/borders  binning/internal/rowsample  binning/internal/bundle
  3:  booster/trust  ptq  binning  gradients  tensorq/store  tree/pack  tree/shapley  tree/leafquantile
  4:  booster/cache  histogram  tree/forced  tree/worth  tree/linear  booster/model/internal/packed  booster/model/internal/jsonform  booster/model/internal/format  booster/model/internal/infer
  5:  tree/grow  booster/model  booster/internal/source  booster/internal/share  booster/internal/dropout  booster/internal/holdout  booster/internal/labels  booster/internal/levels  booster/internal/crosses  booster/internal/checkpoint  booster/internal/budget  booster/internal/workers  booster/internal/sampling  booster/internal/scores  booster/internal/columns  booster/internal/earlystop
  6:  booster  booster/calibrate
  7:  booster/traindata  booster/search  booster/preset  ptq/compress  internal/profile  internal/tensorbench  internal/terminal  internal/output  internal/unseen
  7:  benchmarks/harness  benchmarks/score  benchmarks/synth
  8:  ptq/compress/registry  booster/search/tune  internal/predictions
  8:  benchmarks/peers  benchmarks/accuracy
  9:  configs  internal/report
  9:  benchmarks/coverage  benchmarks/compression  benchmarks/loading  benchmarks/modes  benchmarks/network  benchmarks/parts  benchmarks/scorers  benchmarks/sizes
 10:  cmd/boost/internal/exit  cmd/boost/internal/usage  cmd/boost/internal/badcells  cmd/boost/internal/filename  cmd/boost/internal/complete  cmd/boost/internal/keyflags  cmd/boost/internal/evaluation  cmd/boost/internal/compression  cmd/boost/internal/regdir  cmd/boost/internal/progress  cmd/boost/internal/starter  cmd/boost/internal/ranks
 10:  internal/worker  benchmarks  internal/soak
 11:  cmd/boost

tools:  internal/lint  internal/lint/listing  internal/lint/readme  internal/lint/platforms
tools:  internal/rename  internal/requirements  internal/mutants  internal/transcript
`

// unreachable lists, for a package, those that it must not reach through any
// chain of imports, whatever their layers: a program that only predicts does
// not carry the trainer, and none what is for tests.
var unreachable = map[string][]string{
	"booster/model": {"tree/grow", "gradients", "histogram"},
	"ptq/compress":  {"booster"},
	"cmd/boost":     {"internal/vfs/crashfs", "internal/testenv", "internal/comm/commtest"},
}

// modelLayer is the highest layer whose code can change the bytes of a model.
const modelLayer = 6

// modelMakers are the packages of higher layers whose code can do so too.
var modelMakers = []string{"ptq/compress"}

// place is where a package stands in the picture.
type place struct {
	tool  bool
	layer int
	order int    // reading order in the picture
	inner string // the package whose folder internal it stands in, if any
}

// parsePicture reads the notation of the picture: one line is a layer's number
// or the word tools, a colon, and packages.
func parsePicture(text string) (map[string]place, error) {
	places := map[string]place{}
	order := 0
	for line := range strings.Lines(text) {
		if strings.TrimSpace(line) == "" {
			continue
		}
		key, names, ok := strings.Cut(line, ":")
		if !ok {
			return nil, fmt.Errorf("lint: picture: no colon in %q", strings.TrimSpace(line))
		}
		key = strings.TrimSpace(key)
		at := place{tool: key == "tools"}
		if !at.tool {
			var err error
			if at.layer, err = strconv.Atoi(key); err != nil {
				return nil, fmt.Errorf("lint: picture: %q is neither a layer nor tools", key)
			}
		}
		for _, name := range strings.Fields(names) {
			at.inner = ""
			if owner, _, is := strings.Cut(name, "/internal/"); is {
				at.inner = owner
			}
			if _, twice := places[name]; twice {
				return nil, fmt.Errorf("lint: picture: %s stands there twice", name)
			}
			at.order = order
			order++
			places[name] = at
		}
	}
	return places, nil
}

// mayImport reports whether the picture lets a package at p import one at q.
func (p place) mayImport(q place) bool {
	if p.tool || q.tool {
		return p.tool && q.tool
	}
	if p.layer == q.layer {
		return q.order < p.order && (p.layer <= 1 || p.inner != "" && p.inner == q.inner)
	}
	return q.layer < p.layer
}

// CheckLayers returns what contradicts the picture of the layers.
func CheckLayers(packages []Package) ([]string, error) {
	places, err := parsePicture(picture)
	if err != nil {
		return nil, err
	}
	return append(checkLayers(packages, places, unreachable), checkPicture(packages, places)...), nil
}

// checkPicture returns the packages of the picture that do not exist.
func checkPicture(packages []Package, places map[string]place) []string {
	var findings []string
	for name := range places {
		if !slices.ContainsFunc(packages, func(p Package) bool { return p.Path == name }) {
			findings = append(findings, fmt.Sprintf("the picture of the layers (internal/lint/layers.go) shows %q, which does not exist: remove it", name))
		}
	}
	slices.Sort(findings)
	return findings
}

func checkLayers(packages []Package, places map[string]place, unreachable map[string][]string) []string {
	var findings []string
	imports := map[string][]string{}
	for _, p := range packages {
		imports[p.Path] = p.Imports
		at, known := places[p.Path]
		if !known {
			findings = append(findings, fmt.Sprintf("package %q has no place in the picture of the layers (internal/lint/layers.go): give it one", p.Path))
			continue
		}
		for _, q := range p.Imports {
			to, known := places[q]
			if known && !at.mayImport(to) {
				findings = append(findings, fmt.Sprintf("%s (%s) imports %s (%s): only lower layers may be imported", p.Path, at, q, to))
			}
		}
	}
	for _, p := range packages {
		for _, bad := range unreachable[p.Path] {
			if chain := reach(p.Path, bad, imports, map[string]bool{}); chain != nil {
				findings = append(findings, fmt.Sprintf("%s must not reach %s, but does: %s", p.Path, bad, strings.Join(chain, " → ")))
			}
		}
	}
	slices.Sort(findings)
	return findings
}

func (p place) String() string {
	if p.tool {
		return "tool"
	}
	return fmt.Sprintf("layer %d", p.layer)
}

// reach returns a chain of imports from one package to another, nil if there
// is none.
func reach(from, to string, imports map[string][]string, seen map[string]bool) []string {
	if from == to {
		return []string{to}
	}
	seen[from] = true
	for _, next := range imports[from] {
		if !seen[next] {
			if chain := reach(next, to, imports, seen); chain != nil {
				return append([]string{from}, chain...)
			}
		}
	}
	return nil
}

// ModelPackages returns the packages among those given whose code can change the
// bytes of a model: those of layers 0 to 6, and modelMakers.
func ModelPackages(packages []Package) ([]Package, error) {
	places, err := parsePicture(picture)
	if err != nil {
		return nil, err
	}
	var reaching []Package
	for _, p := range packages {
		if at, known := places[p.Path]; known && !at.tool && (at.layer <= modelLayer || slices.Contains(modelMakers, p.Path)) {
			reaching = append(reaching, p)
		}
	}
	return reaching, nil
}
