// Package text makes terminal output fit to be read as text: streaming UTF-8
// repair; escape stripping and carriage-return folding of plain output.
//
// A [Repairer] comes first and turns any bytes into valid UTF-8, whatever the
// chunks they arrive in. What follows it may then rely on whole runes.
//
// Nothing here keeps the bytes it is handed, reads a clock or starts a
// goroutine. No type is safe for concurrent use.
package text
