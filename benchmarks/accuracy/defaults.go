package accuracy

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"boost/benchmarks/harness"
	"boost/booster"
	"boost/booster/preset"
	"boost/booster/search"
	"boost/dataset"
	"boost/internal/detmath"
)

// Sets with so many training rows are in the study of the defaults.
const fewestRows, mostRows = 900, 200_000

// stopping is added to a split's number where its stopping rows are drawn.
const stopping = 1000

// DefaultsResult is a trainer on one split of a set.
type DefaultsResult struct {
	Loss   float64 `json:"loss"`
	CPU    float64 `json:"cpu"` // seconds, of finding cuts and training
	Rounds int     `json:"rounds"`
}

// DefaultsRecord holds results by set, trainer (of boost: effort) and split: "0", "1" and so on.
type DefaultsRecord struct {
	Machine  harness.Machine                                 `json:"machine"`
	Sets     map[string]map[string]map[string]DefaultsResult `json:"sets"`
	Versions map[string]string                               `json:"versions,omitempty"`
}

// Add puts a result in.
func (r *DefaultsRecord) Add(set, trainer, split string, result DefaultsResult) {
	if r.Sets == nil {
		r.Sets = map[string]map[string]map[string]DefaultsResult{}
	}
	if r.Sets[set] == nil {
		r.Sets[set] = map[string]map[string]DefaultsResult{}
	}
	if r.Sets[set][trainer] == nil {
		r.Sets[set][trainer] = map[string]DefaultsResult{}
	}
	r.Sets[set][trainer][split] = result
}

// InStudy reports whether a set is in the study of the defaults.
func (s *Set) InStudy() bool { return s.TrainRows >= fewestRows && s.TrainRows <= mostRows }

// StudySplit parts the rows of a split of the study: to train on, to stop by (a tenth of those that are not
// held out) and held out. benchmarks/python/split.py makes the same.
func StudySplit(split int, classes []float64) (train, stop, held []int32) {
	rest, held := Split(split, classes)
	keys := make([]float64, len(rest))
	for i, row := range rest {
		keys[i] = classes[row]
	}
	train, stop = parts(split+stopping, rest, keys, 10)
	return train, stop, held
}

// TrainByDefaults trains on a split of the set, on one thread, with what parameters are for such a table, and returns the
// loss on the rows held out.
func (s *Set) TrainByDefaults(ctx context.Context, table *dataset.Table, split int, parameters func(preset.Table) (booster.Params, error)) (DefaultsResult, error) {
	train, stop, held := StudySplit(split, classKeys(s, table))
	rows := slices.Concat(train, stop)
	slices.Sort(rows)
	seen := table.Take(rows)
	about := preset.TableOf(booster.InMemory(seen), s.Task)
	about.Blend = true
	p, err := parameters(about)
	if err != nil {
		return DefaultsResult{}, err
	}
	p.Objective, p.Threads = s.Task, 1
	began := harness.ProcessorSeconds()
	var m *booster.Model
	switch {
	case p.BagFolds > 0:
		m, err = search.Bag(ctx, p, seen, search.Bagging{})
	case p.Blend > 0:
		m, err = search.Blend(ctx, p, booster.InMemory(seen), search.Blending{Train: places(train, rows), Valid: places(stop, rows)})
	default:
		m, err = booster.Train(ctx, p, seen, booster.OnRows(places(train, rows), places(stop, rows)))
	}
	if err != nil {
		return DefaultsResult{}, fmt.Errorf("split %d: %w", split, err)
	}
	cpu := harness.ProcessorSeconds() - began
	loss, err := s.LossOf(ctx, m, table.Take(held))
	return DefaultsResult{loss, math.Round(100*cpu) / 100, m.Rounds()}, err
}

// places returns where numbers stand in a list that ascends.
func places(numbers, list []int32) []int32 {
	found := make([]int32, len(numbers))
	for i, n := range numbers {
		at, _ := slices.BinarySearch(list, n)
		found[i] = int32(at)
	}
	return found
}

// StudyPeers are the trainers that the study sets boost beside; the first Ranked of them and boost are ranked.
var StudyPeers = []string{"CatBoost", "LightGBM", "LGBM-TD", "XGB-TD", "CatBoost-TD", "HGB"}

// Ranked is how many of StudyPeers are ranked together with boost.
const Ranked = 4

// studyRow is what the study found on one set: means over the splits that all trainers have.
type studyRow struct {
	set, metric string
	splits      []string
	ours        DefaultsResult
	peers       []DefaultsResult // of StudyPeers
	ranks       []float64        // of boost and the first Ranked peers, from 1; those of equal losses are the mean of theirs
	solved      bool             // losses are too small to be compared
}

// rows returns the sets on which boost and all peers were trained on the same splits.
func (r *DefaultsRecord) rows(peers *DefaultsRecord, sets []*Set, effort string) []studyRow {
	var rows []studyRow
	for _, s := range sets {
		row := studyRow{set: s.Name, metric: s.Metric()}
		for _, split := range slices.Sorted(maps.Keys(r.Sets[s.Name][effort])) {
			if !slices.ContainsFunc(StudyPeers, func(p string) bool { _, has := peers.Sets[s.Name][p][split]; return !has }) {
				row.splits = append(row.splits, split)
			}
		}
		if row.splits == nil {
			continue
		}
		row.ours = meanOf(r.Sets[s.Name][effort], row.splits)
		best := row.ours.Loss
		for _, p := range StudyPeers {
			peer := meanOf(peers.Sets[s.Name][p], row.splits)
			row.peers = append(row.peers, peer)
			best = min(best, peer.Loss)
		}
		row.ranks = ranksOf(append([]float64{row.ours.Loss}, lossesOf(row.peers[:Ranked])...))
		row.solved = best < lowShare*s.Reference.Constant
		rows = append(rows, row)
	}
	return rows
}

func lossesOf(results []DefaultsResult) []float64 {
	losses := make([]float64, len(results))
	for i, r := range results {
		losses[i] = r.Loss
	}
	return losses
}

// ranksOf ranks losses from 1 for the least.
func ranksOf(losses []float64) []float64 {
	ranks := make([]float64, len(losses))
	for i, loss := range losses {
		ranks[i] = 0.5
		for _, other := range losses {
			if other < loss {
				ranks[i]++
			} else if other == loss {
				ranks[i] += 0.5
			}
		}
	}
	return ranks
}

// nemenyi5 are the quantiles of the studentized range at 5 %, divided by √2, of 2 to 10 trainers (Demšar 2006, table 5a).
var nemenyi5 = []float64{1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164}

// criticalDifference is by how much mean ranks of so many trainers on so many sets have to differ for it not to be chance (Nemenyi, 5 %).
func criticalDifference(trainers, sets int) float64 {
	return nemenyi5[trainers-2] * math.Sqrt(float64(trainers*(trainers+1))/float64(6*sets))
}

// meanOf averages results over splits. Times below a hundredth of a second count as that.
func meanOf(results map[string]DefaultsResult, splits []string) DefaultsResult {
	var sum DefaultsResult
	for _, split := range splits {
		r := results[split]
		sum.Loss, sum.CPU, sum.Rounds = sum.Loss+r.Loss, sum.CPU+max(r.CPU, 0.01), sum.Rounds+r.Rounds
	}
	n := len(splits)
	return DefaultsResult{sum.Loss / float64(n), sum.CPU / float64(n), sum.Rounds / n}
}

// StudyMeans are geometric means over the sets of the study, beside StudyPeers.
type StudyMeans struct {
	Sets         int
	Loss, CPU    []float64 // boost's to each peer's; ratios of losses are limited as those of the accuracy tables
	Ranks        []float64 // means of boost and the first Ranked peers, 1 … Ranked + 1
	Small        float64   // loss to CatBoost's on sets of under 3,000 rows
	SmallSets    int
	OwnCPU       float64
	PeerCPU      []float64
	RelativeLoss []float64 // of boost, then of StudyPeers: to the best of all on a set
}

// Means returns the means of an effort.
func (r *DefaultsRecord) Means(peers *DefaultsRecord, sets []*Set, effort string) StudyMeans {
	m := StudyMeans{Ranks: make([]float64, 1+Ranked), Loss: make([]float64, len(StudyPeers)), CPU: make([]float64, len(StudyPeers)), PeerCPU: make([]float64, len(StudyPeers)), RelativeLoss: make([]float64, 1+len(StudyPeers))}
	rowsOf := map[string]int{}
	for _, s := range sets {
		rowsOf[s.Name] = s.TrainRows
	}
	for _, row := range r.rows(peers, sets, effort) {
		if row.solved {
			continue
		}
		m.Sets++
		for i, rank := range row.ranks {
			m.Ranks[i] += rank
		}
		m.OwnCPU += detmath.Log(row.ours.CPU)
		best := row.ours.Loss
		for i, peer := range row.peers {
			best = min(best, peer.Loss)
			m.Loss[i] += detmath.Log(min(max(row.ours.Loss/peer.Loss, ratioMin), ratioMax))
			m.CPU[i] += detmath.Log(row.ours.CPU / peer.CPU)
			m.PeerCPU[i] += detmath.Log(peer.CPU)
		}
		m.RelativeLoss[0] += detmath.Log(min(row.ours.Loss/best, ratioMax))
		for i, peer := range row.peers {
			m.RelativeLoss[1+i] += detmath.Log(min(peer.Loss/best, ratioMax))
		}
		if rowsOf[row.set] < 3000 {
			m.SmallSets++
			m.Small += detmath.Log(min(max(row.ours.Loss/row.peers[0].Loss, ratioMin), ratioMax))
		}
	}
	n := float64(m.Sets)
	for i := range m.Ranks {
		m.Ranks[i] /= n
	}
	m.OwnCPU, m.Small = detmath.Exp(m.OwnCPU/n), detmath.Exp(m.Small/float64(m.SmallSets))
	for _, list := range [][]float64{m.Loss, m.CPU, m.PeerCPU, m.RelativeLoss} {
		for i := range list {
			list[i] = detmath.Exp(list[i] / n)
		}
	}
	return m
}

// Tables returns the study's tables in Markdown, for docs/defaults.md.
func (r *DefaultsRecord) Tables(peers *DefaultsRecord, sets []*Set, efforts []string) string {
	var b strings.Builder
	var versions []string
	for _, name := range slices.Sorted(maps.Keys(peers.Versions)) {
		versions = append(versions, name+" "+peers.Versions[name])
	}
	fmt.Fprintf(&b, "Peers: %s. Machine: %s.\n", strings.Join(versions, ", "), r.Machine)
	for _, effort := range efforts {
		m := r.Means(peers, sets, effort)
		if m.Sets == 0 {
			continue
		}
		fmt.Fprintf(&b, "\n**Effort %q**, geometric means over %d sets; to CatBoost on the %d sets under 3,000 rows %.3f. Mean ranks: boost %.2f", effort, m.Sets, m.SmallSets, m.Small, m.Ranks[0])
		for i, peer := range StudyPeers[:Ranked] {
			fmt.Fprintf(&b, ", %s %.2f", peer, m.Ranks[1+i])
		}
		fmt.Fprintf(&b, "; what differs by less than %.2f may be chance (Nemenyi, 5 %%).\n\n", criticalDifference(Ranked+1, m.Sets))
		fmt.Fprintf(&b, "| boost's … to that of | %s |\n|---|%s\n| loss |", strings.Join(StudyPeers, " | "), strings.Repeat("--:|", len(StudyPeers)))
		for i := range StudyPeers {
			fmt.Fprintf(&b, " %.3f |", m.Loss[i])
		}
		b.WriteString("\n| processor time |")
		for i := range StudyPeers {
			fmt.Fprintf(&b, " %.3f |", m.CPU[i])
		}
		b.WriteString("\n")
	}
	fmt.Fprintf(&b, "\n| set | splits | metric | boost | seconds | rounds | to %s |\n|---|--:|---|--:|--:|--:|%s\n", strings.Join(StudyPeers, " | to "), strings.Repeat("--:|", len(StudyPeers)))
	for _, row := range r.rows(peers, sets, efforts[0]) {
		fmt.Fprintf(&b, "| %s | %d | %s | %s | %.2f | %d |", row.set, len(row.splits), row.metric, figure(row.ours.Loss), row.ours.CPU, row.ours.Rounds)
		for _, peer := range row.peers {
			if row.solved {
				b.WriteString(" – |")
			} else {
				fmt.Fprintf(&b, " %.3f |", row.ours.Loss/peer.Loss)
			}
		}
		b.WriteString("\n")
	}
	return b.String()
}

// Picture returns an SVG in which each trainer is a point: processor time to the right, on a logarithmic scale, and upwards how far
// its loss is above that of the best trainer on a set; both geometric means.
func (r *DefaultsRecord) Picture(peers *DefaultsRecord, sets []*Set, efforts []string) string {
	type point struct {
		name      string
		cpu, loss float64
	}
	var points []point
	for i, effort := range efforts {
		m := r.Means(peers, sets, effort)
		points = append(points, point{"boost, " + effort, m.OwnCPU, m.RelativeLoss[0]})
		for k, peer := range StudyPeers {
			if i == 0 {
				points = append(points, point{peer, m.PeerCPU[k], m.RelativeLoss[1+k]})
			}
		}
	}
	const width, height, left, bottom = 640, 360, 60, 310
	lowest, highest, top := math.Inf(1), 0.0, 0.0
	for _, p := range points {
		lowest, highest, top = min(lowest, p.cpu), max(highest, p.cpu), max(top, p.loss-1)
	}
	from, to := 0.001, 0.01
	for from*10 <= lowest {
		from *= 10
	}
	for to < highest {
		to *= 10
	}
	lowest, highest = from, to
	x := func(cpu float64) float64 {
		return left + (width-left-110)*detmath.Log(cpu/lowest)/detmath.Log(highest/lowest)
	}
	y := func(loss float64) float64 { return bottom - (bottom-30)*(loss-1)/(1.1*top) }
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="12">`+"\n<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n", width, height)
	for cpu := lowest; cpu <= highest*1.01; cpu *= 10 {
		fmt.Fprintf(&b, `<path d="M%.1f 30V%d" stroke="#ddd"/><text x="%.1f" y="%d" text-anchor="middle">%g s</text>`+"\n", x(cpu), bottom, x(cpu), bottom+16, cpu)
	}
	for share := 0.0; share <= 1.1*top; share += 0.05 {
		fmt.Fprintf(&b, `<path d="M%d %.1fH%d" stroke="#ddd"/><text x="%d" y="%.1f" text-anchor="end">+%.0f %%</text>`+"\n", left, y(1+share), width-110, left-6, y(1+share)+4, 100*share)
	}
	fmt.Fprintf(&b, `<text x="%d" y="%d">processor time</text><text x="%d" y="20">loss above that of the best</text>`+"\n", left, bottom+36, left)
	for _, p := range points {
		color := "#888"
		if strings.HasPrefix(p.name, "boost") {
			color = "#c00"
		}
		fmt.Fprintf(&b, `<circle cx="%.1f" cy="%.1f" r="5" fill="%s"/><text x="%.1f" y="%.1f">%s</text>`+"\n", x(p.cpu), y(p.loss), color, x(p.cpu)+8, y(p.loss)+4, p.name)
	}
	b.WriteString("</svg>\n")
	return b.String()
}
