package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
)

// What uses up the host rather than a limit of its own.
func init() {
	commands["namebomb"] = nameBomb
	commands["openbomb"] = openBomb
	commands["filebomb"] = fileBomb
}

// nameBomb makes empty directories where its argument says until it can't, at
// most a million, and says how many there are.
func nameBomb(args []string) error {
	for n := range 1_000_000 {
		if err := os.Mkdir(filepath.Join(args[0], strconv.Itoa(n)), 0o777); err != nil {
			fmt.Println(n, err)
			return nil
		}
	}
	return errors.New("a million names")
}

// openBomb opens a file until it can't, and says how often.
func openBomb(args []string) error {
	var all []*os.File
	for {
		f, err := os.Open(args[0])
		if err != nil {
			fmt.Println(len(all), errors.Unwrap(err))
			return nil
		}
		all = append(all, f)
	}
}

// fileBomb writes a file until it can't, and says how many KiB it has.
func fileBomb(args []string) error {
	f, err := os.Create(args[0])
	if err != nil {
		fmt.Println(0, errors.Unwrap(err))
		return nil
	}
	block := make([]byte, 64<<10)
	for n := 0; ; n += 64 {
		if _, err := f.Write(block); err != nil {
			fmt.Println(n, errors.Unwrap(err))
			return nil
		}
	}
}
