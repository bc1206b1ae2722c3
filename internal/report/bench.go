package report

import (
	"fmt"
	"io"

	"boost/internal/format"
	"boost/internal/tensorbench"
)

// Bench is what bench tensorq prints as JSON.
type Bench struct {
	CPU     string             `json:"cpu"`
	Level   string             `json:"instruction_set"`
	Seconds float64            `json:"seconds"`
	Passed  int                `json:"passed"`
	Failed  int                `json:"failed"`
	Lines   []tensorbench.Line `json:"lines"`
	Store   tensorbench.Store  `json:"store"`
}

// WriteTiers writes what came of the tiers.
func (r *Bench) WriteTiers(out io.Writer) error {
	rows := [][]string{{"tier", "bits", "bytes a value", "error, RMS", "largest", "put MB/s", "read MB/s"}}
	for _, t := range r.Store.Tiers {
		rows = append(rows, []string{
			t.Name, fmt.Sprint(t.Bits), fmt.Sprintf("%.3f", t.BytesPerValue), fmt.Sprintf("%.3f %%", 100*t.RMS),
			fmt.Sprintf("%.3f %%", 100*t.Largest), fmt.Sprintf("%.0f", t.PutMBs), fmt.Sprintf("%.0f", t.ReadMBs),
		})
	}
	if err := section(out, rows, "lrrrrrr"); err != nil {
		return err
	}
	_, err := fmt.Fprintf(out, "\n%s of tensors in memory, %s of records in a file of %s; %s in all\n",
		format.Bytes(r.Store.Resident), format.Bytes(r.Store.Live), format.Bytes(r.Store.Disk), format.Seconds(r.Seconds))
	return err
}
