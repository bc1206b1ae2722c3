package hist

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
