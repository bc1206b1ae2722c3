package written

import "slices"

// Search looks for the form in which texts are written. Add shows it the texts; Forms returns what
// they may be. NewSearch makes one.
type Search struct {
	point   byte // decimal mark of the table
	numbers bool // whether all texts may be numbers
	dates   bool // and dates
	affixed int  // texts with the affix
	some    int  // texts
	affix   string
	marks   uint                        // bits by place: which fit all texts
	differ  [len(marks)][len(marks)]int // texts that two marks read differently
	orders  [5]bool                     // of dates: which fit all texts
	plain   bool                        // the texts are dates of ISO 8601 alone
	named   bool                        // the month has its name in some
}

// NewSearch begins a search in a table with a decimal mark.
func NewSearch(point byte) *Search {
	return &Search{point: point, numbers: true, dates: true, plain: true, marks: 1<<len(marks) - 1, orders: [5]bool{MonthFirst: true, DayFirst: true, YearFirst: true, NamedMonth: true}}
}

// Add takes a text into account and reports whether there still is a form of all texts.
func (s *Search) Add(text string) bool {
	s.some++
	s.numbers = s.numbers && s.addNumber(text)
	s.dates = s.dates && s.addDate(text)
	return s.numbers || s.dates
}

func (s *Search) addNumber(text string) bool {
	n, ok := readNumber(text)
	if !ok {
		return false
	}
	if n.affix != "" {
		if s.affixed > 0 && s.affix != n.affix {
			return false
		}
		s.affix = n.affix
		s.affixed++
	}
	var values [len(marks)]float64
	for i, m := range marks {
		if !s.fit(i) {
			continue
		}
		if values[i], ok = n.value(m.group, m.decimal); !ok {
			s.marks &^= 1 << i
		}
	}
	for i := range marks {
		for k := range i {
			if s.fit(i) && s.fit(k) && values[i] != values[k] {
				s.differ[i][k]++
			}
		}
	}
	return s.marks != 0
}

// fit reports whether the marks at a place fit all texts.
func (s *Search) fit(i int) bool { return s.marks>>i&1 == 1 }

func (s *Search) addDate(text string) bool {
	d, ok := readDate(text)
	if !ok {
		return false
	}
	s.plain = s.plain && d.yearFirst && d.separator == '-'
	s.named = s.named || d.named
	some := false
	for order := MonthFirst; order <= NamedMonth; order++ {
		s.orders[order] = s.orders[order] && d.fits(order)
		some = some || s.orders[order]
	}
	return some
}

// Forms returns the forms in which all texts can be written: none, one, or several that read some of
// them differently.
func (s *Search) Forms() []Form {
	switch {
	case s.some == 0:
		return nil
	case s.numbers:
		return s.numberForms()
	case s.dates && !s.plain:
		return s.dateForms()
	}
	return nil
}

func (s *Search) numberForms() []Form {
	if s.affixed < s.some && s.affixed > 0 && !isCurrency(s.affix) { // 12 % and 0.12 need not mean the same
		return nil
	}
	left := s.left()
	if len(left) == 0 {
		return nil
	}
	forms := []Form{s.form(left[0])}
	for n, i := range left[1:] {
		// A form counts only if it reads some text differently from every form before.
		if !slices.ContainsFunc(left[:n+1], func(k int) bool { return s.differ[max(i, k)][min(i, k)] == 0 }) {
			forms = append(forms, s.form(i))
		}
	}
	return forms
}

// form returns the form with the marks at a place.
func (s *Search) form(i int) Form {
	return Form{Group: marks[i].group, Decimal: marks[i].decimal, Affix: s.affix}
}

// left returns the places of the marks that the numbers may have, the likeliest first.
func (s *Search) left() []int {
	comma, money := slices.Contains(commaCurrencies, s.affix), isCurrency(s.affix)
	var left []int
	switch {
	case s.fit(noMarks) && money && !comma: // the meaning of a mark in another table is not known
		return []int{noMarks}
	case comma && s.fit(englishMarks):
		return []int{englishMarks}
	case !money && s.point == '.' && s.fit(plainPoint): // the table's own decimal mark
		left = []int{plainPoint}
	case !money && s.point == ',' && s.fit(plainComma):
		left = []int{plainComma}
	default:
		order := []int{englishMarks, europeanMarks, plainPoint, plainComma, 4, 5, 6, 7}
		if s.point == ',' {
			order = []int{europeanMarks, englishMarks, plainComma, plainPoint, 5, 4, 7, 6}
		}
		return slices.DeleteFunc(order, func(i int) bool { return !s.fit(i) })
	}
	// Where a decimal mark was seen, the other one separates thousands.
	if with := left[0] + 2; !s.fit(noMarks) && s.fit(with) && s.differ[with][left[0]] == 0 {
		left[0] = with
	}
	return left
}

func (s *Search) dateForms() []Form {
	var forms []Form
	switch {
	case s.named && s.orders[NamedMonth]:
		return []Form{{Date: NamedMonth}}
	case s.orders[YearFirst]:
		return []Form{{Date: YearFirst}}
	}
	for _, order := range []Order{MonthFirst, DayFirst} {
		if s.orders[order] {
			forms = append(forms, Form{Date: order})
		}
	}
	return forms
}
