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

// SetPlan makes training build histograms by the plan of the given name, and returns what
// undoes this.
func SetPlan(name string) (undo func()) {
	forcedPlan = name
	return func() { forcedPlan = "" }
}

// SetWorthMeasuring makes training measure plans from so many cells on, and returns what
// undoes this.
func SetWorthMeasuring(cells int) (undo func()) {
	before := worthMeasuring
	worthMeasuring = cells
	return func() { worthMeasuring = before }
}

// The bytes of a cache file that measured plans are kept in.
const (
	PlansStart = cacheHeader
	PlansEnd   = cacheStart
)

// PlansWith returns the bytes of plans kept in a cache with other plans in the place of all.
func PlansWith(kept []byte, plan string) []byte {
	plans, err := decodePlans(kept)
	if err != nil {
		panic(err)
	}
	for i := range plans {
		plans[i].Plan = plan
	}
	return encodePlans(plans)
}

// KeepPlan keeps a plan in a cache.
func KeepPlan(path, key, plan string) error { return (&planFile{path: path}).keep(key, plan) }
