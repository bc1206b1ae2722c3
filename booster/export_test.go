package booster

// SetMachineMemory makes training take the machine to have so many bytes, and returns
// what undoes this.
func SetMachineMemory(bytes int64) (undo func()) {
	before := machineMemory
	machineMemory = func() int64 { return bytes }
	return func() { machineMemory = before }
}

// SetEveryHessian makes training do without the shortcut of equal hessians, and returns
// what undoes this.
func SetEveryHessian() (undo func()) {
	everyHessian = true
	return func() { everyHessian = false }
}
