package configs

import (
	"fmt"
	"strings"
)

// ofOneRank are keys that each rank of a training may be given its own values of, beside those of the run: its files, and what it has of a
// machine.
var ofOneRank = map[string]bool{
	"data.train": true, "data.test": true, "data.out_of_core": true,
	"output.model": true, "output.predictions": true, "output.checkpoint": true, "output.checkpoint_every": true, "quantize.output": true,
}

// ofAllRanks are the keys of the run that all ranks are given alike.
var ofAllRanks = map[string]bool{"train.time_limit": true, "gradients.l2_bytes": true}

// OfAllRanks returns the keys that the ranks of a training are given alike, with their values as a file has them; of files, how many.
func (c *Config) OfAllRanks() map[string]string {
	all := map[string]string{}
	for _, k := range keysOf(c) {
		switch files, list := k.Value.(*[]string); {
		case ofOneRank[k.Name], k.Run && !ofAllRanks[k.Name], k.Section() == "registry":
		case k.Path && list:
			all[k.Name] = fmt.Sprintf("of %d files", len(*files))
		case k.Path:
			all[k.Name] = strings.Repeat("given", min(1, len(*k.Value.(*string))))
		default:
			all[k.Name] = k.format()
		}
	}
	return all
}
