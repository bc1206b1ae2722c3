package binning

import (
	"context"
	"fmt"
)

// choose decides between columns and CSR. CSR has to leave out more than half of the
// cells and to take fewer bytes. And either its sums are cheaper, or columns
// and their row-major copy are too large for the memory.
func (a *assembler) choose(ctx context.Context) (*Matrix, string, error) {
	if err := a.countDefaultBins(ctx); err != nil {
		return nil, "", err
	}
	var cells, codes uint64
	for f := range a.defaultBins {
		cells += uint64(a.defaultBins[f].others)
		codes += uint64(a.nCodes[f])
	}
	all := uint64(a.rows) * uint64(a.nFeatures())
	sparse := csrBytes(a.rows, a.nFeatures(), cells, a.widest())
	implicit := fmt.Sprintf("%.1f %% of the cells have their feature's default bin", 100*float64(all-cells)/float64(max(all, 1)))
	eligible := 2*(all-cells) > all && !a.params.bundleAsked()
	faster := PreferSparse(a.nFeatures(), codes, cells)
	limit := a.nFeatures()
	if eligible && faster {
		// More columns than this take more bytes than CSR, even with half a byte for each code.
		limit = int(min(uint64(limit), sparse/max(padded(U4.bytes(a.rows)), 1)+1))
	}
	groups, err := a.bundles(ctx, limit)
	if err != nil {
		return nil, "", err
	}
	shape := Shape{Rows: a.rows, NCodes: a.groupCodes(groups)}
	dense := shape.Bytes(Params{Layout: LayoutCol, Storage: a.params.Storage})
	reason := fmt.Sprintf("%s, CSR takes %s, columns %s", implicit, readableBytes(sparse), readableBytes(dense))
	if eligible && sparse < dense {
		if faster {
			m, err := a.sparse(ctx, LayoutCSR)
			return m, fmt.Sprintf("%s, and histograms of %d codes cost more than %d cells", reason, codes, cells), err
		}
		if need := shape.Bytes(Params{Layout: LayoutBoth, Storage: a.params.Storage}); a.limit > 0 && need > a.limit/2 {
			m, err := a.sparse(ctx, LayoutCSR)
			return m, fmt.Sprintf("%s, which with a copy by rows are more than half of %s", reason, readableBytes(a.limit)), err
		}
		reason += fmt.Sprintf(", and %d cells cost more than histograms of %d codes", cells, codes)
	}
	m, err := a.columns(ctx, groups)
	return m, reason, err
}

// PreferSparse reports whether a sparse table is better added up without flat histograms: stored cells only, for the
// features of which a node has enough cells. That is so if clearing, subtracting and searching the slots
// of a node costs more than adding up an eighth of the cells, which is a usual node. The figures are rough
// costs: 2 ns a slot and 200 ns a feature of a flat histogram, and 6 ns a cell. Flat histograms of CSR cells
// cost two to six times those of rows, and are never better.
func PreferSparse(features int, codes, cells uint64) bool {
	return features >= manyFeatures || 2*codes+200*uint64(features) > 3*cells/4
}

// manyFeatures is the number of features from which sparse sums are always better. Among so many some have the
// best gain with hardly enough rows on one side, and a histogram without counts has to count those rows one by one.
const manyFeatures = 4096
