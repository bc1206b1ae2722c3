package dataset

// formats lists all formats; the first that knows an input reads it. The last one
// takes what no other knows.
var formats = []*format{
	{name: arrowFormat, title: "Arrow", knows: isArrow, open: newColumnarSource(arrowFormat, newArrowLayout), idle: textKeys},
	{name: parquetFormat, title: "Parquet", knows: isParquet, open: newColumnarSource(parquetFormat, newParquetLayout), idle: textKeys},
	{name: svmFormat, title: "LibSVM text", knows: knowsSVM, idle: []string{"separator", "header", "encoding", "decimal"},
		open: func(o *options, inputs []input) source { return &svmSource{options: o, inputs: inputs} }},
	{name: csvFormat, title: "CSV or TSV in UTF-8, latin1 or cp1252", idle: []string{"absent", "index_base"},
		open: func(o *options, inputs []input) source { return &reader{options: o, inputs: inputs} }},
}

// Formats lists the names of the formats that can be read.
func Formats() []string {
	names := make([]string, len(formats))
	for i, f := range formats {
		names[i] = f.name
	}
	return names
}

// source returns what reads the inputs, by the beginning of the first.
func sourceOf(o *options, inputs []input) (source, error) {
	s, err := inputs[0].stream(o.formats)
	if err != nil {
		return nil, err
	}
	inputs[0].opened = s // stays so after an error, for closeInputs
	f, err := o.formatOf(s)
	if err != nil {
		return nil, err
	}
	o.opened = f
	opened := f.open(o, inputs)
	if !o.noSideFiles {
		opened = &sideSource{source: opened, options: o, inputs: inputs}
	}
	return opened, nil
}
