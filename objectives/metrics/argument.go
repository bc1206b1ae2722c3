package metrics

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Argument is what a metric takes after an @ in its name: numbers, several of them joined by a
// slash.
type Argument struct {
	Means   string    // what one number is, as in "a level above 0 and below 1"
	Example string    // of the numbers, as in "0.9"
	Default []float64 // what the name stands for without them; nil if they have to be given
	Several bool      // takes one number or more, in ascending order

	ofModel  bool // without a number a model's own counts, and Default where it has none
	contains func(x float64) bool
}

// Base returns the name of a metric without its argument.
func Base(name string) string {
	base, _, _ := strings.Cut(name, "@")
	return base
}

// numbers returns the argument in a name, nil for a model's own, and the name in its usual form: numbers in their shortest
// decimal form, and none where they are the default, unless a model may have another.
func (i *Info) numbers(name string) (numbers []float64, canonical string, err error) {
	base, text, given := strings.Cut(name, "@")
	a := i.Argument
	switch {
	case a == nil && given:
		return nil, "", fmt.Errorf("metric %q: %s takes no argument: write %q", name, base, base)
	case a == nil:
		return nil, base, nil
	case !given && a.Default == nil:
		return nil, "", fmt.Errorf("metric %q needs %s, as in %q", name, a.Means, base+"@"+a.Example)
	case !given && a.ofModel:
		return nil, base, nil
	case !given:
		return a.Default, base, nil
	}
	texts := []string{text}
	if a.Several {
		texts = strings.Split(text, "/")
	}
	for at, s := range texts {
		x, err := strconv.ParseFloat(s, 64)
		x += 0 // -0 is 0
		switch {
		case err != nil || !a.contains(x):
			return nil, "", fmt.Errorf("metric %q: %q is not %s: write the like of %q", name, s, a.Means, base+"@"+a.Example)
		case at > 0 && x <= numbers[at-1]:
			return nil, "", fmt.Errorf("metric %q: %q does not ascend: write the like of %q", name, text, base+"@0.1/0.5/0.9")
		}
		numbers = append(numbers, x)
	}
	if slices.Equal(numbers, a.Default) && !a.ofModel {
		return numbers, base, nil
	}
	for at, x := range numbers {
		texts[at] = shortest(x)
	}
	return numbers, base + "@" + strings.Join(texts, "/"), nil
}

// shortest returns a number in the fewest digits that read as the same number.
func shortest(x float64) string {
	form := byte('f')
	if size := max(x, -x); size != 0 && (size < 1e-6 || size >= 1e21) {
		form = 'e'
	}
	return strconv.FormatFloat(x, form, -1, 64)
}

// Arguments of more than one metric.
var (
	levelArgument = Argument{
		Means: "a level above 0 and below 1", Example: "0.9",
		contains: func(x float64) bool { return x > 0 && x < 1 },
	}
	widthArgument = Argument{
		Means: "a number above 0", Example: "1",
		contains: func(x float64) bool { return x > 0 && x <= 1e100 },
	}
)

// like returns the argument with another example.
func (a Argument) like(example string) *Argument {
	a.Example = example
	return &a
}

// list returns the argument for several numbers.
func (a Argument) list() *Argument {
	a.Several = true
	return &a
}
