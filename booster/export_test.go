package booster

import "boost/booster/internal/budget"

// MachineMemory makes training take the machine to have so many bytes.
func MachineMemory(bytes int64) Option { return func(o *options) { o.memory = budget.Machine(bytes) } }

// EveryHessian makes training do without the shortcut of equal hessians.
func EveryHessian() Option { return func(o *options) { o.everyHessian = true } }
