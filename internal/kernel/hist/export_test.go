package hist

// EachForm runs test with rows added up by the Go form, and then by the form that the
// machine uses.
func EachForm(test func(form string)) {
	machine := fetching
	defer func() { fetching = machine }()
	fetching = false
	test("in Go")
	if fetching = machine; machine {
		test("in assembly")
	}
}
