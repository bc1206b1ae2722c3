package libsvm

// findStored notes which features some row stores, where entries are so few that many
// features cannot have any.
func (s *Reader) findStored(most int32, entries int) {
	if s.counts != nil || int(most) < 2*entries { // where cells are counted they are gone
		return
	}
	s.stored = make([]bool, most+1)
	for _, ch := range s.chunks {
		for _, index := range ch.Columns {
			s.stored[index] = true
		}
	}
}

// IsEmpty reports whether no row stores anything of a column.
func (s *Reader) IsEmpty(column int) bool {
	i := column - (len(s.names) - len(s.indices))
	return s.stored != nil && i >= 0 && i < len(s.indices) && !s.stored[s.indices[i]]
}
