package hist

import "boost/internal/cpu"

// EachForm runs test with rows added up by the Go form, and then by the form that the
// machine uses.
func EachForm(test func(form string)) {
	UseGo(true)
	test("in Go")
	UseGo(false)
	if machine {
		test("in assembly")
	}
}

// UseGo makes all rows be added up by the Go form, or again by the machine's.
func UseGo(in bool) { fetching = !in && machine }

var machine = fetching

// Compare makes columns of few codes be compared with an instruction set, and says whether
// there is a form for it here. UseBest goes back to the machine's choice.
func Compare(set cpu.Level) bool {
	comparing = min(set, machineCompares)
	return comparing == set
}

// UseBest is the machine's way to compare.
func UseBest() { comparing = machineCompares }

var machineCompares = comparing
