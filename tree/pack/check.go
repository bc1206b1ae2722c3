package pack

import (
	"bytes"
	"math"
	"slices"

	"boost/internal/entropy"
	"boost/tree"
)

// Check reads count trees over the features and reports whether b is what Write makes of them. Each is shown to see,
// which may be nil and may take the memory of the tree over, leaving an empty tree. An error of see is returned. It keeps one tree at a time, and beside what a Reader takes at
// most some 100 bytes for each node of the largest and as many bytes as b has. Other errors wrap ErrDamaged.
func Check(b []byte, count int, features []tree.Feature, outputs int, see func(*tree.Tree) error) error {
	r, err := NewReader(b, count, features, outputs)
	if err != nil {
		return err
	}
	c := newChecker(r, len(b))
	var t tree.Tree
	for range count {
		if err := r.Next(&t); err != nil {
			return err
		}
		c.add(&t)
		if see != nil {
			if err := see(&t); err != nil {
				return err
			}
		}
	}
	if count == 0 && r.w.left != 0 {
		return damaged("%d nodes belong to no tree", r.w.left)
	}
	if slices.Contains(c.seen, false) || !r.w.strict && c.allStrict || !bytes.Equal(c.writer.finish(), b) {
		return damaged("they are not in the form that boost writes")
	}
	return nil
}

// checker writes again what a reader reads.
type checker struct {
	writer    *walker
	judge     *walker // of trees that are said not to be strict; nil else
	seen      []bool  // symbols that trees split on
	allStrict bool
}

func newChecker(r *Reader, size int) *checker {
	head := &r.w
	used := make([]bool, len(head.features))
	for _, f := range head.symbols {
		used[f] = true
	}
	c := &checker{seen: make([]bool, len(head.symbols)), allStrict: true}
	walk := func(buffer []byte) *walker {
		w := &walker{coder: entropy.NewWriter(buffer), features: head.features, outputs: head.outputs, allowed: math.MaxUint64}
		_ = w.start(head.nodes, used, func() bool { return head.strict }) // a writer meets no error
		return w
	}
	c.writer = walk(make([]byte, 0, size+8))
	if !head.strict {
		c.judge = walk(nil)
		c.judge.strict = true
	}
	return c
}

func (c *checker) add(t *tree.Tree) {
	for _, f := range t.Feature {
		c.seen[c.writer.place[f]] = true
	}
	_ = c.writer.tree(t)
	if c.judge == nil || !c.allStrict {
		return
	}
	if c.allStrict = c.judge.treeStrict(t); !c.allStrict {
		c.judge = nil
	}
}
