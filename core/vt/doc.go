// Package vt understands what programs write to a terminal.
//
// A [Parser] knows the grammar: it splits the stream into text, controls and
// sequences, and hands them to a [Handler], which knows what they mean.
// [RuneWidth] says how many cells a character takes. A [Screen] is the Handler
// of a terminal emulator: it is given output, and has the text, the colours and
// the cursor that a person would see, the lines that scrolled out, the modes
// that programs have set, and escape sequences to show it all elsewhere.
//
// The reference is xterm.js, with the widths of its Unicode 11 addon: the page
// that a person watches is xterm.js, and an agent must be told what that person
// sees.
//
// The bytes are written by programs nobody vouches for. Whatever they are,
// memory stays bounded, time linear in their number, and nothing panics. A
// sequence that changes more of a Screen than its bytes have paid for is clipped:
// see budget.go. No type here is safe for concurrent use.
package vt
