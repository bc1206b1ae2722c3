package booster_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
	"slices"
	"testing"

	"boost/booster"
	"boost/booster/model"
	"boost/dataset"
	"boost/internal/testenv"
	"boost/tree"
	"boost/tree/pack"
)

// packedHashes are of the packed trees of models of 20 rounds: the same bytes everywhere.
// They change with what is trained, and with the form: docs/format.md.
var packedHashes = map[string]string{
	"adult":        "cf865d7bc62bcca62f98515807269147372a83b3998e3efc7f8535580734a61b",
	"ames_housing": "1335dc065140fe9ca01684f376b86431d02b1207fe2a4049daee188618656522",
	"wine_quality": "3cac08eb5a124cded2163535916c52bcc45fbc68e966367a227512033c9c6b79",
}

// TestPackedTrees packs the trees of trained models and puts the models together again of what
// is read: they predict the same bits.
func TestPackedTrees(t *testing.T) {
	testenv.Unraced(t)
	for _, s := range shipped {
		t.Run("S3.57/"+s.name, func(t *testing.T) {
			ctx := context.Background()
			folder := filepath.Join("..", "examples", s.name)
			train, err := dataset.Open(ctx, filepath.Join(folder, "train.csv.gz"), append(s.options, dataset.Label(s.label))...)
			if err != nil {
				t.Fatal(err)
			}
			test, err := dataset.Open(ctx, filepath.Join(folder, "test.csv.gz"), append(s.options, dataset.As(train.Schema()))...)
			if err != nil {
				t.Fatal(err)
			}
			p := booster.Defaults()
			p.Objective, p.Rounds = s.objective, 20
			whole, err := booster.Train(ctx, p, train)
			if err != nil {
				t.Fatal(err)
			}
			c := whole.Contents().Narrow(model.KnownNames)
			features := model.Features(c.Cuts)
			b := pack.Write(c.Trees, features, c.Outputs)
			if sum := sha256.Sum256(b); hex.EncodeToString(sum[:]) != packedHashes[s.name] {
				t.Errorf("sha256 of the packed trees is %x, want %s", sum, packedHashes[s.name])
			}
			c.Trees = unpacked(t, b, c.Trees, features, c.Outputs)
			narrow, err := model.New(c)
			if err != nil {
				t.Fatal(err)
			}
			want, err := whole.PredictRaw(ctx, test)
			if err != nil {
				t.Fatal(err)
			}
			got, err := narrow.PredictRaw(ctx, test)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(got, want) {
				t.Error("the packed model predicts otherwise")
			}
		})
	}
}

// unpacked reads packed trees and gives them the leaf values and statistics that they had.
func unpacked(t *testing.T, b []byte, had []tree.Tree, features []tree.Feature, outputs int) []tree.Tree {
	t.Helper()
	r, err := pack.NewReader(b, len(had), features, outputs)
	if err != nil {
		t.Fatal(err)
	}
	trees := make([]tree.Tree, len(had))
	for i := range trees {
		if err := r.Next(&trees[i]); err != nil {
			t.Fatal(err)
		}
		trees[i].Leaf, trees[i].LeafCover = had[i].Leaf, had[i].LeafCover
		trees[i].Gain, trees[i].Cover = had[i].Gain, had[i].Cover
	}
	return trees
}
