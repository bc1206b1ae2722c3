package booster

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"hash/crc32"
	"os"
	"slices"
)

// planFile keeps the plans that trials found the fastest in a cache file that is
// otherwise left as it is. Only speed follows from them.
//
//	offset size
//	64     4    CRC32C of the 1980 bytes that follow; 0 where no plan is kept
//	68     1980 JSON list of keptPlan, the latest last, then zeros
type planFile struct {
	path string
	kept []keptPlan
}

// keptPlan is the fastest plan under the circumstances that decide which one that is.
type keptPlan struct {
	For  string `json:"for"`
	Plan string `json:"plan"`
}

// find returns the plan kept for a key, "" without one.
func (p *planFile) find(key string) string {
	if p != nil {
		for _, k := range p.kept {
			if k.For == key {
				return k.Plan
			}
		}
	}
	return ""
}

// keep writes a plan into the cache, over the bytes kept for plans. Those of other runs
// stay while there is room; two runs at a time may lose one of them.
func (p *planFile) keep(key, plan string) error {
	if p == nil {
		return nil
	}
	f, err := os.OpenFile(p.path, os.O_RDWR, 0)
	if err != nil {
		return pathReason(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return pathReason(err)
	}
	h, err := readHeader(f, uint64(info.Size()))
	if err != nil {
		return err
	}
	kept, _ := decodePlans(h[cacheHeader:]) // damaged ones are written over
	kept = slices.DeleteFunc(kept, func(k keptPlan) bool { return k.For == key })
	if _, err := f.WriteAt(encodePlans(append(kept, keptPlan{key, plan})), cacheHeader); err != nil {
		return pathReason(err)
	}
	return f.Close()
}

// encodePlans returns the bytes of the latest plans that there is room for.
func encodePlans(kept []keptPlan) []byte {
	b := make([]byte, cacheStart-cacheHeader)
	for ; len(kept) > 0; kept = kept[1:] {
		text, err := json.Marshal(kept)
		if err != nil {
			panic(err) // two strings always have a JSON form
		}
		if len(text) <= len(b)-4 {
			copy(b[4:], text)
			binary.LittleEndian.PutUint32(b, crc32.Checksum(b[4:], castagnoli))
			break
		}
	}
	return b
}

// decodePlans reads what encodePlans made.
func decodePlans(b []byte) ([]keptPlan, error) {
	text := bytes.TrimRight(b[4:], "\x00")
	sum := binary.LittleEndian.Uint32(b)
	if len(text) == 0 && sum == 0 {
		return nil, nil
	}
	if sum != crc32.Checksum(b[4:], castagnoli) {
		return nil, damaged("the checksum of the measured plans does not match")
	}
	var kept []keptPlan
	if err := json.Unmarshal(text, &kept); err != nil {
		return nil, damaged("%v", err)
	}
	return kept, nil
}
