package store_test

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"math"
	"slices"
	"strings"
	"testing"

	"boost/tensorq"
	"boost/tensorq/store"
)

// Any bytes are a head that is written again as it was read, or an error.
func FuzzHeadS3_50(f *testing.F) {
	f.Add([]byte{}, int64(0))
	f.Add(store.AbsentCopy("base", 1), int64(0))
	seeded(f, func(head []byte, payload int64) { f.Add(head, payload) })
	f.Fuzz(func(t *testing.T, b []byte, payload int64) {
		again, shape, err := store.DecodeHead("x", b, payload)
		if err != nil {
			return
		}
		n := 1
		for _, d := range shape {
			n *= d
		}
		if n < 1 || n > 1<<30 {
			t.Errorf("shape %v", shape)
		}
		// Uvarints can be longer than they have to be; nothing else can be written in two ways.
		if len(again) > len(b) || len(again) == len(b) && !bytes.Equal(again, b) {
			t.Errorf("% x\nis written again as\n% x", b, again)
		}
	})
}

// seeded calls add with the heads of a small store.
func seeded(f *testing.F, add func(head []byte, payload int64)) {
	s, err := store.Open(f.TempDir(), config(), store.Options{Clock: newClock().Now, Rules: map[string]store.CustomRule{"name": {}}})
	if err != nil {
		f.Fatal(err)
	}
	defer s.Close()
	for id, rule := range map[string]store.Rule{
		"a": nil, "b": store.Discard{}, "c": store.Scale{Of: "a", By: 2}, "d": store.Permutation{Of: "a", Order: []int{1, 0, 2}},
		"e": store.Projection{Of: "a", Keep: []int{0, 1, 2}}, "f": store.Delta{Base: "a", Index: []int{2}, Value: []float32{1}},
		"g": store.Delta{Base: "a", Dense: []float32{1, 2, 3}}, "h": store.Custom{Of: "a", Name: "name", Params: []byte("p")},
	} {
		if err := s.Put("a", []int{3}, []float32{1, 2, 3}, store.PutOptions{}); err != nil {
			f.Fatal(err)
		}
		if err := s.Put(id, []int{3}, []float32{1, 2, 3}, store.PutOptions{}); err != nil {
			f.Fatal(err)
		}
		if err := s.SetRule(id, rule, 0); err != nil {
			f.Fatal(err)
		}
	}
	for _, e := range s.Log().Entries(store.RecordTensor) {
		add(e.Head, e.Size)
	}
}

func FuzzAccess(f *testing.F) {
	f.Add(make([]byte, 25))
	f.Fuzz(func(t *testing.T, b []byte) {
		if err := store.TakeAccess(b); err == nil && len(b) != 25 {
			t.Errorf("%d bytes were taken", len(b))
		}
	})
}

// Any bytes are differences within the tensor, or an error that changes nothing.
func FuzzDelta(f *testing.F) {
	sparse, err := store.EncodeDifferences([]int{0, 3, 9}, []float32{1, 2, 3}, 10)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(false, sparse)
	dense, err := tensorq.EncodeSegment(make([]float32, 10), 7, tensorq.DefaultQuantConfig())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(true, dense)
	f.Fuzz(func(t *testing.T, isDense bool, b []byte) {
		out := make([]float32, 10)
		if err := store.AddDifferences(isDense, b, out); err != nil && !isDense {
			for i, v := range out {
				if v != 0 {
					t.Errorf("value %d is %v after %v", i, v, err)
				}
			}
		}
	})
}

// A segment of version 1, which has no checksum, is none of the store's.
func TestFramesAreRefused(t *testing.T) {
	t.Run("S3.38/not_in_the_store", func(t *testing.T) {
		group, err := tensorq.NewFrameGroup(8, tensorq.DefaultQuantConfig())
		if err != nil {
			t.Fatal(err)
		}
		if err := group.Add(make([]float32, 10)); err != nil {
			t.Fatal(err)
		}
		segment, out := group.AppendSegment(nil), make([]float32, 10)
		if _, _, err := tensorq.DecodeSegment(segment); err != nil {
			t.Fatal(err)
		}
		if err := store.AddDifferences(true, segment, out); err == nil || !strings.Contains(err.Error(), "version 1") {
			t.Errorf("as differences: %v", err)
		}
		f := newStore(t)
		f.put("x", make([]float32, 10))
		e, _ := f.Log().Lookup(store.RecordTensor, "x")
		head := slices.Clone(e.Head)
		binary.LittleEndian.PutUint32(head[14:], uint32(len(segment)))
		if _, err := f.Log().Append(store.RecordTensor, "x", head, segment); err != nil {
			t.Fatal(err)
		}
		f.reopen()
		if _, err := f.Read("x", out); err == nil || !strings.Contains(err.Error(), "version 1") {
			t.Errorf("as codes: %v", err)
		}
	})
}

// The bytes of docs/format.md: three differences of ten values, and the head of a
// discarded tensor, worked out by hand.
func TestBytes(t *testing.T) {
	t.Run("S3.52/sparse", func(t *testing.T) {
		got, err := store.EncodeDifferences([]int{0, 3, 9}, []float32{1, -2, 0.5}, 10)
		if err != nil {
			t.Fatal(err)
		}
		// Distances 1, 3, 6, less one each.
		if want := "03000000" + "000205" + "0000803f" + "000000c0" + "0000003f"; hex.EncodeToString(got) != want {
			t.Errorf("%x, want %s", got, want)
		}
	})
	t.Run("S3.50/head", func(t *testing.T) {
		f := newStore(t)
		if err := f.Put("id", []int{2, 1}, []float32{127, -1}, store.PutOptions{}); err != nil {
			t.Fatal(err)
		}
		f.rule("id", store.Scale{Of: f.base(), By: 0.5})
		e, _ := f.Log().Lookup(store.RecordTensor, "id")
		const contentHex, codesHex = "4df61582", "f4308e60"
		// 2024-02-29 12:00 UTC is 1,709,208,000 s: 17b8539ec7418000h ns. CRC32C of 0000fe42 000080bf, from python.
		want := "01" + "01" + "01" + "08" + "00" + "02" + contentHex + codesHex + "21000000" + "40000000" +
			"008041c79e53b817" + "008041c79e53b817" + "0100000000000000" + "0000000000000000" +
			"02000000" + "01000000" +
			"04" + "0000000000000000" + "00000000" + "00000000" + "04" + hex.EncodeToString([]byte("base")) + "0000003f"
		if got := hex.EncodeToString(e.Head); got != want {
			t.Errorf("head\n%s, want\n%s", got, want)
		}
		if math.Float32frombits(0x42fe0000) != 127 {
			t.Error("127 is 42fe0000h")
		}
	})
}

func (f *fixture) base() string {
	f.t.Helper()
	if err := f.Put("base", []int{2, 1}, []float32{1, 1}, store.PutOptions{}); err != nil {
		f.t.Fatal(err)
	}
	return "base"
}
