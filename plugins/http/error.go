package http

// A Code says why there is no response, or not all of it.
type Code uint32

const (
	Invalid  Code = 1 // the request is malformed
	Refused  Code = 2 // no rule allows it
	NoHost   Code = 3 // the name could not be looked up
	NoAnswer Code = 4 // no address of the host answers
	NoTLS    Code = 5 // TLS has failed: most often, the certificate
	TimedOut Code = 6 // it took too long
	TooLarge Code = 7 // the header, or the body, is larger than the host allows
	Broken   Code = 8 // the server has ended too soon, or does not speak HTTP
	TooMany  Code = 9 // too many requests at once
)

// An Error is the host's.
type Error struct {
	Code Code
	// Text is a sentence for a person, on one line. Where the host's rules refuse
	// something it says what would allow it.
	Text string
}

func (e *Error) Error() string { return e.Text }
