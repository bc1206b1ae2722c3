package booster

// SetMachineMemory makes training take the machine to have so many bytes, and returns
// what undoes this.
func SetMachineMemory(bytes int64) (undo func()) {
	before := machineMemory
	machineMemory = func() int64 { return bytes }
	return func() { machineMemory = before }
}
