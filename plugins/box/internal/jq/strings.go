package jq

import (
	"encoding/base64"
	"strings"
	"sync"
	"unicode/utf8"
)

func leftTrim(_ *machine, in any, args []any) (any, error) {
	s, ok := in.(string)
	prefix, ok2 := args[0].(string)
	if !ok || !ok2 {
		return in, nil
	}
	return strings.TrimPrefix(s, prefix), nil
}

func rightTrim(_ *machine, in any, args []any) (any, error) {
	s, ok := in.(string)
	suffix, ok2 := args[0].(string)
	if !ok || !ok2 {
		return in, nil
	}
	return strings.TrimSuffix(s, suffix), nil
}

func trim(in any, f func(string) string) (any, error) {
	s, ok := in.(string)
	if !ok {
		return nil, raise("trim input must be a string")
	}
	return f(s), nil
}

func startsWith(_ *machine, in any, args []any) (any, error) {
	s, ok := in.(string)
	prefix, ok2 := args[0].(string)
	if !ok || !ok2 {
		return nil, raise("startswith() requires string inputs")
	}
	return strings.HasPrefix(s, prefix), nil
}

func endsWith(_ *machine, in any, args []any) (any, error) {
	s, ok := in.(string)
	suffix, ok2 := args[0].(string)
	if !ok || !ok2 {
		return nil, raise("endswith() requires string inputs")
	}
	return strings.HasSuffix(s, suffix), nil
}

func explode(_ *machine, in any, _ []any) (any, error) {
	s, ok := in.(string)
	if !ok {
		return nil, raise("explode input must be a string")
	}
	list := []any{}
	for _, r := range s {
		list = append(list, float64(r))
	}
	return list, nil
}

func implode(_ *machine, in any, _ []any) (any, error) {
	list, ok := in.([]any)
	if !ok {
		return nil, raise("implode input must be an array")
	}
	var b strings.Builder
	for _, v := range list {
		f, ok := v.(float64)
		if !ok {
			return nil, raise("Unicode codepoint must be numeric")
		}
		r := rune(utf8.RuneError)
		if f >= 0 && f <= utf8.MaxRune {
			r = rune(f)
		}
		b.WriteRune(r)
	}
	return b.String(), nil
}

func splitString(_ *machine, in any, args []any) (any, error) {
	s, ok := in.(string)
	sep, ok2 := args[0].(string)
	if !ok || !ok2 {
		return nil, raise("split input and separator must be strings")
	}
	return split(s, sep), nil
}

// mapASCII shifts the letters from lo to hi.
func mapASCII(in any, lo, hi, by rune) (any, error) {
	s, ok := in.(string)
	if !ok {
		return nil, raise("explode input must be a string")
	}
	return strings.Map(func(r rune) rune {
		if lo <= r && r <= hi {
			return r + by
		}
		return r
	}, s), nil
}

// indicesOf is where a string or an array has another one, or an item.
func indicesOf(_ *machine, in any, args []any) (any, error) {
	switch v := in.(type) {
	case nil:
		return nil, nil
	case string:
		if sub, ok := args[0].(string); ok {
			return stringIndices(v, sub), nil
		}
	case []any:
		if sub, ok := args[0].([]any); ok {
			return indices(v, sub), nil
		}
		return indices(v, []any{args[0]}), nil
	}
	return index(in, args[0])
}

// stringIndices counts in bytes, as jq 1.6 does.
func stringIndices(s, sub string) any {
	if sub == "" {
		return nil
	}
	found := []any{}
	for i := 0; i+len(sub) <= len(s); i++ {
		if s[i:i+len(sub)] == sub {
			found = append(found, float64(i))
		}
	}
	return found
}

// formats returns what @name does to a value. The map is shared: it is only read.
// It is made when it is needed, and not whenever the box starts.
var formats = sync.OnceValue(func() map[string]func(any) (string, error) {
	return map[string]func(any) (string, error){
		"@text":    func(v any) (string, error) { return toString(v), nil },
		"@json":    func(v any) (string, error) { return text(v), nil },
		"@html":    func(v any) (string, error) { return htmlEscapes.Replace(toString(v)), nil },
		"@uri":     func(v any) (string, error) { return uri(toString(v)), nil },
		"@csv":     func(v any) (string, error) { return row(v, "csv", ",", quoteCSV) },
		"@tsv":     func(v any) (string, error) { return row(v, "tsv", "\t", tsvEscapes.Replace) },
		"@sh":      shellWords,
		"@base64":  func(v any) (string, error) { return base64.StdEncoding.EncodeToString([]byte(toString(v))), nil },
		"@base64d": fromBase64,
	}
})

var (
	htmlEscapes = strings.NewReplacer("<", "&lt;", ">", "&gt;", "&", "&amp;", "'", "&apos;", `"`, "&quot;")
	tsvEscapes  = strings.NewReplacer("\t", `\t`, "\n", `\n`, "\r", `\r`, `\`, `\\`)
)

func quoteCSV(s string) string { return `"` + strings.ReplaceAll(s, `"`, `""`) + `"` }

func uri(s string) string {
	var b strings.Builder
	for i := range len(s) {
		c := s[i]
		if c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' || strings.IndexByte("-_.~", c) >= 0 {
			b.WriteByte(c)
			continue
		}
		b.WriteByte('%')
		b.WriteByte("0123456789ABCDEF"[c>>4])
		b.WriteByte("0123456789ABCDEF"[c&15])
	}
	return b.String()
}

// row writes an array's scalars with a separator between.
func row(v any, name, separator string, quote func(string) string) (string, error) {
	list, ok := v.([]any)
	if !ok {
		return "", raise(describe(v) + " cannot be " + name + "-formatted, only array")
	}
	cells := make([]string, len(list))
	for i, item := range list {
		switch item := item.(type) {
		case nil:
		case string:
			cells[i] = quote(item)
		case float64:
			if item == item {
				cells[i] = formatNumber(item)
			}
		case bool:
			cells[i] = text(item)
		default:
			return "", raise(describe(item) + " is not valid in a csv row")
		}
	}
	return strings.Join(cells, separator), nil
}

// shellWords quotes a scalar, or an array of them, for a shell.
func shellWords(v any) (string, error) {
	list, ok := v.([]any)
	if !ok {
		list = []any{v}
	}
	words := make([]string, len(list))
	for i, item := range list {
		switch item := item.(type) {
		case string:
			words[i] = "'" + strings.ReplaceAll(item, "'", `'\''`) + "'"
		case []any, *object:
			return "", raise(describe(item) + " can not be escaped for shell")
		default:
			words[i] = text(item)
		}
	}
	return strings.Join(words, " "), nil
}

// fromBase64 decodes as much as there is of it.
func fromBase64(v any) (string, error) {
	s := strings.TrimRight(toString(v), "=")
	if len(s)%4 == 1 {
		return "", raise(describe(toString(v)) + " trailing base64 byte found")
	}
	data, err := base64.RawStdEncoding.DecodeString(s)
	if err != nil {
		return "", raise(describe(toString(v)) + " is not valid base64 data")
	}
	return strings.ToValidUTF8(string(data), "\uFFFD"), nil
}
