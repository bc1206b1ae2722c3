package network

import (
	"context"
	"encoding/gob"
	"fmt"
	"os"
	"time"

	"boost/internal/comm"
)

// Call is a kind of call of a rank.
type Call string

// The calls of comm.Comm, and None for computing that no call ends.
const (
	None       Call = "none"
	Sum64      Call = "sum64"
	Sum32      Call = "sum32"
	SumParts64 Call = "sumparts64"
	Max        Call = "max"
	Gather     Call = "gather"
	Broadcast  Call = "broadcast"
	Barrier    Call = "barrier"
)

// Step is computing and the call that ends it.
type Step struct {
	CPU   time.Duration // computing before the call
	Call  Call
	Bytes int         // that this rank gives
	Words []uint64    // the values of Sum64 and SumParts64: small ones are sent in fewer bytes
	Parts []comm.Part // of SumParts64
	Root  int         // of Broadcast
}

// Trace is what ranks do in some trees.
type Trace struct {
	Rows, Columns int
	Trees         int
	Steps         [][]Step // by rank; all have as many, with the same calls
	Packed        float64  // bytes that are sent as a share of those of all values; 0 for 1
}

// Ranks returns the number of ranks.
func (t *Trace) Ranks() int { return len(t.Steps) }

// Save writes the trace to a file.
func (t *Trace) Save(path string) (err error) {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	if err := gob.NewEncoder(f).Encode(t); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

// LoadTrace reads what Save wrote.
func LoadTrace(path string) (*Trace, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	t := new(Trace)
	return t, gob.NewDecoder(f).Decode(t)
}

// Replay makes a rank's calls, and sleeps where it computed: pause is called with each step before its call. The calls of the first tree are made
// once more before that, without pauses, so that connections have found the speed of the network. It returns how long all trees took, how much of that the calls did, and what was sent.
func Replay(ctx context.Context, c comm.Comm, steps []Step, pause func(Step)) (took, waited time.Duration, sent int64, err error) {
	r := newReplayer(c, steps)
	for _, s := range steps {
		if s.Call == None {
			break
		}
		if err := r.call(ctx, s); err != nil {
			return 0, 0, 0, err
		}
	}
	if err := c.Barrier(ctx); err != nil {
		return 0, 0, 0, err
	}
	began, before := time.Now(), c.Stats()
	for _, s := range steps {
		pause(s)
		if err := r.call(ctx, s); err != nil {
			return 0, 0, 0, err
		}
	}
	if err := c.Barrier(ctx); err != nil {
		return 0, 0, 0, err
	}
	after := c.Stats()
	return time.Since(began), after.Waited - before.Waited, after.Sent - before.Sent, nil
}

// replayer has something to give in each call.
type replayer struct {
	comm.Comm
	words  []uint64
	halves []uint32
	floats []float64
	bytes  []byte
}

func newReplayer(c comm.Comm, steps []Step) *replayer {
	longest := 0
	for _, s := range steps {
		longest = max(longest, s.Bytes)
	}
	return &replayer{c, make([]uint64, longest/8), make([]uint32, longest/4), make([]float64, longest/8), make([]byte, longest)}
}

func (r *replayer) call(ctx context.Context, s Step) (err error) {
	copy(r.words, s.Words)
	switch s.Call {
	case None:
	case Sum64:
		err = r.Sum64(ctx, r.words[:s.Bytes/8])
	case Sum32:
		err = r.Sum32(ctx, r.halves[:s.Bytes/4])
	case SumParts64:
		err = r.SumParts64(ctx, r.words[:s.Bytes/8], s.Parts, nil)
	case Max:
		err = r.Max(ctx, r.floats[:s.Bytes/8])
	case Gather:
		_, err = r.Gather(ctx, r.bytes[:s.Bytes])
	case Broadcast:
		_, err = r.Broadcast(ctx, s.Root, r.bytes[:s.Bytes])
	case Barrier:
		err = r.Barrier(ctx)
	default:
		err = fmt.Errorf("no call %q", s.Call)
	}
	return err
}
