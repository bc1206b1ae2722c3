package registry_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"strings"
	"testing"

	"boost/ptq/compress/registry"
	"boost/tensorq/store"
)

// Whatever stands in a record is refused, or is what would be written for it.
func FuzzRecordS3_59(f *testing.F) {
	sha := strings.Repeat("0", 64)
	certificate := func(bits int) string { return fmt.Sprintf(`{"bits":%d,"bytes":1,"bound":[0.5],"scores":[0.5]}`, bits) }
	all := strings.Join([]string{certificate(8), certificate(7), certificate(5), certificate(3)}, ",")
	for _, head := range []string{
		`{"sha256":"` + sha + `","outputs":1,"max_delta":null,"max_loss":0.1,"certificates":[` + all + `]}`,
		`{"sha256":"` + sha + `","outputs":1000000000000,"certificates":[]}`,
		`{"sha256":"` + sha + `","outputs":1,"max_delta":-1,"certificates":[` + all + `]}`,
	} {
		f.Add(uint8(1), []byte(head))
	}
	for _, head := range []string{
		`{"sha256":"` + sha + `","kind":"file","size":10}`, `{"sha256":"` + sha + `","kind":"prefix","of":"a","rounds":3}`,
		`{"sha256":"` + sha + `","kind":"permutation","of":"a","trees":[0,0]}`,
	} {
		f.Add(uint8(2), []byte(head))
	}
	f.Add(uint8(3), []byte{1})
	f.Fuzz(func(t *testing.T, kind uint8, head []byte) {
		once, err := registry.DecodeRecord(kind, head)
		if err != nil {
			return
		}
		again, err := registry.DecodeRecord(kind, once)
		if err != nil || !bytes.Equal(again, once) {
			t.Errorf("%q is read as %q, and that as %q, %v", head, once, again, err)
		}
	})
}

// A rule of any record and payload makes a model or an error.
func FuzzRuleS3_52(f *testing.F) {
	base := forest(f, 1, 2, 3, 5)
	leaves := base.Leaves()
	leaves[1]++
	other, err := base.WithLeaves(leaves)
	if err != nil {
		f.Fatal(err)
	}
	delta, err := registry.LeavesDelta(base, other)
	if err != nil {
		f.Fatal(err)
	}
	tail, err := base.Tail(1)
	if err != nil {
		f.Fatal(err)
	}
	head := func(text string) []byte {
		return []byte(`{"sha256":"` + strings.Repeat("0", 64) + `","of":"a",` + text + `}`)
	}
	f.Add(head(`"kind":"leaves"`), delta)
	f.Add(head(`"kind":"append"`), []byte(encoded(f, tail)))
	f.Add(head(`"kind":"prefix","rounds":-1`), []byte{})
	f.Add(head(`"kind":"scale","by":1e308`), []byte{})
	f.Add(head(`"kind":"permutation","trees":[5,4,3,2,1,0]`), []byte{})
	f.Add(head(`"kind":"permutation","outputs":[1]`), []byte{})
	f.Add(head(`"kind":"projection","outputs":[1,-1]`), []byte{})
	table := rows(f, 1, 3)
	f.Fuzz(func(t *testing.T, head, payload []byte) {
		m, err := registry.Execute(base, head, payload)
		if err != nil {
			return
		}
		raw(t, m, table)
		encoded(t, m)
	})
}

// A segment gives as many leaf values as the model has, or an error.
func FuzzCodesS3_57(f *testing.F) {
	counts := []int{3, 1, 70}
	s, err := store.Open(f.TempDir(), config(), store.Options{Clock: newClock().Now})
	if err != nil {
		f.Fatal(err)
	}
	defer s.Close()
	leaves := make([]float32, 4*64) // the last tree takes two blocks
	for i := range leaves {
		leaves[i] = float32(i%7) - 3
	}
	for _, tier := range []store.Tier{store.Hot, store.Warm, store.Cold} {
		for _, block := range []int{64, 1, 7} {
			if err := s.Put("x", []int{len(leaves)}, leaves, store.PutOptions{Tier: tier, BlockSize: block}); err != nil {
				f.Fatal(err)
			}
			codes, _, err := s.Codes("x")
			if err != nil {
				f.Fatal(err)
			}
			if got, err := registry.Gather(codes, counts); (err == nil) != (block == 64) || err == nil && len(got) != 74 {
				f.Errorf("blocks of %d: %d leaves, %v", block, len(got), err)
			}
			f.Add(codes)
		}
	}
	f.Fuzz(func(t *testing.T, segment []byte) {
		if n := len(segment) - 4; n >= 0 { // else hardly any gets beyond the checksum
			binary.LittleEndian.PutUint32(segment[n:], crc32.Checksum(segment[:n], crc32.MakeTable(crc32.Castagnoli)))
		}
		if leaves, err := registry.Gather(segment, counts); err == nil && len(leaves) != 74 {
			t.Errorf("%d leaves", len(leaves))
		}
	})
}
