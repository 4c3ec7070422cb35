package audit

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/jsonrpc"
)

// maxLine is the most bytes that a line may have, its newline included: what is written at once,
// and what who reads a record has to hold.
const maxLine = 4 << 10

// hashLen is the length of a hash in hex, and noHash the Prev of a record's first line.
const hashLen = 2 * sha256.Size

var noHash = strings.Repeat("0", hashLen)

// What a line ends in, between the hashes: a hash is of all that comes before hashKey.
const (
	prevKey = `,"prev":"`
	hashKey = `","hash":"`
	lineEnd = `"}` + "\n"
)

// cutMark ends what was cut.
const cutMark = "…"

// appendLine appends e as a line, and sets its Hash. What is too long is cut, and the hash of the
// whole is beside it, in "whole".
func appendLine(dst []byte, e *Event) []byte {
	start := len(dst)
	var w writer
	for w.most = maxLine / 2; ; w.most /= 2 {
		w.dst, w.cut = dst[:start], nil
		w.event(e)
		w.string(prevKey, e.Prev)
		if len(w.dst)-start+len(hashKey)+hashLen+len(lineEnd) <= maxLine {
			break
		}
	}
	sum := sha256.Sum256(w.dst[start:])
	e.Hash = hex.EncodeToString(sum[:])
	w.string(hashKey, e.Hash)
	return append(w.dst, lineEnd...)
}

// A writer writes the members of a line. Those that may be long get at most so many bytes each.
type writer struct {
	dst    []byte
	most   int
	cut    []string          // the members that are not whole
	hashes map[string]string // of the whole ones, by name
}

func (w *writer) event(e *Event) {
	w.dst = append(w.dst, `{"seq":`...)
	w.dst = strconv.AppendUint(w.dst, e.Seq, 10)
	w.string(`,"event":"`, string(e.Event))
	w.dst = append(w.dst, `","ts":"`...)
	w.dst = e.Time.AppendFormat(w.dst, time.RFC3339Nano)
	w.string(`","host_id":"`, e.HostID)
	w.dst = append(w.dst, '"')
	w.number("mono_ns", int64(e.Mono))
	w.text("session_id", string(e.Session))
	w.text("terminal_id", string(e.Terminal))
	if e.Agent != (Agent{}) {
		w.object("agent", func() {
			w.text("agent.name", e.Agent.Name)
			w.text("agent.version", e.Agent.Version)
		})
	}
	w.list("argv", e.Argv)
	w.text("exec", string(e.Exec))
	w.commands(e.Commands)
	w.text("cwd", e.Cwd)
	w.list("env_names", e.EnvNames)
	w.text("rule_id", e.RuleID)
	w.text("decision", e.Decision)
	w.text("by", e.By)
	w.text("sandbox", e.Sandbox)
	w.list("more", e.More)
	if e.Limits != (Limits{}) {
		w.object("limits", func() {
			w.number("timeout_ms", e.Limits.Timeout.Milliseconds())
			w.number("output_bytes", e.Limits.OutputBytes)
		})
	}
	w.number("pid", int64(e.Pid))
	w.text("cgroup", e.Cgroup)
	w.status(e)
	w.text("path", e.Path)
	w.text("change", e.Change)
	w.text("outcome", e.Outcome)
	w.text("kept", e.Kept)
	w.text("method", e.Method)
	w.text("url", e.URL)
	w.number("http_status", int64(e.HTTPStatus))
	w.number("bytes_sent", e.BytesSent)
	w.number("bytes_received", e.BytesReceived)
	w.text("reason", e.Reason)
	if e.Duration > 0 {
		w.key("dur_ms")
		w.dst = strconv.AppendInt(w.dst, e.Duration.Milliseconds(), 10)
	}
	w.number("bytes_out", e.BytesOut)
	if e.Truncated {
		w.key("truncated")
		w.dst = append(w.dst, "true"...)
	}
	if e.Usage != (core.Usage{}) {
		w.object("rusage", func() {
			w.number("utime_us", e.Usage.UserTime.Microseconds())
			w.number("stime_us", e.Usage.SystemTime.Microseconds())
			w.number("maxrss", e.Usage.MaxRSS)
			w.number("fuel", int64(e.Usage.Fuel))
		})
	}
	w.text("trace_id", e.TraceID)
	w.text("span_id", e.SpanID)
	if e.torn != (torn{}) {
		w.object("torn", func() {
			w.number("bytes", e.torn.Bytes)
			w.text("sha256", e.torn.SHA256)
		})
	}
	if len(w.cut) > 0 {
		w.object("whole", func() {
			for _, name := range w.cut {
				w.key(name)
				w.string(`"sha256:`, w.hashes[name])
				w.dst = append(w.dst, '"')
			}
		})
	}
}

func (w *writer) status(e *Event) {
	switch {
	case e.Signal != "":
		w.text("signal", e.Signal)
	case e.Status == nil || e.Status.Unknown:
	case e.Status.Signal != "":
		w.text("signal", e.Status.Signal)
	default:
		w.key("exit_code")
		w.dst = strconv.AppendUint(w.dst, uint64(e.Status.ExitCode), 10)
	}
}

// string appends what needs no quoting.
func (w *writer) string(before, s string) {
	w.dst = append(w.dst, before...)
	w.dst = append(w.dst, s...)
}

func (w *writer) key(name string) {
	if w.dst[len(w.dst)-1] != '{' {
		w.dst = append(w.dst, ',')
	}
	w.string(`"`, name)
	w.dst = append(w.dst, `":`...)
}

func (w *writer) object(name string, members func()) {
	w.key(name)
	w.dst = append(w.dst, '{')
	members()
	w.dst = append(w.dst, '}')
}

func (w *writer) number(name string, n int64) {
	if n != 0 {
		w.key(name)
		w.dst = strconv.AppendInt(w.dst, n, 10)
	}
}

// text writes a member. Of one of another object, name is the path.
func (w *writer) text(name, s string) {
	if s == "" {
		return
	}
	w.key(name[strings.LastIndexByte(name, '.')+1:])
	if !w.quote(s, w.most) {
		w.note(name, func(add func(string)) { add(s) })
	}
}

// list writes strings. Its whole is each of them with a NUL after it, as in /proc/PID/cmdline.
func (w *writer) list(name string, list []string) {
	if len(list) == 0 {
		return
	}
	w.key(name)
	if !w.array(list, w.most) {
		w.note(name, func(add func(string)) { addList(add, list) })
	}
}

func (w *writer) array(list []string, most int) (whole bool) {
	whole = true
	end := len(w.dst) + most
	w.dst = append(w.dst, '[')
	for i, s := range list {
		if i > 0 {
			w.dst = append(w.dst, ',')
		}
		if len(w.dst) >= end {
			w.string(`"`, cutMark+`"]`)
			return false
		}
		whole = w.quote(s, end-len(w.dst)) && whole
	}
	w.dst = append(w.dst, ']')
	return whole
}

// commands writes lists of words. The whole is each of them as a list's, with a NUL after it.
func (w *writer) commands(commands [][]string) {
	if len(commands) == 0 {
		return
	}
	w.key("commands")
	whole := true
	end := len(w.dst) + w.most
	w.dst = append(w.dst, '[')
	for i, c := range commands {
		if i > 0 {
			w.dst = append(w.dst, ',')
		}
		if len(w.dst) >= end {
			w.string(`["`, cutMark+`"]`)
			whole = false
			break
		}
		whole = w.array(c, end-len(w.dst)) && whole
	}
	w.dst = append(w.dst, ']')
	if !whole {
		w.note("commands", func(add func(string)) {
			for _, c := range commands {
				addList(add, c)
				add("\x00")
			}
		})
	}
}

func addList(add func(string), list []string) {
	for _, s := range list {
		add(s)
		add("\x00")
	}
}

// note says that a member is not whole. each calls add with what the whole is.
func (w *writer) note(name string, each func(add func(string))) {
	w.cut = append(w.cut, name)
	if w.hashes[name] != "" {
		return
	}
	h := sha256.New()
	each(func(s string) { h.Write([]byte(s)) })
	if w.hashes == nil {
		w.hashes = map[string]string{}
	}
	w.hashes[name] = hex.EncodeToString(h.Sum(nil))
}

// quote writes s as a JSON string of about so many bytes at the most. It reports whether reading it
// gives s again: bytes that are no UTF-8 are shown as U+FFFD. What a terminal would obey, or would
// show in another order, is escaped.
func (w *writer) quote(s string, most int) (whole bool) {
	whole = true
	end := len(w.dst) + most
	w.dst = append(w.dst, '"')
	for len(s) > 0 {
		if len(w.dst) >= end {
			w.string(cutMark, `"`)
			return false
		}
		r, size := utf8.DecodeRuneInString(s)
		switch {
		case r == utf8.RuneError && size == 1:
			w.dst = utf8.AppendRune(w.dst, utf8.RuneError)
			whole = false
		case r == '"' || r == '\\':
			w.dst = append(w.dst, '\\', byte(r))
		case unicode.IsPrint(r):
			w.dst = append(w.dst, s[:size]...)
		case r < ' ':
			quoted := jsonrpc.AppendString(nil, s[:size])
			w.dst = append(w.dst, quoted[1:len(quoted)-1]...)
		default:
			w.escape(r)
		}
		s = s[size:]
	}
	w.dst = append(w.dst, '"')
	return whole
}

// escape writes r as JSON escapes, of UTF-16.
func (w *writer) escape(r rune) {
	units := []rune{r}
	if r > 0xffff {
		units = []rune{0xd800 + (r-0x10000)>>10, 0xdc00 + (r-0x10000)&0x3ff}
	}
	for _, u := range units {
		w.dst = append(w.dst, '\\', 'u')
		for shift := 12; shift >= 0; shift -= 4 {
			w.dst = append(w.dst, "0123456789abcdef"[u>>shift&15])
		}
	}
}
