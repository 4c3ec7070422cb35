package harness

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"time"
)

// How long nothing may come of an answer that has begun, before it counts as it
// is: its parser then says what is wrong with it, and the agent is asked again.
// Who waits for its end waits for as long as an answer may take.
const (
	// brokenQuiet is for what can't become JSON any more. The rest of it may
	// still be on its way.
	brokenQuiet = 250 * time.Millisecond
	// unfinishedQuiet is for what could, and ends in a newline.
	unfinishedQuiet = 5 * time.Second
)

// nextQuiet returns for how long to wait after nothing has come for quiet, 0 if
// there is nothing to wait for.
func nextQuiet(quiet time.Duration) time.Duration {
	switch {
	case quiet < brokenQuiet:
		return brokenQuiet - quiet
	case quiet < unfinishedQuiet:
		return unfinishedQuiet - quiet
	}
	return 0
}

// giveUp returns the answer that has begun, if nothing has come for so long that
// no end of it is to be expected.
func (a *answers) giveUp(quiet time.Duration) (answer string, ok bool) {
	switch {
	case a.kind != object && a.kind != response:
		return "", false
	case a.wire == WireJSON && a.kind == object && quiet >= brokenQuiet && hopeless(a.buf):
	case quiet >= unfinishedQuiet && bytes.HasSuffix(a.buf, []byte{'\n'}):
	default:
		return "", false
	}
	whole := bytes.HasSuffix(a.buf, []byte{'\n'})
	answer = a.take(len(a.buf), len(a.buf))
	a.rest = !whole
	return answer, true
}

// hopeless reports whether nothing that may follow makes JSON of p.
func hopeless(p []byte) bool {
	d := json.NewDecoder(bytes.NewReader(p))
	d.UseNumber()
	for {
		if _, err := d.Token(); err != nil {
			return err != io.EOF && !errors.Is(err, io.ErrUnexpectedEOF)
		}
	}
}
