package policy

import (
	"fmt"
	"unicode"
	"unicode/utf8"
)

// AppendTOML appends r to dst as a file has it, with a line feed at the end. Parse makes the same
// rule of it, but for bytes that aren't UTF-8, which TOML can't hold.
func (r *Rule) AppendTOML(dst []byte) []byte {
	key := func(name string) {
		dst = append(append(dst, name...), " = "...)
	}
	text := func(name, value string) {
		if value != "" {
			key(name)
			dst = append(appendString(dst, value), '\n')
		}
	}
	list := func(name string, values []string) {
		if len(values) > 0 {
			key(name)
			dst = append(appendList(dst, values), '\n')
		}
	}
	dst = append(dst, "[[rule]]\n"...)
	text("id", r.ID)
	key("argv")
	dst = append(dst, '[')
	for i, words := range r.Argv {
		if i > 0 {
			dst = append(dst, ", "...)
		}
		if len(words) == 1 {
			dst = appendString(dst, words[0])
		} else {
			dst = appendList(dst, words)
		}
	}
	dst = append(dst, "]\n"...)
	text("bin", r.Bin)
	text("decision", r.Decision.String())
	if r.Redirects != redirectsOf(r.Decision) {
		text("redirects", r.Redirects)
	}
	list("writes", r.Writes)
	list("files", r.Files)
	switch {
	case r.AnyEnv && r.Decision == Allow:
		text("env_assign", "any")
	case !r.AnyEnv && r.Decision != Allow && len(r.Env) == 0:
		text("env_assign", "none")
	}
	list("env_assign", r.Env)
	list("flags", r.Flags)
	list("cwd", r.Cwd)
	sessions := make([]string, len(r.Session))
	for i, s := range r.Session {
		sessions[i] = string(s)
	}
	list("session", sessions)
	text("inside", r.Inside)
	if r.Unknown {
		dst = append(dst, "unknown = true\n"...)
	}
	text("reason", r.Reason)
	list("match", r.Match)
	list("not_match", r.NotMatch)
	return dst
}

func appendList(dst []byte, values []string) []byte {
	dst = append(dst, '[')
	for i, v := range values {
		if i > 0 {
			dst = append(dst, ", "...)
		}
		dst = appendString(dst, v)
	}
	return append(dst, ']')
}

// appendString appends s in quotes. What can't be seen is escaped: people read these files.
func appendString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			dst = append(dst, '\\', byte(r))
		case r == '\n':
			dst = append(dst, `\n`...)
		case r == '\t':
			dst = append(dst, `\t`...)
		case unicode.IsPrint(r):
			dst = utf8.AppendRune(dst, r)
		case r > 0xffff:
			dst = fmt.Appendf(dst, `\U%08x`, r)
		default:
			dst = fmt.Appendf(dst, `\u%04x`, r)
		}
	}
	return append(dst, '"')
}
