// Command actor is whatever command an ACP script starts, and does what the script says that it
// does. What to do next comes in the files 0, 1, … of a directory of its own, and the file "done"
// has how many it has done.
package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// A step is output, or the end.
type step struct {
	Stream int // 1 or 2
	Data   []byte
	Exit   *int
}

func main() {
	dir := own()
	for i := 0; ; i++ {
		done(dir, i)
		s := next(filepath.Join(dir, strconv.Itoa(i)))
		switch {
		case s.Exit != nil:
			os.Exit(*s.Exit)
		case s.Stream == 2:
			os.Stderr.Write(s.Data)
		default:
			os.Stdout.Write(s.Data)
		}
	}
}

// own makes the first directory that no other actor has.
func own() string {
	for n := 1; ; n++ {
		dir := "/work/actors/" + strconv.Itoa(n)
		err := os.Mkdir(dir, 0o777)
		if err == nil {
			return dir
		}
		if !os.IsExist(err) {
			panic(err)
		}
	}
}

// next waits for a step. Nothing tells that there is a file.
func next(name string) (s step) {
	for {
		data, err := os.ReadFile(name)
		if err == nil && json.Unmarshal(data, &s) == nil {
			return s
		}
		time.Sleep(2 * time.Millisecond)
	}
}

func done(dir string, n int) {
	if err := os.WriteFile(filepath.Join(dir, "done"), []byte(strconv.Itoa(n)), 0o666); err != nil {
		panic(err)
	}
}
