package core

// A Traceparent names the span that a command belongs to, as W3C Trace Context
// writes it in version 00: 55 bytes of the form "00-TRACE-SPAN-FLAGS". Empty is
// none. ParseTraceparent makes one.
//
// https://www.w3.org/TR/trace-context/#traceparent-header
type Traceparent string

// traceparentSize is the length of version, trace, span, flags and three dashes.
const traceparentSize = 2 + 1 + 32 + 1 + 16 + 1 + 2

// ParseTraceparent returns the span that s names. It returns "" if s is not valid:
// the W3C has a receiver go on then as if nothing had been sent. What version 00
// does not know is left out, as the W3C says: what a later one has behind the
// flags, and flags other than sampled and random.
func ParseTraceparent(s string) Traceparent {
	if len(s) < traceparentSize || s[2] != '-' || s[35] != '-' || s[52] != '-' {
		return ""
	}
	version, trace, span, flags, rest := s[:2], s[3:35], s[36:52], s[53:55], s[55:]
	switch {
	case !isLowerHex(version), !isLowerHex(trace), !isLowerHex(span), !isLowerHex(flags):
		return ""
	case version == "ff", isZero(trace), isZero(span):
		return ""
	case rest != "" && (version == "00" || rest[0] != '-'):
		return ""
	}
	flag := s[54]
	if flag >= 'a' {
		flag += 9 // so that its lower bits are the digit's
	}
	return Traceparent("00" + s[2:53] + "0" + "0123"[flag&3:][:1])
}

// TraceID is the trace's id, 32 hexadecimal digits. That of none is empty.
func (t Traceparent) TraceID() string { return t.cut(3, 35) }

// SpanID is the span's id, 16 hexadecimal digits. That of none is empty.
func (t Traceparent) SpanID() string { return t.cut(36, 52) }

func (t Traceparent) cut(from, to int) string {
	if len(t) != traceparentSize {
		return ""
	}
	return string(t[from:to])
}

func isLowerHex(s string) bool {
	for i := range len(s) {
		if c := s[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

func isZero(hex string) bool {
	for i := range len(hex) {
		if hex[i] != '0' {
			return false
		}
	}
	return true
}

// traceVariable is what programs look for their parent span in. OpenTelemetry,
// "Environment Variables as Context Propagation Carriers":
// https://opentelemetry.io/docs/specs/otel/context/env-carriers/
const traceVariable = "TRACEPARENT"

// Environ returns what a Host adds to its base environment: Env and, before it,
// TRACEPARENT if there is a Traceparent. So a TRACEPARENT in Env wins.
func (c *Command) Environ() []EnvVariable {
	if c.Traceparent == "" {
		return c.Env
	}
	return append([]EnvVariable{{Name: traceVariable, Value: string(c.Traceparent)}}, c.Env...)
}
