package dataset_test

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"boost/dataset"
	"boost/internal/testenv"
)

// randomText returns cells of all lengths around the words that the reader looks at,
// with characters that need care.
func randomText(r *rand.Rand) string {
	alphabet := []string{"a", "b", "0", ".", "-", " ", "'", "é", "日", "\x01", "\x7f", ";", "\t", "~"}
	if r.IntN(8) == 0 {
		alphabet = append(alphabet, `"`, ",", "\n")
	}
	var s strings.Builder
	for range r.IntN(36) {
		s.WriteString(alphabet[r.IntN(len(alphabet))])
	}
	return s.String()
}

// TestTextEqualsEncodingCSV reads random text as categories and as ids, through all the
// reader's paths, and compares with encoding/csv.
func TestTextEqualsEncodingCSV(t *testing.T) {
	testenv.Unraced(t)
	r := rand.New(rand.NewPCG(3, 4))
	rows := 20_000
	if testing.Short() {
		rows = 4_000
	}
	pool := make([]string, 300)
	for i := range pool {
		pool[i] = randomText(r)
	}
	for _, ending := range []string{"\n", "\r\n"} {
		var text bytes.Buffer
		text.WriteString("first,number,second,id,last" + ending)
		quote := func(cell string) string {
			if strings.ContainsAny(cell, "\",\n") || strings.HasPrefix(strings.TrimLeft(cell, " \t"), `"`) || r.IntN(9) == 0 {
				return `"` + strings.ReplaceAll(cell, `"`, `""`) + `"`
			}
			return cell
		}
		for row := range rows {
			cells := []string{pool[r.IntN(len(pool))], strconv.Itoa(row), pool[r.IntN(len(pool))], randomText(r), pool[r.IntN(len(pool))]}
			for i, cell := range cells {
				cells[i] = quote(cell)
			}
			text.WriteString(strings.Join(cells, ",") + ending)
		}
		records, err := csv.NewReader(bytes.NewReader(text.Bytes())).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		names := []string{"first", "second", "last"}
		for _, size := range []int{1 << 20, 5_000, 97} {
			table := mustRead(t, text.String(), dataset.Categorical(names...), dataset.ID("id"), dataset.KeepBlanks(), dataset.MissingOnly("\x02"), dataset.ChunkSize(size))
			for row, record := range records[1:] {
				for i, name := range records[0] {
					c := table.Column(name)
					got := ""
					switch {
					case i == 1:
						got = dataset.FormatNumber(valueAt(c, row))
					case i == 3:
						got = c.Text(row)
					default:
						got = c.Levels()[c.Codes()[row]]
					}
					if got != record[i] {
						t.Fatalf("chunks of %d: row %d of %s is %q, encoding/csv has %q", size, row, name, got, record[i])
					}
				}
			}
		}
	}
}

// TestDictionary holds that cells get one code each, in the order they come, also such
// as differ in length alone or in zeros at their end.
func TestDictionary(t *testing.T) {
	var cells []string
	for length := range 40 {
		for _, c := range []string{"a", "\x00", "日"} {
			cell := strings.Repeat(c, length)
			if !slices.Contains(cells, cell) {
				cells = append(cells, cell)
			}
		}
	}
	for i := range 5_000 {
		cells = append(cells, fmt.Sprintf("level %d", i), fmt.Sprintf("a level with a longer name %d", i))
	}
	for pass := range 2 {
		for want, code := range dataset.DictionaryCodes(append(cells[:len(cells):len(cells)], cells...)) {
			if int(code) != want%len(cells) {
				t.Fatalf("pass %d: %q has code %d, want %d", pass, cells[want%len(cells)], code, want%len(cells))
			}
		}
	}
}
