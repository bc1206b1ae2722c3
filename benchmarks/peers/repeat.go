package peers

import "time"

// Repeat does work again and again and returns the least seconds and how often it was done: until
// it was done three times and the budget is spent, or four times the budget. peers.py has the same
// rule.
func Repeat(budget float64, work func() (seconds float64, err error)) (least float64, times int, err error) {
	begin := time.Now()
	for {
		seconds, err := work()
		if err != nil {
			return 0, times, err
		}
		if times++; times == 1 || seconds < least {
			least = seconds
		}
		if spent := time.Since(begin).Seconds(); times >= 3 && spent >= budget || spent >= 4*budget {
			return least, times, nil
		}
	}
}
