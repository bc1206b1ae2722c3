package tensorbench

import (
	"context"
	"fmt"
	"time"

	"boost/tensorq/store"
)

// Options say what is measured.
type Options struct {
	Config store.Config  // checked by the caller
	Dir    string        // an empty folder; stores in it are left there
	Budget time.Duration // for the turns of each speed
}

// Line is an item of the acceptance list, which is section 5 of the source document.
type Line struct {
	Item   string `json:"item"`   // its place there: "5.1.3"
	Text   string `json:"text"`   // what is asked for
	Figure string `json:"figure"` // what was found
	OK     bool   `json:"pass"`
}

// String is the line as it is printed: it ends in "pass" or "FAIL".
func (l Line) String() string {
	verdict := "FAIL"
	if l.OK {
		verdict = "pass"
	}
	return fmt.Sprintf("%s  %s: %s  %s", l.Item, l.Text, l.Figure, verdict)
}

// item is what measures a line.
type item struct {
	number, text string
	measure      func(Options) (figure string, ok bool, err error)
}

// list is the acceptance list in its order.
func list() []item {
	items := []item{
		{"5.1.1", "packing and unpacking lose nothing", roundTrip},
		{"5.1.2", "8 bits err by at most half a scale", errorBound(8)},
		{"5.1.3", "7 bits err by at most half a scale", errorBound(7)},
		{"5.1.4", "5 bits err by at most half a scale", errorBound(5)},
		{"5.1.5", "3 bits with one scale err by at most half of it", errorBound(3)},
		{"5.1.6", "3 bits take a second scale where the maximum exceeds the median so many times", twoLevelRule},
		{"5.1.7", "a tensor that was discarded reads as zeros", discarded},
		{"5.1.8", "an absent tensor with a rule is made again", rebuilt},
		{"5.2.1", "packing takes 2 GB/s", packSpeed},
		{"5.2.2", "unpacking takes 2 GB/s", unpackSpeed},
		{"5.2.3", "the largest magnitude of 512 values and more is found 3 times as fast as by a plain loop", maxAbsSpeed},
		{"5.2.4", "WebAssembly packs and unpacks at 0.5 GB/s", webAssemblySpeed},
		{"5.2.5", "packing, unpacking and the largest magnitude allocate nothing", allocations},
	}
	for i, form := range []struct {
		bits     int
		twoLevel bool
		text     string
	}{
		{8, false, "8-bit blocks take 4 + n bytes"},
		{7, false, "7-bit blocks take 4 + ⌈7·n/8⌉ bytes"},
		{5, false, "5-bit blocks take 4 + ⌈5·n/8⌉ bytes"},
		{3, false, "3-bit blocks take 4 + ⌈3·n/8⌉ bytes"},
		{3, true, "3-bit blocks with two scales take 8 + ⌈n/8⌉ + ⌈3·n/8⌉ bytes"},
	} {
		items = append(items, item{fmt.Sprintf("5.3.%d", i+1), form.text, blockSizes(form.bits, form.twoLevel)})
	}
	return append(items,
		item{"5.3.6", "nothing lies between the blocks of a segment", segmentSizes},
		item{"5.4.1", "warm tensors used longest ago are narrowed above the cap", narrowed},
		item{"5.4.2", "narrowed tensors return below the hysteresis", widened},
	)
}

// Run measures the list, calling each with every line as soon as it is known. Errors: those of
// each, of the context, and of what could not be measured at all.
func Run(ctx context.Context, o Options, each func(Line) error) error {
	for _, i := range list() {
		if err := ctx.Err(); err != nil {
			return err
		}
		figure, ok, err := i.measure(o)
		if err != nil {
			return fmt.Errorf("%s, %s: %w", i.number, i.text, err)
		}
		if err := each(Line{Item: i.number, Text: i.text, Figure: figure, OK: ok}); err != nil {
			return err
		}
	}
	return nil
}
