package keys

import "strings"

// A named is a key whose name is a word.
type named struct {
	name  string // in lower case
	plain string // what it sends
	// app is what it sends in application mode: of the keypad if the name
	// begins with "kp", else of the cursor. It is empty if that is the same.
	app string
	// With modifiers it sends CSI param ; number final, number being 1 + (1
	// for Shift, 2 for Meta, 4 for Ctrl). If final is 0 it has no such form.
	param string
	final byte
}

var table = []named{
	{name: "enter", plain: "\r"},
	{name: "space", plain: " "},
	{name: "tab", plain: "\t"},
	{name: "btab", plain: "\x1b[Z"},
	{name: "escape", plain: "\x1b"},
	{name: "bspace", plain: "\x7f"},

	{"up", "\x1b[A", "\x1bOA", "1", 'A'},
	{"down", "\x1b[B", "\x1bOB", "1", 'B'},
	{"right", "\x1b[C", "\x1bOC", "1", 'C'},
	{"left", "\x1b[D", "\x1bOD", "1", 'D'},

	{"home", "\x1b[1~", "", "1", 'H'},
	{"end", "\x1b[4~", "", "1", 'F'},
	{"ic", "\x1b[2~", "", "2", '~'},
	{"insert", "\x1b[2~", "", "2", '~'},
	{"dc", "\x1b[3~", "", "3", '~'},
	{"delete", "\x1b[3~", "", "3", '~'},
	{"ppage", "\x1b[5~", "", "5", '~'},
	{"pageup", "\x1b[5~", "", "5", '~'},
	{"pgup", "\x1b[5~", "", "5", '~'},
	{"npage", "\x1b[6~", "", "6", '~'},
	{"pagedown", "\x1b[6~", "", "6", '~'},
	{"pgdn", "\x1b[6~", "", "6", '~'},

	{"f1", "\x1bOP", "", "1", 'P'},
	{"f2", "\x1bOQ", "", "1", 'Q'},
	{"f3", "\x1bOR", "", "1", 'R'},
	{"f4", "\x1bOS", "", "1", 'S'},
	{"f5", "\x1b[15~", "", "15", '~'},
	{"f6", "\x1b[17~", "", "17", '~'},
	{"f7", "\x1b[18~", "", "18", '~'},
	{"f8", "\x1b[19~", "", "19", '~'},
	{"f9", "\x1b[20~", "", "20", '~'},
	{"f10", "\x1b[21~", "", "21", '~'},
	{"f11", "\x1b[23~", "", "23", '~'},
	{"f12", "\x1b[24~", "", "24", '~'},

	{name: "kp0", plain: "0", app: "\x1bOp"},
	{name: "kp1", plain: "1", app: "\x1bOq"},
	{name: "kp2", plain: "2", app: "\x1bOr"},
	{name: "kp3", plain: "3", app: "\x1bOs"},
	{name: "kp4", plain: "4", app: "\x1bOt"},
	{name: "kp5", plain: "5", app: "\x1bOu"},
	{name: "kp6", plain: "6", app: "\x1bOv"},
	{name: "kp7", plain: "7", app: "\x1bOw"},
	{name: "kp8", plain: "8", app: "\x1bOx"},
	{name: "kp9", plain: "9", app: "\x1bOy"},
	{name: "kp/", plain: "/", app: "\x1bOo"},
	{name: "kp*", plain: "*", app: "\x1bOj"},
	{name: "kp-", plain: "-", app: "\x1bOm"},
	{name: "kp+", plain: "+", app: "\x1bOk"},
	{name: "kp.", plain: ".", app: "\x1bOn"},
	{name: "kpenter", plain: "\n", app: "\x1bOM"},
}

func appendNamed(dst []byte, name string, held modifier, m Modes) ([]byte, bool) {
	key := find(name)
	if key == nil {
		return appendUser(dst, name, held)
	}
	if held != 0 && key.final != 0 {
		dst = append(append(dst, "\x1b["...), key.param...)
		return append(dst, ';', '1'+byte(held), key.final), true
	}
	if key.name == "space" && held&ctrl != 0 {
		return appendCode(dst, 0, held&^ctrl)
	}
	send := key.plain
	if appMode := key.name[0] == 'k' && m.AppKeypad || key.name[0] != 'k' && m.AppCursor; appMode && key.app != "" {
		send = key.app
	}
	switch held {
	case 0:
		return append(dst, send...), true
	case meta:
		return append(append(dst, esc), send...), true
	case ctrl:
		return dst, true
	}
	return dst, false
}

func find(name string) *named {
	for i := range table {
		if equalFold(name, table[i].name) {
			return &table[i]
		}
	}
	return nil
}

// equalFold compares s with lower, which is in lower case, as ASCII.
func equalFold(s, lower string) bool {
	if len(s) != len(lower) {
		return false
	}
	for i := range len(s) {
		c := s[i]
		if 'A' <= c && c <= 'Z' {
			c |= 0x20
		}
		if c != lower[i] {
			return false
		}
	}
	return true
}

// appendUser appends the keys "User0" to "User999", which tmux lets people
// define: they send nothing, beside the escape of Meta.
func appendUser(dst []byte, name string, held modifier) ([]byte, bool) {
	number, ok := strings.CutPrefix(name, "User")
	if !ok || number == "" || len(number) > 3 || strings.Trim(number, "0123456789") != "" {
		return dst, false
	}
	if held&meta != 0 {
		dst = append(dst, esc)
	}
	return dst, true
}
