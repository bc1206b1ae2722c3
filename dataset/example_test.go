package dataset_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"

	"gonum.org/v1/gonum/mat"

	"boost/dataset"
)

func ExampleOpen() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "train.csv")
	text := "age,job,income\n39,clerk,<=50K\n,artist,>50K\n28.5,clerk,<=50K\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		log.Fatal(err)
	}

	table, err := dataset.Open(context.Background(), path, dataset.Label("income"))
	if err != nil {
		log.Fatal(err)
	}
	for _, c := range table.Columns() {
		fmt.Println(c.Name(), c.Kind(), c.Role(), "missing:", c.Missing())
	}
	classes, _ := dataset.ClassesOf(table.LabelColumn())
	fmt.Println(table.NumRows(), "rows, classes", classes)
	// Output:
	// age float32 feature missing: 1
	// job category feature missing: 0
	// income category label missing: 0
	// 3 rows, classes [<=50K >50K]
}

func ExampleFromColumns() {
	table, err := dataset.FromColumns([]dataset.ColumnData{
		{Name: "size", Values: []float64{1.5, 2, 0.25}},
		{Name: "color", Values: []string{"red", "blue", "red"}},
		{Name: "price", Values: []int{10, 20, 5}},
	}, dataset.Label("price"))
	if err != nil {
		log.Fatal(err)
	}
	color := table.Column("color")
	fmt.Println(color.Levels(), color.Codes())
	labels, err := table.NumericLabels()
	fmt.Println(labels, err)
	// Output:
	// [red blue] [0 1 0]
	// [10 20 5] <nil>
}

func ExampleFromMatrix() {
	m := mat.NewDense(2, 2, []float64{1, 2, 3, 4})
	table, err := dataset.FromMatrix(m, []string{"x", "y"}, dataset.Label("y"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(table.Column("x").Float32s(), table.LabelColumn().Float32s())
	// Output: [1 3] [2 4]
}

func ExampleReadStream() {
	train, err := dataset.Read(context.Background(), strings.NewReader("x,y\n1,2\n3,4\n"), "train.csv", dataset.Label("y"))
	if err != nil {
		log.Fatal(err)
	}
	s, err := dataset.ReadStream(context.Background(), strings.NewReader("x\n5\n6\n7\n"), "new.csv", dataset.As(train.Schema()))
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	err = s.Each(context.Background(), func(part *dataset.Table) (func() error, error) {
		sum := float32(0) // by several goroutines, each with a part of its own
		for _, x := range part.Column("x").Float32s() {
			sum += x
		}
		return func() error { // in the order of the rows, one at a time
			fmt.Println("sum", sum)
			return nil
		}, nil
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(s.NumRows(), "rows")
	// Output:
	// sum 18
	// 3 rows
}

func ExampleAs() {
	train, err := dataset.FromColumns([]dataset.ColumnData{
		{Name: "color", Values: []string{"red", "blue"}},
	})
	if err != nil {
		log.Fatal(err)
	}
	// A level that the model has not seen comes after its own.
	other, err := dataset.FromColumns([]dataset.ColumnData{
		{Name: "color", Values: []string{"green", "blue"}},
	}, dataset.As(train.Schema()))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(other.Column("color").Levels(), other.Column("color").Codes())
	// Output: [red blue green] [2 1]
}
