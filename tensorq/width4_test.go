package tensorq_test

import "boost/tensorq"

// What a new width takes: one file with this line.
func init() { tensorq.MustRegister(tensorq.Symmetric(4)) }
