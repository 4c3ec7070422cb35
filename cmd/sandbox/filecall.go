package main

// maxCalls is how many calls about files may be under way, or not taken.
const maxCalls = 256

// A fileCall is a call about files that had to wait.
type fileCall struct {
	done bool
	out  []byte
	err  error
}

// later has f done by a caller that waits, tells the page when it is done, and keeps
// what comes of it until it is taken.
func (s *sandbox) later(f func(c caller, dst []byte) ([]byte, error)) (number int32, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.calls) >= maxCalls {
		return 0, errTooManyCalls
	}
	number = s.request()
	call := new(fileCall)
	s.calls[number] = call
	go func() { // ends when the provider has answered, or has had its time
		out, err := f(s.files.later(), nil)
		s.mu.Lock()
		defer s.mu.Unlock()
		call.done, call.out, call.err = true, out, err
		s.tell("file", func(e *encoder) { e.Int("request", int64(number)) })
	}()
	return number, nil
}

// taken returns what has come of a call.
func (s *sandbox) taken(number int32) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	call := s.calls[number]
	if call == nil || !call.done {
		return nil, errUnknownRequest
	}
	delete(s.calls, number)
	return call.out, call.err
}
