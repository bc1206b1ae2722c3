package csv

import (
	"bytes"
	"context"
	"math/bits"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"boost/dataset/internal/parts"
	"boost/dataset/internal/records"
)

// state is where a byte of text stands, as CellReader takes records apart.
type state int

const (
	recordBegins state = iota // behind a line feed that ends a record, or at the beginning
	cellBegins                // behind a separator, and blanks
	inCell                    // of a cell without quotes, or behind one with quotes
	inQuotes
	behindQuote // that stands in quotes: the closing one, or the first of two
	states
)

// behindMark is the state behind a quote.
var behindMark = [states]state{recordBegins: inQuotes, cellBegins: inQuotes, inCell: inCell, inQuotes: behindQuote, behindQuote: inQuotes}

// crossing is what a stretch of text does to each state that it may begin in. A stretch alone does not say which that is: a line feed may
// end a record or stand in quotes that were opened long before.
type crossing struct {
	End   [states]state // by the state before the stretch: that behind it
	First [states]int64 // byte of the file behind the first line feed that ends a record, −1 for none
}

// unmoved is the crossing of no text.
func unmoved() (c crossing) {
	for s := range states {
		c.End[s], c.First[s] = s, -1
	}
	return c
}

// then appends a stretch that follows.
func (c *crossing) then(next *crossing) {
	for s, middle := range c.End {
		c.End[s] = next.End[middle]
		if c.First[s] < 0 {
			c.First[s] = next.First[middle]
		}
	}
}

// crossed is the text that is crossed in all states that are left. Mostly two are soon: within quotes and without.
const crossed = 4 << 10

// cross crosses text that begins with a byte of the file.
func (r *CellReader) cross(b []byte, at int64) crossing {
	c := unmoved()
	for len(b) > 0 {
		n := min(len(b), crossed)
		next := unmoved()
		var known [states]bool
		for _, s := range c.End {
			if known[s] {
				continue
			}
			known[s] = true
			end, first := r.crossFrom(b[:n], s)
			if next.End[s] = end; first >= 0 {
				next.First[s] = at + int64(first)
			}
		}
		c.then(&next)
		b, at = b[n:], at+int64(n)
	}
	return c
}

// crossFrom crosses text from one state. It returns the index behind the first line feed that ends a record, −1 for none.
func (r *CellReader) crossFrom(b []byte, s state) (end state, first int) {
	first = -1
	for i := 0; i < len(b); i++ {
		for i+64 <= len(b) {
			behind, feeds, usual := r.crossUsual((*[64]byte)(b[i:]), s)
			if !usual {
				break
			}
			if s = behind; first < 0 && feeds != 0 {
				first = i + bits.TrailingZeros64(feeds) + 1
			}
			i += 64
		}
		quote := nextQuote(b, i)
		if text := b[i:quote]; len(text) > 0 && s != inQuotes {
			if first < 0 {
				if feed := bytes.IndexByte(text, '\n'); feed >= 0 {
					first = i + feed + 1
				}
			}
			s = r.behind(text, s)
		}
		if i = quote; i < len(b) {
			s = behindMark[s]
		}
	}
	return s, first
}

// crossUsual crosses 64 bytes with quotes, each of which begins a cell, without blanks before it, or lies in a cell that one began. It returns
// which bytes are line feeds that end records; usual is false for other bytes.
func (r *CellReader) crossUsual(b *[64]byte, s state) (end state, feeds uint64, usual bool) {
	m := maskBytes(b, r.Sep)
	within := parities(m.quotes)
	if s == inQuotes {
		within = ^within
	}
	allowed := (m.lines | m.seps | m.quotes) << 1
	if s != inCell {
		allowed |= 1
	}
	if m.quotes == 0 || m.quotes&within&^allowed != 0 {
		return s, 0, false
	}
	switch last := 63 - bits.LeadingZeros64(m.quotes); {
	case within>>63 != 0:
		s = inQuotes
	case last == 63:
		s = behindQuote
	default:
		s = r.behind(b[last+1:], behindQuote)
	}
	return s, m.lines &^ within, true
}

// behind returns the state behind text without quotes that begins in a state without quotes.
func (r *CellReader) behind(text []byte, s state) state {
	k := len(text)
	for k > 0 && r.blank(text[k-1]) {
		k--
	}
	switch {
	case k == 0 && (s == recordBegins || s == cellBegins):
		return cellBegins
	case k == 0:
		return inCell
	case text[k-1] == '\n' && k == len(text):
		return recordBegins
	case text[k-1] == '\n' || text[k-1] == r.Sep:
		return cellBegins
	}
	return inCell
}

// stretch is what a rank has found in its part of an input.
type stretch struct {
	Input    int
	From     int64 // byte where the part begins; where that lies in the header, the byte behind
	Crossing crossing
}

// cutParts moves the ends of the parts of inputs to where records begin: a record is in the part that has its first byte. Each rank crosses
// its own text, and together they know in which state each part begins. err is the rank's error so far.
func (r *Reader) cutParts(ctx context.Context, err error) error {
	var own []stretch
	for i := 0; i < len(r.Inputs) && err == nil; i++ {
		if in := &r.Inputs[i]; in.IsCut() && !in.Skipped() {
			var s stretch
			s, err = r.stretch(ctx, i)
			own = append(own, s)
		}
	}
	all, err := parts.Tell(ctx, r.Ranks, own, err, true)
	if err != nil {
		return err
	}
	of := make([][]stretch, len(r.Inputs))
	place := make([]int, len(r.Inputs)) // of the own one
	for rank, theirs := range all {
		for _, s := range theirs {
			if rank == r.Ranks.Rank() {
				place[s.Input] = len(of[s.Input])
			}
			of[s.Input] = append(of[s.Input], s)
		}
	}
	for _, s := range own {
		in := &r.Inputs[s.Input]
		begins := recordsBegin(of[s.Input], in.Size)
		in.Part.From, in.Part.To = begins[place[s.Input]], begins[place[s.Input]+1]
	}
	return nil
}

// recordsBegin returns for each stretch of a file of so many bytes where the first record in it or behind it begins, and the size.
func recordsBegin(of []stretch, size int64) []int64 {
	before := make([]state, len(of)) // the first begins with a record
	for k := range of[1:] {
		before[k+1] = of[k].Crossing.End[before[k]]
	}
	begins := make([]int64, len(of)+1)
	begins[len(of)] = size
	for k := len(of) - 1; k >= 0; k-- {
		switch first := of[k].Crossing.First[before[k]]; {
		case before[k] == recordBegins:
			begins[k] = of[k].From
		case first >= 0:
			begins[k] = first
		default:
			begins[k] = begins[k+1]
		}
	}
	return begins
}

// stretch crosses the rank's part of an input.
func (r *Reader) stretch(ctx context.Context, input int) (s stretch, err error) {
	in := &r.Inputs[input]
	stream, h, err := r.open(in)
	if err != nil {
		return s, err
	}
	defer stream.Close()
	t, _, err := r.body(stream, h)
	if err != nil {
		return s, err
	}
	s = stretch{Input: input, From: max(in.Part.From, t.At), Crossing: unmoved()}
	f, err := in.At()
	if err != nil {
		return s, err
	}
	defer f.Close()
	const block = 1 << 20
	found := make([]crossing, max(0, in.Part.To-s.From+block-1)/block)
	var next atomic.Int64
	group, groupCtx := errgroup.WithContext(ctx)
	for range min(records.Workers(r.Options, r.Inputs), len(found)) {
		group.Go(func() error {
			buffer := make([]byte, block)
			cells := &CellReader{Sep: r.dialect.sep}
			for k := next.Add(1) - 1; k < int64(len(found)); k = next.Add(1) - 1 {
				at := s.From + k*block
				b := buffer[:min(block, in.Part.To-at)]
				if n, err := f.ReadAt(b, at); n < len(b) {
					return in.ShortRead(err)
				}
				if groupCtx.Err() != nil {
					return groupCtx.Err()
				}
				found[k] = cells.cross(b, at)
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return s, err
	}
	for k := range found {
		s.Crossing.then(&found[k])
	}
	return s, nil
}
