package packed

import (
	"fmt"

	"boost/binning"
)

// LevelFlags returns what the dictionary of a feature lacks: 1 is Unnamed, 2 is that there are NameHashes.
func LevelFlags(f *binning.Feature) byte {
	var flags byte
	if f.Unnamed {
		flags = 1
	}
	if len(f.NameHashes) > 0 {
		flags |= 2
	}
	return flags
}

// CheckCodes returns an error unless the levels bound the codes of a feature: a small file cannot claim
// 2³² codes.
func CheckCodes(feature *binning.Feature, levels int) error {
	if len(feature.Codes) != levels {
		return fmt.Errorf("%d codes for %d levels", len(feature.Codes), levels)
	}
	most := max(levels, 1)
	if len(feature.NameHashes) > 0 {
		most = levels + 1
	}
	if feature.Regular < 1 || uint64(feature.Regular) > uint64(most) {
		return fmt.Errorf("%d codes for %d levels", feature.Regular, levels)
	}
	if err := binning.CheckNameHashes(feature.NameHashes); err != nil {
		return err
	}
	for i, code := range feature.Codes {
		if code >= feature.Regular && code != binning.NoCode {
			return fmt.Errorf("level %d has code %d of %d", i, code, feature.Regular)
		}
	}
	return nil
}
