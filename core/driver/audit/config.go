package audit

// Config says what becomes of events.
type Config struct {
	// OnEvent, if set, is called with each event before it is written, one at a time, those of a
	// terminal in their order. It may set TraceID and SpanID, and must not change the rest. e is lent.
	OnEvent func(e *Event)
}
