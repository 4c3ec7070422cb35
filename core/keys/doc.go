// Package keys turns tmux's names of keys into the bytes that a terminal
// sends for them.
//
// The names, their modifiers and the rule by which a text counts as a name are
// those of "tmux send-keys" (tmux 3.3a, with its default options), which is
// what agents for Terminal-Bench and the Term Challenge write:
//
//	C-c  C-d  Escape  Tab  BSpace  Up  PPage  F5  M-x  C-Left  ^C  0x1b
//
// [Append] knows names only. [Type] is the whole of send-keys: a text that is
// a name is that key, and any other is typed as it is. Names are looked up
// whole: "C-c\n" is typed, four characters, and so are "Ctrl-C" and "Up Up".
//
// Functions here are pure and take time linear in their argument.
package keys
