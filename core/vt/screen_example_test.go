package vt_test

import (
	"fmt"

	"github.com/terrarium-dev/terrarium/core/vt"
)

func ExampleScreen() {
	s := vt.NewScreen(vt.Options{Rows: 3, Cols: 20})
	s.Write([]byte("building\r\n 10%\r 90%\r100%\r\n\x1b[1;32mdone\x1b[m\r\n$ "))

	fmt.Printf("%s", s.AppendText(nil))
	first, end := s.History()
	fmt.Printf("above: %s", s.AppendHistory(nil, first, end, true))
	c := s.Cursor()
	fmt.Printf("cursor: row %d, column %d\n", c.Y, c.X)
	for run := range s.Runs(1) {
		fmt.Printf("%q, bold: %v\n", run.Text, run.Style.Attr&vt.Bold != 0)
	}
	// Output:
	// 100%
	// done
	// $
	// above: building
	// cursor: row 2, column 2
	// "done", bold: true
}

// A reader that follows a program asks for what is new.
func ExampleScreen_AppendHistory() {
	s := vt.NewScreen(vt.Options{Rows: 2, Cols: 20, Newline: true})
	var seen uint64
	for _, chunk := range []string{"one\ntwo\nthree\n", "four\nfive\n"} {
		s.Write([]byte(chunk))
		first, end := s.History()
		fmt.Printf("lost %d, new %q\n", max(first, seen)-seen, s.AppendHistory(nil, seen, end, true))
		seen = end
	}
	// Output:
	// lost 0, new "one\ntwo\n"
	// lost 0, new "three\nfour\n"
}
