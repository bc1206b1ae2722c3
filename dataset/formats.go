package dataset

import (
	"boost/dataset/internal/arrowipc"
	"boost/dataset/internal/chunk"
	"boost/dataset/internal/columnar"
	"boost/dataset/internal/csv"
	"boost/dataset/internal/jsonl"
	"boost/dataset/internal/libsvm"
	"boost/dataset/internal/parquet"
	"boost/dataset/internal/sidefile"
	"boost/dataset/internal/xlsx"
)

// formats lists all formats; the first that knows an input reads it. The last one
// takes what no other knows.
var formats = []*chunk.Format{
	{Cuts: true, Name: arrowipc.FormatName, Title: "Arrow", Knows: arrowipc.Recognizes, Open: columnar.NewSource(arrowipc.FormatName, arrowipc.NewLayout), Idle: chunk.TextKeys},
	{Cuts: true, Name: parquet.FormatName, Title: "Parquet", Knows: parquet.Recognizes, Open: columnar.NewSource(parquet.FormatName, parquet.NewLayout), Idle: chunk.TextKeys},
	{Name: xlsx.FormatName, Title: "Excel (.xlsx)", Knows: xlsx.Recognizes, Open: xlsx.NewSource, Idle: []string{"separator", "encoding", "absent", "index_base"}},
	{Cuts: true, Name: jsonl.FormatName, Title: "JSON lines", Knows: jsonl.Recognizes, Open: jsonl.NewSource, Idle: chunk.TextKeys},
	{Name: libsvm.FormatName, Title: "LibSVM text", Knows: libsvm.Recognizes, Open: libsvm.NewSource, Idle: []string{"separator", "header", "encoding", "decimal", "sheet", "skip_lines"}},
	{Cuts: true, Name: chunk.CSVFormat, Title: "CSV or TSV in UTF-8, latin1 or cp1252", Idle: []string{"absent", "index_base", "sheet"},
		Open: func(o *chunk.Options, inputs []chunk.Input) chunk.Source {
			return &csv.Reader{Options: o, Inputs: inputs}
		}},
}

// Formats lists the names of the formats that can be read.
func Formats() []string {
	names := make([]string, len(formats))
	for i, f := range formats {
		names[i] = f.Name
	}
	return names
}

// sourceOf returns what reads the inputs, by the beginning of the first.
func sourceOf(o *chunk.Options, inputs []chunk.Input) (chunk.Source, error) {
	s, err := inputs[0].Stream(o.Formats)
	if err != nil {
		return nil, err
	}
	inputs[0].Opened = s // stays so after an error, for closeInputs
	f, err := o.FormatOf(s)
	if err != nil {
		return nil, err
	}
	o.Opened = f
	opened := f.Open(o, inputs)
	if !o.NoSideFiles {
		opened = sidefile.NewSource(opened, o, inputs)
	}
	return opened, nil
}
