// Package screentest runs scripts that sit at a terminal: they start a program, type, wait for what
// it shows, and compare the screen with one that was looked at before.
//
// A script is a txtar archive (golang.org/x/tools/txtar): lines that are done in order, and then
// files, which are screens to compare with, or are put into the directory that the program starts
// in. A line is empty, a comment that begins with "#", or one of
//
//	size COLSxROWS          of the terminal; before start, 80x24 unless said
//	start COMMAND           a shell line; once, before what follows
//	type TEXT               type it; Enter is a key
//	key NAME…               type keys, which have tmux's names: Enter, C-c, Up
//	resize COLSxROWS        change the terminal's size
//	wait TEXT               until the screen shows it
//	wait settled            until nothing new has come for half a second
//	wait exit [STATUS]      until the program has ended: with 0 unless said, or a signal: SIGTERM
//	expect TEXT             the same as "wait TEXT"
//	! expect TEXT           until the screen does not show it: at once where nothing is drawn yet
//	expect screen FILE      until the screen is as the file says, but for blanks at the end of lines
//	timeout D               how long to wait at the most, from here on; 10s unless said
//
// What is expected is waited for, since a program may need a moment to draw it.
//
// TEXT is the rest of the line, or quoted as in Go: "two\tparts ".
package screentest
