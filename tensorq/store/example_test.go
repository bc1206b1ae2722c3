package store_test

import (
	"fmt"
	"log"
	"os"
	"time"

	"boost/tensorq/store"
)

func Example() {
	dir, err := os.MkdirTemp("", "tensors")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	now := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
	s, err := store.Open(dir, store.DefaultConfig(), store.Options{Clock: func() time.Time { return now }})
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	if err := s.Put("weights", []int{2, 2}, []float32{1, -2, 3, 127}, store.PutOptions{}); err != nil {
		log.Fatal(err)
	}
	out := make([]float32, 4)
	if _, err := s.Read("weights", out); err != nil {
		log.Fatal(err)
	}
	info, err := s.Info("weights")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(out, info.Tier, info.Bits, "bits, off by at most", info.Bound)

	now = now.Add(time.Hour) // nobody reads it
	if _, err := s.Sweep(); err != nil {
		log.Fatal(err)
	}
	if info, err = s.Info("weights"); err != nil {
		log.Fatal(err)
	}
	fmt.Println(info.Tier, info.Bits, "bits")
	// Output:
	// [1 -2 3 127] hot 8 bits, off by at most 0
	// cold 3 bits
}

// A tensor that can be made from another needs no data of its own.
func ExampleStore_SetRule() {
	dir, err := os.MkdirTemp("", "tensors")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	now := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
	s, err := store.Open(dir, store.DefaultConfig(), store.Options{Clock: func() time.Time { return now }})
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	for id, values := range map[string][]float32{"last": {1, 2, 3, 127}, "first half": {1, 2}} {
		if err := s.Put(id, []int{len(values)}, values, store.PutOptions{}); err != nil {
			log.Fatal(err)
		}
	}
	// The tolerance says what its rule may be off by; 0 is its own bound.
	if err := s.SetRule("first half", store.Projection{Of: "last", Keep: []int{0, 1}}, 0.02); err != nil {
		log.Fatal(err)
	}
	now = now.Add(25 * time.Hour)
	if err := s.Retire("first half"); err != nil {
		log.Fatal(err)
	}
	out := make([]float32, 2)
	if _, err := s.Read("first half", out); err != nil {
		log.Fatal(err)
	}
	fmt.Println(out, s.Remove("last"))
	// Output: [1 2] store: tensor "last" is needed: the rules of ["first half"] refer to it: remove them, or their rules, first
}
