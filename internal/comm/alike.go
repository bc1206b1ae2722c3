package comm

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// Alike returns an error, the same at all ranks, where they do not have the same settings: it names the first that differs, at which rank,
// and both values. One rank alone agrees.
func Alike[T ~string | ~[]byte](ctx context.Context, c Comm, own map[string]T) error {
	if c.Size() == 1 {
		return nil
	}
	texts := map[string]string{}
	for name, value := range own {
		texts[name] = string(value)
	}
	mine, err := json.Marshal(texts)
	if err != nil {
		return err
	}
	all, err := c.Gather(ctx, mine)
	if err != nil {
		return err
	}
	var first map[string]string
	for rank, data := range all {
		if bytes.Equal(data, all[0]) && rank > 0 {
			continue
		}
		var theirs map[string]string
		if err := json.Unmarshal(data, &theirs); err != nil {
			return &Error{rank, fmt.Sprintf("told settings that cannot be read: %v", err)}
		}
		if rank == 0 {
			first = theirs
		}
		names := maps.Clone(first)
		maps.Copy(names, theirs)
		for _, name := range slices.Sorted(maps.Keys(names)) {
			if first[name] != theirs[name] {
				return &Error{rank, fmt.Sprintf("%s is %s, and %s at rank 0: give all ranks the same settings", name, cmp.Or(theirs[name], "not given"), cmp.Or(first[name], "not given"))}
			}
		}
	}
	return nil
}
