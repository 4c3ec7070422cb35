// Command wizard asks for a project's name and kind as installers do: in raw
// mode, with keys rather than lines. Enter is a carriage return here, and a
// newline is not. It writes what it was told to wizard.out.
package main

import (
	"bufio"
	"fmt"
	"log"
	"os"

	"golang.org/x/term"
)

var kinds = []string{"library", "service", "command"}

func main() {
	state, err := term.MakeRaw(0)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print("\x1b[?1049h\x1b[?1h\x1b[H\x1b[2J") // another screen, arrows as SS3
	in := bufio.NewReader(os.Stdin)
	name, kind := ask(in), 0
	if name != "" {
		kind = choose(in)
	}
	fmt.Print("\x1b[?1l\x1b[?1049l")
	term.Restore(0, state)
	if name == "" {
		fmt.Println("cancelled")
		return
	}
	if err := os.WriteFile("wizard.out", fmt.Appendf(nil, "%s: a %s\n", name, kinds[kind]), 0o600); err != nil {
		log.Fatal(err)
	}
	fmt.Println("created", name)
}

// ask returns what is typed before Enter, or "" if it is Escape.
func ask(in *bufio.Reader) (name string) {
	for {
		fmt.Printf("\x1b[1;1H\x1b[KWhat is its name? %s", name)
		c, err := in.ReadByte()
		switch {
		case err != nil || c == '\x1b' || c == '\x03':
			return ""
		case c == '\r' && name != "":
			return name
		case c == '\x7f' && name != "":
			name = name[:len(name)-1]
		case c >= ' ' && c != '\x7f':
			name += string(rune(c))
		}
	}
}

// choose returns the kind that the arrows end on.
func choose(in *bufio.Reader) (kind int) {
	for {
		fmt.Print("\x1b[3;1HWhat is it?")
		for i, k := range kinds {
			mark := "  "
			if i == kind {
				mark = "> "
			}
			fmt.Printf("\x1b[%d;1H\x1b[K%s%s", 4+i, mark, k)
		}
		keys := make([]byte, 3)
		if keys[0], _ = in.ReadByte(); keys[0] == '\r' {
			return kind
		}
		if keys[0] != '\x1b' {
			continue
		}
		keys[1], _ = in.ReadByte()
		keys[2], _ = in.ReadByte()
		switch string(keys) {
		case "\x1bOB":
			kind = min(kind+1, len(kinds)-1)
		case "\x1bOA":
			kind = max(kind-1, 0)
		}
	}
}
