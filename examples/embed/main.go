// Command embed is a program of its own module that trains a model, keeps it
// and asks it for predictions. Its go.mod shows how a module imports boost from
// a checkout.
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"boost/booster"
	"boost/dataset"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) != 2 {
		log.Fatal("usage: embed ../adult")
	}
	answers, err := earners(context.Background(), os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	for _, p := range answers {
		fmt.Printf("%.3f\n", p)
	}
}

// earners trains on the census table in folder and returns, for two people who
// are not in it, the probability of earning more than 50,000 dollars a year.
func earners(ctx context.Context, folder string) ([]float64, error) {
	train, err := dataset.Open(ctx, filepath.Join(folder, "train.csv.gz"), dataset.Label("income"))
	if err != nil {
		return nil, err
	}
	params := booster.Defaults()
	params.Objective = "binary"
	params.Rounds = 40
	trained, err := booster.Train(ctx, params, train)
	if err != nil {
		return nil, err
	}

	// A service would load the file once; the loaded model may be used from any
	// number of goroutines.
	file := filepath.Join(os.TempDir(), fmt.Sprintf("embed-%d.boost", os.Getpid()))
	defer os.Remove(file)
	if err := trained.Save(file); err != nil {
		return nil, err
	}
	loaded, err := booster.LoadModel(file)
	if err != nil {
		return nil, err
	}

	people, err := dataset.FromColumns([]dataset.ColumnData{
		{Name: "age", Values: []int{24, 48}},
		{Name: "workclass", Values: []string{"Private", "Self-emp-inc"}},
		{Name: "fnlwgt", Values: []int{200000, 200000}},
		{Name: "education", Values: []string{"11th", "Doctorate"}},
		{Name: "education_num", Values: []int{7, 16}},
		{Name: "marital_status", Values: []string{"Never-married", "Married-civ-spouse"}},
		{Name: "occupation", Values: []string{"Handlers-cleaners", "Prof-specialty"}},
		{Name: "relationship", Values: []string{"Own-child", "Husband"}},
		{Name: "race", Values: []string{"White", "White"}},
		{Name: "sex", Values: []string{"Female", "Male"}},
		{Name: "capital_gain", Values: []int{0, 0}},
		{Name: "capital_loss", Values: []int{0, 0}},
		{Name: "hours_per_week", Values: []int{20, 55}},
		{Name: "native_country", Values: []string{"", "United-States"}}, // unknown is allowed
	}, dataset.As(loaded.Schema()))
	if err != nil {
		return nil, err
	}
	return loaded.Predict(ctx, people)
}
