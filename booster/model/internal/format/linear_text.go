package format

import (
	"fmt"

	"boost/tree"
)

// linearForm is the JSON form of the linear leaves of a tree.
type linearForm struct {
	Lengths     listText `json:"lengths"` // coefficients of each leaf
	Constant    listText `json:"constant"`
	Feature     listText `json:"feature"`
	Coefficient listText `json:"coefficient"`
}

// read reads linear leaves after their lists are known to have the lengths of so many leaves; nil for none.
func (f *linearForm) read(leaves int) (*tree.Linear, error) {
	if f == nil {
		return nil, nil
	}
	n, err := f.Coefficient.len(isNumber)
	if err != nil {
		return nil, err
	}
	for _, list := range []struct {
		name string
		text listText
		want int
	}{{"lengths", f.Lengths, leaves}, {"constant", f.Constant, leaves}, {"feature", f.Feature, n}} {
		if got, err := list.text.len(isNumber); err != nil || got != list.want {
			return nil, fmt.Errorf("%s of linear leaves has %d entries instead of %d (%v)", list.name, got, list.want, err)
		}
	}
	l := &tree.Linear{Ptrs: make([]uint32, 1, leaves+1)}
	lengths, err := listOf(f.Lengths, isNumber, readCode)
	if err != nil {
		return nil, err
	}
	end := uint64(0)
	for _, length := range lengths {
		if end += uint64(length); end > uint64(n) {
			return nil, fmt.Errorf("linear leaves have %d coefficients, their tree %d", end, n)
		}
		l.Ptrs = append(l.Ptrs, uint32(end))
	}
	if l.Const, err = listOf(f.Constant, isNumber, readNumber); err != nil {
		return nil, err
	}
	if l.Feature, err = listOf(f.Feature, isNumber, readIndex); err != nil {
		return nil, err
	}
	l.Coef, err = listOf(f.Coefficient, isNumber, readNumber)
	return l, err
}
