// Package budget holds what training may take against what it needs: a limit of
// memory, estimates in bytes, and the words in which an error sets one against the other.
//
// In: numbers of bytes. Out: room that is left, or an error. It must not know what
// the bytes are taken by.
package budget

import (
	"errors"
	"fmt"

	"boost/internal/cpu"
)

// ErrOver is wrapped by errors about a limit of time or memory that leaves nothing to be made.
var ErrOver = errors.New("out of budget")

// Need is an estimate of the memory of training by what it is for, in bytes. The
// tables that were read are not in it.
type Need struct {
	Matrix, Rows, Histograms int64
}

// Total returns all bytes.
func (n Need) Total() int64 { return n.Matrix + n.Rows + n.Histograms }

func (n Need) String() string {
	if n.Matrix == 0 {
		return "its rows alone"
	}
	return fmt.Sprintf("codes %s, rows %s, histograms %s", Size(n.Matrix), Size(n.Rows), Size(n.Histograms))
}

// Limit is how much memory training may take.
type Limit struct {
	Bytes int64  // 0: unknown
	Name  string // what sets the limit
}

// Key is the setting that sets a limit.
const Key = "train.memory_limit"

// Machine is the memory of the machine, the limit if no setting gives a lower one; 0 asks the machine.
type Machine int64

// Limit returns the limit where a setting asks for one of so many bytes, 0 for none.
func (m Machine) Limit(asked int64) Limit {
	machine := int64(m)
	if machine == 0 {
		machine = cpu.MemoryLimit()
	}
	if asked <= 0 || machine > 0 && machine < asked {
		return Limit{machine, "the memory of this machine"}
	}
	return Limit{asked, Key}
}

// Left returns how much of the limit is left beside what is taken; a lot if the limit is unknown.
func (l Limit) Left(taken int64) int64 {
	if l.Bytes <= 0 {
		return 1 << 62
	}
	return l.Bytes - taken
}

// Over is the error of a need that a limit does not allow. It wraps ErrOver.
type Over struct {
	Need Need // of one training
	text string
}

func (o *Over) Error() string { return ErrOver.Error() + ": " + o.text }

// Unwrap returns ErrOver.
func (o *Over) Unwrap() error { return ErrOver }

// Check refuses to train if that takes more memory than there may be.
func (l Limit) Check(n Need) error { return l.CheckBeside(n, 1) }

// CheckBeside is Check for so many trainings at the same time that need so much each.
func (l Limit) CheckBeside(n Need, trainings int) error {
	total := int64(trainings) * n.Total()
	if l.Left(total) >= 0 {
		return nil
	}
	what, advice := "training needs about "+Size(total), "lower tree.leaves or binning.max_bin"
	if trainings > 1 {
		what = fmt.Sprintf("training %d folds at the same time needs about %s", trainings, Size(total))
	}
	if int64(trainings)*n.Rows > l.Bytes {
		advice = "train on fewer rows"
	}
	each := n.String()
	if trainings > 1 && n.Matrix > 0 {
		each = "each " + each
	}
	return &Over{n, fmt.Sprintf("%s, %s is %s (%s): %s", what, l.Name, Size(l.Bytes), each, l.OrRaise(total, advice))}
}

// OrRaise puts before an advice the limit that would do for so many bytes, where a setting sets it: half as much again,
// for what comes later.
func (l Limit) OrRaise(need int64, advice string) string {
	if l.Name != Key {
		return advice
	}
	const kib, mib = 1 << 10, 1 << 20
	size := fmt.Sprintf("%dKiB", need*3/2/kib+1)
	if need >= mib {
		size = fmt.Sprintf("%dMiB", need*3/2/mib+1)
	}
	return fmt.Sprintf("set train.memory_limit = %q", size) + ", or " + advice
}

// Size writes a number of bytes for people.
func Size(n int64) string {
	const unit = 1024
	switch {
	case n >= unit*unit*unit:
		return fmt.Sprintf("%.1f GiB", float64(n)/(unit*unit*unit))
	case n >= unit*unit:
		return fmt.Sprintf("%.1f MiB", float64(n)/(unit*unit))
	case n < unit:
		return fmt.Sprintf("%d bytes", n)
	}
	return fmt.Sprintf("%.1f KiB", float64(n)/unit)
}
