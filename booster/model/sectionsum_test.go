package model_test

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"boost/booster/model"
	"boost/ptq"
)

// A section's own checksum finds what was changed in it where the checksum of the file was made
// anew, as by a program that knows of no other.
func TestSectionChecksums(t *testing.T) {
	f := newForestOver(t, 200, 1, 3, 12, 20, 30)
	small, _ := compressed(t, f.model, ptq.FormOf(ptq.U4), model.GroupBlock, true)
	for _, file := range []struct {
		name string
		data []byte
	}{{"full", encode(t, newSmall(t))}, {"compressed", encode(t, small)}} {
		var manifest struct {
			Sections []struct {
				Name           string
				Offset, Length uint64
			}
		}
		if err := json.Unmarshal(file.data[32:32+binary.LittleEndian.Uint64(file.data[16:])], &manifest); err != nil {
			t.Fatal(err)
		}
		if _, err := model.Decode(reseal(slices.Clone(file.data))); err != nil || len(manifest.Sections) == 0 {
			t.Fatalf("%s: %v, %d sections", file.name, err, len(manifest.Sections))
		}
		for _, s := range manifest.Sections {
			t.Run("S4.29/"+file.name+"/"+s.Name, func(t *testing.T) {
				for _, at := range []uint64{0, s.Length / 2, s.Length - 1} {
					spoiled := slices.Clone(file.data)
					spoiled[s.Offset+at] ^= 1
					_, err := model.Decode(reseal(spoiled))
					if !errors.Is(err, model.ErrModel) || !strings.Contains(err.Error(), `checksum of section "`+s.Name+`"`) {
						t.Errorf("byte %d of %d: %v, want the checksum of section %q", at, s.Length, err, s.Name)
					}
				}
			})
		}
	}
}
