//go:build js

package page

import (
	"strings"
	"unicode"

	"github.com/terrarium-dev/terrarium/hostwasm/engine"
)

const outOfBounds = "out of bounds memory access"

// reasons are WebAssembly's words for those of V8, SpiderMonkey and JavaScriptCore,
// in lower case. V8 has one for both kinds of conversion that fail.
var reasons = map[string]string{
	// V8: src/common/message-template.h
	"unreachable":                                  "unreachable",
	"memory access out of bounds":                  outOfBounds,
	"divide by zero":                               "integer divide by zero",
	"remainder by zero":                            "integer divide by zero",
	"divide result unrepresentable":                "integer overflow",
	"float unrepresentable in integer range":       "invalid conversion to integer",
	"table index is out of bounds":                 "undefined element",
	"table access out of bounds":                   "out of bounds table access",
	"null function or function signature mismatch": "indirect call type mismatch",
	"element segment out of bounds":                "out of bounds table access",

	// SpiderMonkey: js/public/friend/ErrorNumbers.msg
	"unreachable executed":             "unreachable",
	"index out of bounds":              outOfBounds,
	"integer divide by zero":           "integer divide by zero",
	"integer overflow":                 "integer overflow",
	"invalid conversion to integer":    "invalid conversion to integer",
	"table index out of bounds":        "undefined element",
	"indirect call to null":            "uninitialized element",
	"indirect call signature mismatch": "indirect call type mismatch",

	// JavaScriptCore: Source/JavaScriptCore/wasm/WasmExceptionType.h
	"unreachable code should not be executed":          "unreachable",
	"out of bounds memory access":                      outOfBounds,
	"out of bounds table access":                       "out of bounds table access",
	"division by zero":                                 "integer divide by zero",
	"out of bounds trunc operation":                    "invalid conversion to integer",
	"out of bounds call_indirect":                      "undefined element",
	"call_indirect to a null table entry":              "uninitialized element",
	"call_indirect to a signature that does not match": "indirect call type mismatch",
}

const (
	// maxFrames is how much of a stack is told.
	maxFrames = 64
	// maxReason bounds what is told of a reason that we do not know.
	maxReason = 200
)

// trap makes an engine.Trap of an error's name, message and stack, with a NUL
// between.
func trap(text string) *engine.Trap {
	name, rest, _ := strings.Cut(text, "\x00")
	message, stack, _ := strings.Cut(rest, "\x00")
	return &engine.Trap{Reason: reason(name, message), Stack: frames(stack)}
}

// reason returns why an error was thrown, in WebAssembly's words.
func reason(name, message string) string {
	lower := strings.ToLower(message)
	// JavaScriptCore: "Out of bounds memory access (evaluating 'f()')".
	lower, _, _ = strings.Cut(lower, " (evaluating ")
	if r, ok := reasons[lower]; ok {
		return r
	}
	switch {
	case name == "RangeError" && strings.Contains(lower, "call stack size exceeded"),
		strings.Contains(lower, "too much recursion"):
		return engine.StackExhausted
	case strings.Contains(lower, "data segment") && strings.Contains(lower, "bounds"):
		return outOfBounds // "WebAssembly.Instance(): data segment 0 is out of bounds (…)"
	case strings.Contains(lower, "bounds") && (strings.Contains(lower, "table") || strings.Contains(lower, "element")):
		return "out of bounds table access"
	}
	return printable(name + ": " + message)
}

// jsc is what JavaScriptCore has before a function.
const jsc = "<?>."

// frames returns the guest's functions in an error's stack, the innermost first.
// The forms are those of V8, "at NAME (wasm://wasm/…:wasm-function[7]:0x2a)" or
// without a name, of SpiderMonkey, "NAME@URL:wasm-function[7]:0x2a", and of
// JavaScriptCore, "<?>.wasm-function[NAME]@[wasm code]".
func frames(stack string) (names []string) {
	for line := range strings.Lines(stack) {
		name, index, found := strings.Cut(strings.TrimLeft(line, " "), "wasm-function[")
		if !found {
			continue
		}
		index, _, _ = strings.Cut(index, "]")
		if name == jsc {
			if name = index; strings.Trim(index, "0123456789") == "" {
				name = ""
			}
		} else if i := strings.LastIndexAny(name, "(@"); i >= 0 {
			name = strings.TrimSuffix(name[:i], " ")
		} else {
			name = ""
		}
		name = strings.TrimPrefix(name, "at ")
		if name == "" {
			name = "$" + index
		}
		names = append(names, name)
		if len(names) == maxFrames {
			break
		}
	}
	return names
}

// printable returns what the browser says without control characters, shortened.
func printable(text string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, "\uFFFD"))
	if len(text) > maxReason {
		text = strings.ToValidUTF8(text[:maxReason], "") + "…"
	}
	return text
}
