package parallel

// lockSpins is how often a lock that is taken is tried again before its thread sleeps: some
// microseconds, which is longer than it is held unless the holder has lost its processor.
const lockSpins = 2000

// shortLock is for a microsecond's work. It is a gate that is open where nobody holds it.
type shortLock struct{ sleeper }

func (s *shortLock) init() {
	s.sleeper.init()
	s.sleeper.open()
}

func (s *shortLock) lock() {
	for range lockSpins {
		if s.pass() {
			return
		}
	}
	s.sleepAmong()
}

func (s *shortLock) unlock() { s.open() }
