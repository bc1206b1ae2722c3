package written

import (
	"slices"
	"strings"
)

// Mixed returns two of some texts that are written in different ways, if all texts are numbers or all are dates and no
// form reads them all.
func Mixed(point byte, texts []string) (one, other string, ok bool) {
	s := NewSearch(point)
	for _, text := range texts {
		if !s.Add(text) {
			other = text
			break
		}
	}
	if other == "" {
		if s.dates && s.plain || len(s.Forms()) > 0 {
			return "", "", false
		}
		affix := func(text string) string {
			n, _ := readNumber(text)
			return n.affix
		}
		i := slices.IndexFunc(texts, func(text string) bool { return affix(text) != affix(texts[0]) })
		if i < 0 {
			return "", "", false
		}
		other = texts[i]
	}
	if !areNumbers(texts) && slices.ContainsFunc(texts, func(text string) bool { return !IsDate(text) }) {
		return "", "", false
	}
	return texts[0], other, true
}

// usuallyMissing are texts that often stand for no value, in lower case.
var usuallyMissing = []string{"-", "--", "---", ".", "..", "*", "#", "#n/a", "#na", "n.a.", "n.a", "na", "n/a", "<na>", "nan", "nil", "none", "null", "\\n", "missing", "unknown", "not available"}

// meansMissing reports whether a text often stands for no value.
func meansMissing(text string) bool {
	return slices.Contains(usuallyMissing, strings.ToLower(trim(text)))
}

// Odd returns the texts that keep the others from being read, and the form of the others: at most one text in ten is
// neither a number nor a date, those that often stand for no value not counted, and one form reads all others.
func Odd(point byte, texts []string) (odd []string, form Form, ok bool) {
	s, others, counted := NewSearch(point), 0, 0
	for _, text := range texts {
		if areNumbers([]string{text}) || IsDate(text) {
			if others++; !s.Add(text) {
				return nil, Form{}, false
			}
			continue
		}
		if NoDay(text) { // it is no other kind of text
			return nil, Form{}, false
		}
		if !meansMissing(text) {
			counted++
		}
		if odd = append(odd, text); 10*counted > len(texts) || len(odd) > len(usuallyMissing)+len(texts)/10 {
			return nil, Form{}, false
		}
	}
	forms := s.Forms()
	if s.dates && s.plain { // which need no form
		forms = []Form{{Date: YearFirst}}
	}
	if len(odd) == 0 || others < 2 || len(forms) != 1 {
		return nil, Form{}, false
	}
	return odd, forms[0], true
}

// areNumbers reports whether all texts are numbers, in any form. One of them may have a unit: 1st, 2nd and 3rd are
// names.
func areNumbers(texts []string) bool {
	unit := ""
	for _, text := range texts {
		n, ok := readNumber(text)
		if !ok {
			return false
		}
		some := false
		for _, m := range marks {
			_, ok := n.value(m.group, m.decimal)
			some = some || ok
		}
		isUnit := n.affix != "" && n.affix != "%" && !isCurrency(n.affix)
		if !some || isUnit && unit != "" && n.affix != unit {
			return false
		}
		if isUnit {
			unit = n.affix
		}
	}
	return true
}

// IsDate reports whether a text is a date in any form.
func IsDate(text string) bool {
	d, ok := readDate(text)
	return ok && (d.fits(MonthFirst) || d.fits(DayFirst) || d.fits(YearFirst)) || IsShortDate(text)
}
