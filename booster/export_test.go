package booster

import "boost/booster/internal/budget"

// MachineMemory makes training take the machine to have so many bytes.
func MachineMemory(bytes int64) Option { return func(o *options) { o.memory = budget.Machine(bytes) } }

// OnMachineOf is the input on a machine of so many bytes.
func (in Input) OnMachineOf(bytes int64) Input {
	in.memory = budget.Machine(bytes)
	return in
}

// EveryHessian makes training do without the shortcut of equal hessians.
func EveryHessian() Option { return func(o *options) { o.everyHessian = true } }
