package core_test

import (
	"strings"
	"testing"

	"github.com/terrarium-dev/terrarium/core"
)

func TestParseTraceparent(t *testing.T) {
	const (
		trace = "0af7651916cd43dd8448eb211c80319c"
		span  = "b7ad6b7169203331"
		valid = "00-" + trace + "-" + span + "-01"
	)
	for _, c := range []struct{ name, sent, want string }{
		{"valid", valid, valid},
		{"not sampled", "00-" + trace + "-" + span + "-00", "00-" + trace + "-" + span + "-00"},
		{"random", "00-" + trace + "-" + span + "-02", "00-" + trace + "-" + span + "-02"},
		{"flags of later levels", "00-" + trace + "-" + span + "-ff", "00-" + trace + "-" + span + "-03"},
		{"other flags of later levels", "00-" + trace + "-" + span + "-ad", "00-" + trace + "-" + span + "-01"},
		{"later version", "cc-" + trace + "-" + span + "-01", valid},
		{"later version with more", "cc-" + trace + "-" + span + "-01-what-is-this", valid},

		{"none", "", ""},
		{"cut short", valid[:54], ""},
		{"more than version 00 has", valid + "-01", ""},
		{"a newline behind it", valid + "\n", ""},
		{"later version without a dash", "cc-" + trace + "-" + span + "-01.x", ""},
		{"forbidden version", "ff-" + trace + "-" + span + "-01", ""},
		{"no version", "--" + valid[2:], ""},
		{"upper case", strings.ToUpper(valid), ""},
		{"no hex in the trace", "00-" + trace[:31] + "g-" + span + "-01", ""},
		{"no hex in the span", "00-" + trace + "-" + span[:15] + "-" + "-01", ""},
		{"no hex in the flags", "00-" + trace + "-" + span + "-0:", ""},
		{"zero trace", "00-" + strings.Repeat("0", 32) + "-" + span + "-01", ""},
		{"zero span", "00-" + trace + "-" + strings.Repeat("0", 16) + "-01", ""},
		{"dashes elsewhere", "00." + valid[3:], ""},
		{"control characters", "00-" + trace + "-" + span + "-\x1b1", ""},
		{"endless", strings.Repeat("0", 1<<20), ""},
	} {
		got := core.ParseTraceparent(c.sent)
		if string(got) != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
		if c.want != "" && (got.TraceID() != trace || got.SpanID() != span) {
			t.Errorf("%s: got trace %q and span %q", c.name, got.TraceID(), got.SpanID())
		}
		if c.want == "" && got.TraceID()+got.SpanID() != "" {
			t.Errorf("%s: got trace %q and span %q of none", c.name, got.TraceID(), got.SpanID())
		}
	}
}
