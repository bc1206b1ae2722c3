package dataset

import "boost/dataset/internal/chunk"

var (
	// ErrTable is wrapped by every error that is the fault of a table: a file that is absent, a directory,
	// unreadable or empty, a column that is missing or repeated, a bad cell.
	ErrTable = chunk.ErrTable
	// ErrNoLabel is wrapped by the error about a table without a label where NeedLabel asks for one.
	ErrNoLabel = chunk.ErrNoLabel
	// ErrMemory is wrapped by the error about a table that takes more than MemoryLimit. It does not wrap
	// ErrTable, because the table is not at fault.
	ErrMemory = chunk.ErrMemory
)

// ParseError is a cell, or a row if Column is empty, that does not hold what its Place asks for: File, Line,
// Column, the Value found, what was expected (Want) and what to do (Fix). errors.Is(err, ErrTable) holds.
type ParseError = chunk.ParseError

// ParseErrors are several ParseErrors in the order of the rows: at most one of each column, and one about a row
// that has not the cells of the others. Error shows
// the first 20, one a line.
type ParseErrors = chunk.ParseErrors

// AbsentError is a column that an option names and the table lacks: File, Column, the Option, the Columns that
// there are, and Notes on how the table was read. errors.Is(err, ErrTable) holds.
type AbsentError = chunk.AbsentError

// ColumnError is a column that cannot be read, in a table that can be read without it: it holds lists, is
// encrypted, or is written in a way that is not understood. errors.Is(err, ErrTable) holds.
type ColumnError = chunk.ColumnError
