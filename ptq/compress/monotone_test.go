package compress_test

import (
	"context"
	"strings"
	"testing"

	"boost/booster"
	"boost/dataset"
	"boost/ptq"
	"boost/ptq/compress"
)

// Leaves of a monotone model stay in order when it is pruned and where one scale rounds them. A form of many scales keeps them in
// order or is refused.
func TestMonotoneModels(t *testing.T) {
	for _, method := range []string{"basic", "advanced"} {
		t.Run(method, func(t *testing.T) { checkMonotone(t, method) })
	}
}

func checkMonotone(t *testing.T, method string) {
	ctx := context.Background()
	table := mixed(t, "regression", 1, 4000)
	p := booster.Defaults()
	p.Objective, p.Rounds, p.Tree.Monotone, p.Tree.MonotoneMethod = "regression", 40, map[string]int{}, method
	for _, c := range table.Columns() {
		if c.Role() == dataset.Feature && c.Kind() != dataset.Category {
			p.Tree.Monotone[c.Name()] = 1 - 2*(len(p.Tree.Monotone)%2)
		}
	}
	m, err := booster.Train(ctx, p, table)
	if err != nil {
		t.Fatal(err)
	}
	directions := m.Contents().Directions()
	inOrder := func(what string, m *booster.Model) {
		t.Helper()
		for i := range m.Contents().Trees {
			if at := m.Contents().Trees[i].OutOfOrder(directions); at >= 0 {
				t.Fatalf("%s: split %d of tree %d is out of order", what, at, i)
			}
		}
	}
	inOrder("trained", m)
	for step, err := range compress.PruneSteps(ctx, m, mixed(t, "regression", 2, 3000), compress.PruneParams{Leaves: 60}) {
		if err != nil {
			t.Fatal(err)
		}
		pruned, err := step.Model()
		if err != nil {
			t.Fatal(err)
		}
		inOrder("pruned", pruned)
	}
	for _, name := range ptq.FormNames(ptq.Forms()) {
		form, err := ptq.ParseForm(name)
		if err != nil {
			t.Fatal(err)
		}
		leaves, err := compress.MorphModel(m, form, compress.Calibration{})
		if err != nil {
			continue // of a form that takes no leaves
		}
		narrow, err := leaves.Apply(m)
		if err == nil {
			inOrder(name, narrow)
		} else if !strings.Contains(err.Error(), "constraints.monotone") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
