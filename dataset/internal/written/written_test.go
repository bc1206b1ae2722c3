package written_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"boost/dataset/internal/written"
)

// search returns the forms that texts, which stand between bars, may have.
func search(point byte, texts string) string {
	s := written.NewSearch(point)
	for text := range strings.SplitSeq(texts, "|") {
		s.Add(text)
	}
	var forms []string
	for _, f := range s.Forms() {
		forms = append(forms, f.String())
	}
	return strings.Join(forms, " or ")
}

func TestForms(t *testing.T) {
	for _, c := range []struct{ texts, want string }{
		// Money.
		{"$1,200.50|$ 950|$12", "1,234.5 $"},
		{"$88,923|$950", "1,234.5 $"},
		{"$12|13", "1,234.5 $"},
		{"-$5|$-5|($5)|−$ 5", "1,234.5 $"},
		{"€ 12|€13", "1234 €"},
		{"12,50 €|1.200,00 €", "1.234,5 €"},
		{"12,50 €|8,00 €", "1.234,5 €"},
		{"€ 1.200|€ 1.459", "1,234.5 € or 1.234,5 €"},
		{"12 USD|1,300 USD", "1,234.5 USD"},
		{"$5|€5", ""},
		{"$1,20|$1,200", "1.234,5 $"},
		// Thousands: three digits behind a comma may be a fraction.
		{"88,923|1,200", "1,234.5 or 1.234,5"},
		{"88,923|950.5", "1,234.5"},
		{"88,923|1,234,567", "1,234.5"},
		{"0,123|88,923", "1.234,5"},
		{"12,5|88,923", "1.234,5"},
		{"1.234,50|7", "1.234,5"},
		{"1.234.567|7", "1.234,5"},
		{"1 234|12 345,5", "1 234,5"},
		{"1 234|56", "1 234.5"},
		{"1'234.5|56", "1'234.5"},
		{"1\u202f234,5|1\u00a0234,5", "1 234,5"},
		{"12,34|12,345,6", ""},
		{"12,34.5", ""},
		// Percent and units: every cell must have them.
		{"12 %|3.5%", "1,234.5 %"},
		{"12 %|0.12", ""},
		{"12 kg|12.5kg", "1,234.5 kg"},
		{"12 kg|13 kg", "1234.5 kg"},
		{"12.500 kg|13.250 kg", "1,234.5 kg"},
		{"12,500 kg|13,250 kg", "1,234.5 kg or 1.234,5 kg"},
		{"12 kg|12 lb", ""},
		{"12 kg|12", ""},
		{"20 °C|-3 °C", "1234.5 °C"},
		{"80 km/h|90 km/h", "1234.5 km/h"},
		// Dates.
		{"12/31/2024|1/2/2024", "mm/dd/yyyy"},
		{"31/12/2024|1/2/2024", "dd/mm/yyyy"},
		{"31.12.2024|1.2.2024", "dd/mm/yyyy"},
		{"1.2.2024|3.4.2024", "dd/mm/yyyy"},
		{"1/2/2024|3/4/2024", "mm/dd/yyyy or dd/mm/yyyy"},
		{"12/31/2024|31/12/2024", ""},
		{"2/30/2024", ""},
		{"2024/12/31|2024-01-02", "yyyy/mm/dd"},
		{"2024-12-31|2024-01-02", ""}, // is a date as it is
		{"12/31/2024 13:45|1/2/2024 1:45:10 PM", "mm/dd/yyyy"},
		{"12/31/24", ""},
		{"03-Jan-2024|31 december 2024", "dd mon yyyy"},
		{"Jan 3, 2024|2024-01-04", "dd mon yyyy"},
		{"3 Jan 2024|12/31/2024", "mm/dd/yyyy"},
		{"3 Jan 2024|1/2/2024", "mm/dd/yyyy or dd/mm/yyyy"},
		{"03-Jan-24", ""}, {"03-Jan-2024|03-Jan-24", ""}, {"31 Feb 2024", ""}, {"Mai 3, 2024", ""}, {"Jan 2024", ""}, {"May 5", ""},
		// Neither.
		{"A1|A2", ""}, {"old|12", ""}, {"> 89|12 kg", ""}, {"12-13|4-5", ""}, {"12:30", ""}, {"555-1234", ""}, {"", ""}, {"kg", ""}, {"$", ""},
		{"1.2.3", ""}, {"10.0.0.1", ""}, {"1e5 kg", ""}, {"--5 kg", ""}, {"((5))", ""}, {"(-5)", ""}, {"5 5", ""}, {"Mr. 5", ""}, {"12 x 13", ""},
	} {
		if got := search('.', c.texts); got != c.want {
			t.Errorf("%s: %s, want %s", c.texts, got, c.want)
		}
	}
	for _, c := range []struct{ texts, want string }{
		{"88.923|1.200", "1.234,5 or 1,234.5"}, {"12,5 kg|3 kg", "1.234,5 kg"}, {"12,500 kg", "1.234,5 kg"}, {"12.500 kg", "1.234,5 kg or 1,234.5 kg"},
	} {
		if got := search(',', c.texts); got != c.want {
			t.Errorf("decimal comma, %s: %s, want %s", c.texts, got, c.want)
		}
	}
}

func TestParse(t *testing.T) {
	const day = 86400.0
	for _, c := range []struct {
		form, text string
		want       float64 // NaN: is not of the form
	}{
		{"1,234.5 $", "$1,200.50", 1200.5}, {"1,234.5 $", "1200.5", 1200.5}, {"1,234.5 $", "($7)", -7}, {"1,234.5 $", "€7", math.NaN()},
		{"1,234.5 $", "$1.200,5", math.NaN()}, {"1,234.5 $", "$12,00", math.NaN()}, {"$1,234.5", "$ 12", 12}, {"1234 €", "€ 1.200", math.NaN()},
		{"1.234,5", "1.234", 1234}, {"1234,5", "88,923", 88.923}, {"1,234.5", "88,923", 88923}, {"1,234.5", ".5", .5}, {"1 234,5", "-1 234,25", -1234.25},
		{"1234.5 %", "12 %", 12}, {"1234.5 %", "12", math.NaN()}, {"1234.5 %", "12 kg", math.NaN()}, {"1,234.5 kg", " 1,000 kg ", 1000},
		{"1,234.5", "", math.NaN()}, {"1,234.5", "12,", math.NaN()}, {"1,234.5", ",123", math.NaN()}, {"1,234.5", "1,2345", math.NaN()}, {"1,234.5", "nan", math.NaN()},
		// 2024-12-31 is day 20088 after 1970-01-01: 54 · 365 + 13 leap days + 365.
		{"mm/dd/yyyy", "12/31/2024", 20088 * day}, {"dd/mm/yyyy", "31.12.2024", 20088 * day}, {"dd/mm/yyyy", "12/31/2024", math.NaN()},
		{"mm/dd/yyyy", "31.12.2024", math.NaN()}, {"mm/dd/yyyy", "2024-12-31", 20088 * day}, {"yyyy/mm/dd", "2024/12/31 06:00", 20088*day + 6*3600},
		{"mm/dd/yyyy", "12/31/2024 12:00 AM", 20088 * day}, {"mm/dd/yyyy", "12/31/2024, 12:30 pm", 20088*day + 12.5*3600},
		{"dd mon yyyy", "Dec 31, 2024 6:00", 20088*day + 6*3600}, {"dd mon yyyy", "2024-DEC-31", 20088 * day}, {"dd mon yyyy", "31.12.2024", math.NaN()},
		{"dd mon yyyy", "31-Dec-24", math.NaN()}, {"dd/mm/yyyy", "31 Dec 2024 12:30 pm", 20088*day + 12.5*3600},
		{"mm/dd/yyyy", "12/31/2024 13:00 PM", math.NaN()}, {"mm/dd/yyyy", "12/31/2024 24:00", math.NaN()}, {"mm/dd/yyyy", "20241231", math.NaN()},
	} {
		form, err := written.ParseForm(c.form)
		if err != nil {
			t.Errorf("%s: %v", c.form, err)
			continue
		}
		got, ok := form.Parse(c.text)
		if ok != (c.want == c.want) || ok && got != c.want {
			t.Errorf("%s as %s: %v, %v, want %v", c.text, c.form, got, ok, c.want)
		}
	}
	for _, bad := range []string{"", "number", "1,234", "1,234.5 1", "dd-mm-yyyy", "%", "1234.5 $ kg extremely long"} {
		if f, err := written.ParseForm(bad); err == nil {
			t.Errorf("%q is %v", bad, f)
		}
	}
}

// Years of two digits are seen, and never read: 24 may be 1924.
func TestShortDates(t *testing.T) {
	for _, text := range []string{"12/31/24", "31-12-24", "03-Jan-24", "Jan 3, 24 10:00", "01.02.24"} {
		if !written.IsShortDate(text) {
			t.Errorf("%s is no date", text)
		}
	}
	for _, text := range []string{"12/31/2024", "13/13/24", "1.2.24", "1.10.12", "03-Foo-24", "24", "12:31:24", "555-12-34", "99-99-99"} {
		if written.IsShortDate(text) {
			t.Errorf("%s is a date", text)
		}
	}
}

// Numbers that are written in several ways are seen as such; names with digits are not.
func TestMixed(t *testing.T) {
	for _, c := range []struct{ texts, one, other string }{
		{"$5|€7|$9", "$5", "€7"}, {"5%|70", "5%", "70"}, {"70|71|5%", "70", "5%"}, {"1.234,56|1,234.56", "1.234,56", "1,234.56"},
		{"12 kg|12", "12 kg", "12"}, {"12/31/2024|31/12/2024", "12/31/2024", "31/12/2024"}, {"12/31/2024|12/31/24", "12/31/2024", "12/31/24"},
		{"1st|2nd|3rd", "", ""}, {"12 kg|12 lb", "", ""}, {"$5|free", "", ""}, {"1.2.3|1.2", "", ""}, {"5|7", "", ""}, {"$5|$7", "", ""}, {"2024-01-02", "", ""},
	} {
		one, other, ok := written.Mixed('.', strings.Split(c.texts, "|"))
		if one != c.one || other != c.other || ok != (c.one != "") {
			t.Errorf("%s: %q, %q, %v", c.texts, one, other, ok)
		}
	}
}

// One text in ten may be of another kind than all others, which one form reads.
func TestOdd(t *testing.T) {
	for _, c := range []struct{ texts, odd, form string }{
		{"$1|$2|$3|$4|$5|many|$6|$7|$8|$9", "many", "1,234.5 $"}, {"$1|$2|$3|$4|$5|many|$6|$7|$8", "", ""},
		{"1 kg|2 kg|3 kg|4 kg|5 kg|6 kg|7 kg|8 kg|9 kg|-", "-", "1234.5 kg"},
		{"1 kg|2 kg|3 kg|4 kg|5 lb|6 kg|7 kg|8 kg|9 kg|-", "", ""},
		{"12/13/2024|1/2/2024|1/3/2024|1/4/2024|1/5/2024|1/6/2024|1/7/2024|1/8/2024|1/9/2024|soon", "soon", "mm/dd/yyyy"},
		{"1/1/2024|1/2/2024|1/3/2024|1/4/2024|1/5/2024|1/6/2024|1/7/2024|1/8/2024|1/9/2024|soon", "", ""}, // two readings
		{"1|2|3|4|5|6|7|8|9|none|11|12|13|14|15|16|17|18|19|unknown", "none|unknown", "1234.5"},
		{"1|2|NULL|-|3", "NULL|-", "1234.5"}, {"$1|$2|unknown", "unknown", "1,234.5 $"}, {"1|2|5+", "", ""}, {"1|NULL", "", ""},
		{"2024-01-01|2024-01-02|#N/A", "#N/A", "yyyy/mm/dd"}, {"2024/01/31|2024/02/31|2024/03/31|NULL", "", ""},
		{"$1|$2|$3|$4|$5|$6|$7|$8|$9|$10", "", ""}, {"a|b|c", "", ""}, {"", "", ""},
	} {
		odd, form, ok := written.Odd('.', strings.Split(c.texts, "|"))
		if strings.Join(odd, "|") != c.odd || ok != (c.odd != "") || ok && form.String() != c.form {
			t.Errorf("%s: %q, %v, %v", c.texts, odd, form, ok)
		}
	}
}

// What a search finds reads all texts, and is written so that it is found again.
func FuzzSearch(f *testing.F) {
	for _, seed := range []string{"$1,200.50|$5", "12 kg|(3 kg)", "31.12.2024|1.2.2024 1:00 AM", "1 234|−5", "€ 1.200", "12,5|7", "Jan 3, 2024|2024-01-04", "03-Jan-24"} {
		f.Add(seed, true)
	}
	f.Fuzz(func(t *testing.T, texts string, comma bool) {
		point := byte('.')
		if comma {
			point = ','
		}
		list := strings.Split(texts, "|")
		s := written.NewSearch(point)
		for _, text := range list {
			s.Add(text)
		}
		for _, form := range s.Forms() {
			for _, text := range list {
				if v, ok := form.Parse(text); !ok || v != v {
					t.Errorf("%q of %q is none of %v", text, texts, form)
				}
			}
			again, err := written.ParseForm(form.String())
			if err != nil || again != form {
				t.Errorf("%v of %q is read as %v: %v", fmt.Sprintf("%+v", form), texts, again, err)
			}
		}
	})
}
