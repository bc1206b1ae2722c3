package dataset

import (
	"runtime"
	"testing"
	"time"

	"boost/dataset/internal/chunk"
)

// A summary must not keep the values alive that it stands for: a table's worth of them
// would stay in memory until the last chunk is read.
func TestSummaryFreesValues(t *testing.T) {
	freed := make(chan string, 2)
	f64, f32 := new([1000]float64), new([1000]float32)
	f64[3] = 0.1
	runtime.SetFinalizer(f64, func(*[1000]float64) { freed <- "f64" })
	runtime.SetFinalizer(f32, func(*[1000]float32) { freed <- "f32" })
	wide, narrow := &chunk.ColumnChunk{F64: f64[:], Present: 1000}, &chunk.ColumnChunk{F32: f32[:], Present: 1000}
	wide.Summarize(1000, nil)
	narrow.Summarize(1000, nil)
	f64, f32 = nil, nil
	for range 2 {
		runtime.GC()
		select {
		case <-freed:
		case <-time.After(10 * time.Second):
			t.Fatal("values are still held")
		}
	}
	if !wide.Numeric() || !narrow.Numeric() || !wide.Summary.Wide || narrow.Summary.Wide || wide.Rows() != 1000 {
		t.Errorf("summaries %+v and %+v", wide.Summary, narrow.Summary)
	}
	runtime.KeepAlive(wide)
	runtime.KeepAlive(narrow)
}
