package model_test

import (
	"encoding/json"
	"testing"

	"boost/binning"
	"boost/booster/model"
	"boost/dataset"
	"boost/objectives"
	"boost/tree"
)

// smallContents is a model small enough to follow by hand:
//
//	age    float32   cuts 1.5, 2.5      codes 0 1 2
//	income float64   cut 10, had gaps   codes 0 1, missing 2
//	color  category  red→0 green→1 blue→none
//
//	tree 0: age ≤ 1.5 ── leaf 0 (-1)
//	        └ no: color in {green}, missing left ── leaf 1 (0.5)
//	              └ no: leaf 2 (2)
//	tree 1: income ≤ 10 or missing ── leaf 0 (0.25); no: leaf 1 (-0.75)
//	tree 2: one leaf, 0.125
func smallContents() model.Contents {
	half, third := 0.5, 1.0/3
	return model.Contents{
		Objective: "binary", Link: objectives.Logistic, Outputs: 1, BaseScore: []float64{0.0625},
		Classes: []string{"no", "yes"},
		Params:  json.RawMessage(`{"train.seed":1,"train.rounds":4,"tree":{"leaves":3,"lambda_l2":0.10}}`),
		Schema: dataset.Schema{Columns: []dataset.ColumnSchema{
			{Name: "age", Role: dataset.Feature, Kind: dataset.Float32},
			{Name: "y", Role: dataset.LabelRole, Kind: dataset.Category, Levels: []string{"yes", "no"}},
			{Name: "income", Role: dataset.Feature, Kind: dataset.Float64},
			{Name: "color", Role: dataset.Feature, Kind: dataset.Category, Levels: []string{"red", "green", "blue"}},
			{Name: "row", Role: dataset.IDRole, Kind: dataset.Text},
		}},
		Cuts: &binning.Cuts{
			Features: []binning.Feature{
				{Name: "age", Kind: binning.Numeric32, Regular: 3},
				{Name: "income", Kind: binning.Numeric64, Regular: 2, HasMissing: true},
				{Name: "color", Kind: binning.Categorical, Regular: 2, Codes: []uint32{0, 1, binning.NoCode}},
			},
			Values: []float32{1.5, 2.5}, Ptrs: []uint32{0, 2, 2, 2},
			Values64: []float64{10}, Ptrs64: []uint32{0, 0, 1, 1},
		},
		Trees: []tree.Tree{
			{
				Feature: []int32{0, 2}, Code: []uint32{0, 0}, Categorical: []bool{false, true}, MissingLeft: []bool{false, true},
				Left: []int32{^0, ^1}, Right: []int32{1, ^2}, SetPtrs: []uint32{0, 1}, Sets: []uint32{1},
				Leaf: []float64{-1, 0.5, 2}, Gain: []float32{8, 2.5}, Cover: []float64{9, 5}, LeafCover: []float64{4, 3, 2},
			},
			{
				Feature: []int32{1}, Code: []uint32{0}, Categorical: []bool{false}, MissingLeft: []bool{true},
				Left: []int32{^0}, Right: []int32{^1},
				Leaf: []float64{0.25, -0.75}, Gain: []float32{1.5}, Cover: []float64{9}, LeafCover: []float64{6, 3},
			},
			{Leaf: []float64{0.125}, LeafCover: []float64{9}},
		},
		BestRound: 3,
		History: []model.History{
			{Set: "valid", Metric: "logloss", Values: []*float64{&half, nil, &third, &half}},
		},
		WideRounds:  []model.WideRound{{Round: 1}},
		Fingerprint: "000102030405060708090a0b0c0d0e0f", ValidPrints: []string{"ffeeddccbbaa99887766554433221100"},
		NumericsVersion: 1,
	}
}

func newSmall(t testing.TB) *model.Model {
	t.Helper()
	m, err := model.New(smallContents())
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func encode(t testing.TB, m *model.Model) []byte {
	t.Helper()
	b, err := m.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return b
}
