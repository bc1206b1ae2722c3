package objectives

import "fmt"

// Options says what a loss cannot tell from its name.
type Options struct {
	Classes int // number of classes of a label that names classes, else 0
}

// Names returns the built-in losses: regression, binary, multiclass.
func Names() []string { return []string{"regression", "binary", "multiclass"} }

// New returns the built-in loss of that name: "regression" (squared error), "binary"
// (log loss of two classes) or "multiclass" (log loss of o.Classes classes, ≥ 2).
func New(name string, o Options) (Objective, error) {
	switch name {
	case "regression":
		return regression{}, nil
	case "binary":
		if o.Classes != 0 && o.Classes != 2 {
			return nil, fmt.Errorf("objective binary needs 2 classes, there are %d (set train.objective = \"multiclass\" or \"regression\")", o.Classes)
		}
		return binary{}, nil
	case "multiclass":
		if o.Classes < 2 {
			return nil, fmt.Errorf("objective multiclass needs at least 2 classes, there are %d", o.Classes)
		}
		return multiclass{o.Classes}, nil
	}
	return nil, fmt.Errorf("unknown objective %q (there are regression, binary, multiclass)", name)
}
