package written

import (
	"strconv"
	"strings"
)

// value reads the digits of a number with the given marks.
func (n *number) value(group, decimal byte) (float64, bool) {
	plain, ok := plainDigits(n.body, group, decimal)
	if !ok {
		return 0, false
	}
	v, err := strconv.ParseFloat(plain, 64)
	if err != nil {
		return 0, false
	}
	if n.negative {
		v = -v
	}
	return v, true
}

// plainDigits writes digits with marks as digits with a point. Groups of thousands have three digits,
// the first of them one to three and no zero in front. A number without separators has every form.
func plainDigits(body string, group, decimal byte) (string, bool) {
	whole, fraction, hasFraction := strings.Cut(body, string(decimal))
	if hasFraction && !areDigits(fraction) {
		return "", false
	}
	if group != 0 {
		separator := string(group)
		if group == ' ' {
			whole = strings.NewReplacer("\u00a0", " ", "\u202f", " ").Replace(whole)
		} else if group == '\'' {
			whole = strings.ReplaceAll(whole, "’", "'")
		}
		parts := strings.Split(whole, separator)
		for i, part := range parts {
			if len(parts) > 1 && (i > 0 && len(part) != 3 || i == 0 && (len(part) == 0 || len(part) > 3 || part[0] == '0')) {
				return "", false
			}
		}
		whole = strings.Join(parts, "")
	}
	if whole == "" && hasFraction {
		whole = "0"
	}
	if !areDigits(whole) {
		return "", false
	}
	if hasFraction {
		whole += "." + fraction
	}
	return whole, true
}

func areDigits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }
