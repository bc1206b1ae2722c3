package main

// provers lists, by package or by the folder above it, the packages whose tests follow its own.
var provers = map[string][]string{
	"binning":                  {"booster"},
	"binning/internal/borders": {"binning", "booster"},
	"internal/kernel":          {"booster"},
	"internal/kernel/bin":      {"binning", "booster"},
	"internal/kernel/hist":     {"histogram", "booster"},
	"internal/kernel/scan":     {"tree/grow", "booster"},
	"internal/kernel/codec":    {"tensorq"},
	"histogram":                {"tree/grow", "booster"},
	"gradients":                {"booster"},
	"tree":                     {"booster", "booster/model"},
	"internal/entropy":         {"tree/pack"},
	"booster/internal":         {"booster"},
	"booster/model":            {"booster/model"},
	"tensorq":                  {"ptq"},
	"internal/recordlog":       {"tensorq/store"},
	"internal/replace":         {"booster/cache"},
}

var faults = []fault{
	// Binning: cuts, levels, codes.
	{"binning/internal/borders", `if last < bins {`, `if last <= bins {`},
	{"binning/internal/borders", `share(total-1, i, bins))`, `share(total, i, bins))`},
	{"binning/internal/borders", `return first+2 < bins &&`, `return first+1 < bins &&`},
	{"binning/internal/borders", `end-start >= least {`, `end-start > least {`},
	{"binning/internal/borders", `if len(kept) > first && upTo(last)-start < least {`, `if len(kept) >= max(first, 1) && upTo(last)-start < least {`},
	{"binning/internal/borders", `r.upTo(middle) <= target {`, `r.upTo(middle) < target {`},
	{"binning/internal/borders", `keys[last], ends[last] = key, uint32(i+1)`, `keys[last], ends[last] = key, uint32(i)`},
	{"binning", `dst[int(row)-e.base-lo]`, `dst[int(row)-lo]`},
	{"binning", `own := min(frequent, p.MaxCat)`, `own := min(frequent, p.MaxCat+1)`},
	{"binning", `math.Round(math.Ldexp(w/greatest, 32))`, `math.Round(math.Ldexp(w/greatest, 31))`},
	{"binning", `int(level) < len(f.Codes) && f.Codes[level] != NoCode {`, `int(level) < len(f.Codes) {`},
	{"binning", `c.N > 0 && most >= nCodes {`, `c.N > 0 && most > nCodes {`},
	{"internal/kernel/bin", `if float64(cuts[mid]) < x {`, `if float64(cuts[mid]) <= x {`},
	{"internal/kernel/bin", `lo = len(cuts) + 1`, `lo = len(cuts)`},
	{"internal/kernel/bin", `dst[pairs] = last & 15`, `dst[pairs] = last << 4`},

	// Histograms: sums by code.
	{"internal/kernel/hist", `s[codes[row>>1]>>(row&1<<2)&15] += e`, `s[codes[row>>1]>>(row&1<<1)&15] += e`},
	{"internal/kernel/hist", `if len(entries) > 1 && row&1 == 0 && uint16`, `if len(entries) > 1 && uint16`},
	{"internal/kernel/hist", `from[i] -= w`, `from[i] += w`},
	{"internal/kernel/hist", `Join(grad[i], hess[i]) - w`, `Join(grad[i], hess[i]) + w`},
	{"internal/kernel/hist", `left -= word`, `left += word`},
	{"internal/kernel/hist", `l.Slots[starts[row]:starts[row+1]]`, `l.Slots[starts[row]+1:starts[row+1]]`},
	{"histogram", `inWords: packs && rows+b.beside <= wordRows,`, `inWords: packs,`},
	{"histogram", `if s.rows+len(entries) > hist.WordRows {`, `if s.rows > hist.WordRows {`},
	{"histogram", `dropResidue(h.GradF[lo:hi], h.HessF[lo:hi], h.Count[lo:hi])`, ``},
	{"gradients", `if s > g.cut {`, `if s >= g.cut {`},
	{"gradients", `l.Error > l.Magnitude/100`, `l.Error > l.Magnitude/90`},
	{"internal/kernel/partition", `left[codes[row>>1]>>(row&1<<2)&15])`, `left[codes[row>>1]>>(row&1<<1)&15])`},

	// The search for a split, and growth.
	{"internal/kernel/scan", `left.Gain == right.Gain && left.Code <= right.Code)`, `left.Gain == right.Gain && left.Code < right.Code)`},
	{"internal/kernel/scan", `if leftHess < atLeast || rightHess < atLeast {`, `if leftHess < atLeast {`},
	{"internal/kernel/scan", `if hl < r.MinChild || hr < r.MinChild {`, `if hl < r.MinChild {`},
	{"internal/kernel/scan", `if !(gain > best) {`, `if !(gain >= best) {`},
	{"internal/kernel/scan", `uint64(left.Hess) <= r.ProofHess ||`, `uint64(left.Hess) < r.ProofHess ||`},
	{"internal/kernel/scan", `return g + r.L1`, `return g - r.L1`},
	{"internal/kernel/scan", `rows += uint64(counts[first]); rows >= least {`, `rows += uint64(counts[first]); rows > least {`},
	{"internal/kernel/scan", `if group < rule.MinPerGroup {`, `if group <= rule.MinPerGroup {`},
	{"internal/kernel/scan", `for ; next <= int(code); next++ {`, `for ; next < int(code); next++ {`},
	{"internal/kernel/scan", `math.Float64bits(least) - 1)`, `math.Float64bits(least))`},
	{"tree/grow", `rows >= 2*max(g.config.Params.MinDataInLeaf, 1)`, `rows > 2*max(g.config.Params.MinDataInLeaf, 1)`},
	{"tree/grow", `n.depth < p.MaxDepth)`, `n.depth <= p.MaxDepth)`},
	{"tree/grow", `missingLeft = leftRows >= rightRows`, `missingLeft = leftRows > rightRows`},
	{"tree/grow", `f.rank(int(at)) >= score {`, `f.rank(int(at)) < score {`},
	{"tree/grow", `return exponent - 31`, `return exponent - 24`},

	// Judging: sets, metrics, early stopping.
	{"booster", `Weights: s.weights, Queries: s.queries, Gains: j.gains,`, `Queries: s.queries, Gains: j.gains,`},
	{"booster", `if s.weights, err = table.Weights(); err != nil {`, `if _, err = table.Weights(); err != nil {`},
	{"booster/internal/earlystop", `rounds-max(s.BestRound, s.First) >= s.Rounds`, `rounds-s.BestRound >= s.Rounds`},
	{"booster", `if j.early && len(j.evals) > 0 {`, `if !j.early && len(j.evals) > 0 {`},
	{"booster", `(round+1)%b.p.MetricsEvery == 0 ||`, `round%b.p.MetricsEvery == 0 ||`},
	{"booster", `MetricsEvery == 0 || round+1 == b.first+b.p.Rounds`, `MetricsEvery == 0`},
	{"booster", `holdout.Draw(answers.Columns[0], len(target.classes), groups,`, `holdout.Draw(answers.Columns[0], 0, groups,`},

	// Packing: codes of tensors, trees and models.
	{"tensorq", `(n%8*bits+7)/8`, `(n%8*bits+8)/8`},
	{"tensorq", `codes[n/2]>>4 != 0 {`, `codes[n/2]&15 != 0 {`},
	{"tensorq", `float64(len(values))*fraction))), len(values)-1)`, `float64(len(values))*fraction))), len(values)-2)`},
	{"tensorq", `half > f16Largest {`, `half >= f16Largest {`},
	{"internal/kernel/codec", `min(int32(float64(math.Float32frombits(bits&magnitude))/s+0.5), limit)`, `min(int32(float64(math.Float32frombits(bits&magnitude))/s+0.5), limit+1)`},
	{"internal/kernel/codec", `max(-8, min(7, low))&15`, `max(-7, min(7, low))&15`},
	{"internal/entropy", `for ; c.bytes[i] == 0xff; i-- {`, `for ; c.bytes[i] == 0xfe; i-- {`},
	{"internal/entropy", `if number-uint64(c.low) >= uint64(c.width) {`, `if number-uint64(c.low) > uint64(c.width) {`},
	{"tree/pack", `append(rest, t.Right[at], t.Left[at])`, `append(rest, t.Left[at], t.Right[at])`},
	{"tree/pack", `if gap >= uint64(regular)-next {`, `if gap > uint64(regular)-next {`},
	{"booster/model/internal/format", `!(x > cuts[i-1])`, `!(x >= cuts[i-1])`},
	{"booster/model/internal/packed", `code < -half || code >= half:`, `code < -half || code > half:`},

	{"booster/model/internal/format", `if CrcHex(data[i]) != e.CRC {`, `if false {`},
	{"ptq", "case err != nil:\n\t\treturn Active{}, err", "case err != nil && s.master == nil:\n\t\treturn Active{}, err"},
	{"ptq", "v, existed, err := s.morph(d, c)", "v, existed, err := s.morph(d, c)\n\t\tif err != nil && s.master != nil {\n\t\t\tv, err = s.master, nil\n\t\t}"},

	// The store and its log.
	{"tensorq/store", `score >= c.WarmScore:`, `score > c.WarmScore:`},
	{"tensorq/store", `r.bytes+size > r.cap {`, `r.bytes+size >= r.cap {`},
	{"tensorq/store", `len(chain) - 1; depth > s.cfg.MaxDepth {`, `len(chain) - 1; depth >= s.cfg.MaxDepth {`},
	{"tensorq/store", `} else if e.Seq > t.seq {`, `} else {`},
	{"tensorq/store", "if err := s.unchanged(l, chain); err != nil {\n\t\treturn err\n\t}\n\tif err := s.mayDrop", "if err := s.mayDrop"},
	{"tensorq/store", "if err := s.unchanged(l, nil); err != nil {\n\t\treturn err\n\t}", ""},
	{"tensorq/store", `append([]link{*l}, chain...)`, `append([]link{*l}, chain[:0]...)`},
	// Syncs: what a loss of power takes.
	{"internal/replace", `if err := d.File.Sync(); err != nil {`, `if err := error(nil); err != nil {`},
	{"internal/replace", `if err := d.fsys.SyncDir(filepath.Dir(d.target)); err != nil {`, `if err := error(nil); err != nil {`},
	{"internal/replace", `if err := d.sync(); err != nil {`, `if err := error(nil); err != nil {`},
	{"internal/recordlog", `if err := fsys.SyncDir(parent); err != nil && !`, `if err := error(nil); err != nil && !`},
	{"internal/recordlog", `if err := l.fsys.SyncDir(l.dir); err != nil {`, `if err := error(nil); err != nil {`},
	{"internal/recordlog", `err = l.fsys.SyncDir(l.dir)`, `err = nil // no SyncDir`},
	{"internal/recordlog", `if err := l.file.Sync(); err != nil {
		l.broken = brokenBy(err)
		return l.broken`, `if err := error(nil); err != nil {
		l.broken = brokenBy(err)
		return l.broken`},
	{"internal/recordlog", `if err := l.file.Sync(); err != nil {
		// What of it`, `if err := error(nil); err != nil {
		// What of it`},
	{"internal/recordlog", `if err := l.rewrite(); err != nil {`, `if err := error(nil); err != nil { // no Sync of what is older`},
	{"tensorq/store", `if err := s.writer.Sync(); err != nil {
		return &UnsyncedError`, `if err := error(nil); err != nil {
		return &UnsyncedError`},
	{"ptq/compress/registry", `if err := r.writer.Sync(); err != nil {
		return &UnsyncedError`, `if err := error(nil); err != nil {
		return &UnsyncedError`},
	{"internal/recordlog", `if s.synced > s.end {`, `if s.synced >= s.end {`},
	{"internal/recordlog", `at += int64(n - recordHeader + 1)`, `at += int64(n)`},
	{"internal/recordlog", `case h.seq < s.next || h.seq == ^uint64(0):`, `case h.seq == ^uint64(0):`},
	{"internal/recordlog", `(unfinished || gen != l.gen) {`, `!unfinished && gen != l.gen {`},
	{"internal/recordlog", `case told > gen:`, `case told > gen+1:`},
	{"internal/recordlog", `return v.contradicts(i)`, `return nil`},
	{"ptq/compress/registry", `if !there && !r.log.Empty() {`, `if !there && r.cfg.MaxDepth < 0 {`},
	{"ptq/compress/registry", `_ = r.log.Abandon()`, `_ = r.log.Close()`},
	{"ptq/compress/registry", `:= r.tensors.Vouched(), r.vouched()`, `:= store.Position{}, r.vouched()`},
}
