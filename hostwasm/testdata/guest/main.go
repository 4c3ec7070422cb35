// Guest is the commands that the tests of hostwasm run in the sandbox.
package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"strconv"
	"time"

	"github.com/terrarium-dev/terrarium/plugins/proc"
)

func main() {
	name, args := os.Args[1], os.Args[2:]
	run, ok := commands[name]
	if !ok {
		fmt.Fprintln(os.Stderr, "no such command:", name)
		os.Exit(100)
	}
	if err := run(args); err != nil {
		fmt.Fprintln(os.Stderr, name+":", err)
		os.Exit(101)
	}
}

var commands = map[string]func(args []string) error{
	"exit": func(args []string) error {
		code, err := strconv.Atoi(args[0])
		if err != nil {
			return err
		}
		os.Exit(code)
		return nil
	},
	"print": func(args []string) error {
		for _, a := range args {
			fmt.Println(a)
		}
		return nil
	},
	"streams": func([]string) error {
		fmt.Println("out")
		fmt.Fprintln(os.Stderr, "err")
		return nil
	},
	"zeros": func(args []string) error {
		n, err := strconv.Atoi(args[0])
		if err != nil {
			return err
		}
		w := bufio.NewWriterSize(os.Stdout, 64<<10)
		zeros := bytes.Repeat([]byte("0"), 4096)
		for ; n > 0; n -= len(zeros) {
			w.Write(zeros[:min(n, len(zeros))])
		}
		return w.Flush()
	},
	"flood": func([]string) error {
		zeros := bytes.Repeat([]byte("0"), 64<<10)
		for {
			if _, err := os.Stdout.Write(zeros); err != nil {
				return err
			}
		}
	},
	"pwd": func([]string) error {
		dir, err := os.Getwd()
		fmt.Println(dir)
		return err
	},
	"getenv": func(args []string) error {
		fmt.Println(os.Getenv(args[0]))
		return nil
	},
	"cat": func([]string) error {
		_, err := io.Copy(os.Stdout, os.Stdin)
		return err
	},
	"block": func([]string) error {
		fmt.Println("ready")
		time.Sleep(time.Hour)
		return nil
	},
	"spin": func([]string) error {
		fmt.Println("ready")
		for {
		}
	},
	"panic": func([]string) error { panic("oh") },
	"grow": func([]string) error {
		var all [][]byte
		for {
			b := make([]byte, 1<<20)
			for i := range b {
				b[i] = 1
			}
			all = append(all, b)
		}
	},
	"ls": func(args []string) error {
		entries, err := os.ReadDir(args[0])
		for _, e := range entries {
			fmt.Println(e.Name())
		}
		return err
	},
	"read": func(args []string) error {
		b, err := os.ReadFile(args[0])
		os.Stdout.Write(b)
		return err
	},
	// terminal tells of /dev/tty, without modes, "raw" or with the modes that the
	// terminal sets the modes of /dev/tty to the number that is its first argument,
	// tells of it at once and after as many resizes as the second says, and then of
	// what it reads, up to a q.
	"terminal": func(args []string) error {
		f, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
		if err != nil {
			return err
		}
		modes, err := strconv.Atoi(args[0])
		if err != nil {
			return err
		}
		resizes, err := proc.Resizes(f)
		if err != nil {
			return err
		}
		if err := proc.SetModes(f, proc.TerminalModes(modes)); err != nil {
			return err
		}
		n, err := strconv.Atoi(args[1])
		if err != nil {
			return err
		}
		for {
			t, err := proc.TerminalOf(f)
			if err != nil {
				return err
			}
			fmt.Fprintf(f, "%dx%d %d\n", t.Cols, t.Rows, t.Modes)
			if n == 0 {
				break
			}
			n--
			if _, err := resizes.Read(make([]byte, 8)); err != nil {
				return err
			}
		}
		for {
			var b [64]byte
			n, err := f.Read(b[:])
			fmt.Fprintf(f, "%q %v\n", b[:n], err)
			if err != nil || b[0] == 'q' {
				return err
			}
		}
	},
	// tree starts a child that is block, and waits for it.
	"tree": func([]string) error {
		c := &proc.Cmd{Name: "guest", Args: []string{"guest", "block"}, Stdout: os.Stdout, Stderr: os.Stderr}
		if err := c.Start(); err != nil {
			return err
		}
		_, err := c.Wait()
		return err
	},
	// run starts a command with our streams, and tells how it ended.
	"run": func(args []string) error {
		c := &proc.Cmd{Name: args[0], Args: args, Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr}
		if err := c.Start(); err != nil {
			return err
		}
		status, err := c.Wait()
		fmt.Println(status.Kind, status.Code, status.ExitStatus(), status.Fuel > 0)
		return err
	},
	// pipeline runs guest zeros N | guest count, both modules of their own.
	"pipeline": func(args []string) error {
		r, w, err := proc.Pipe()
		if err != nil {
			return err
		}
		zeros := &proc.Cmd{Name: "guest", Args: []string{"guest", "zeros", args[0]}, Stdout: w, Stderr: os.Stderr}
		count := &proc.Cmd{Name: "guest", Args: []string{"guest", "count"}, Stdin: r, Stdout: os.Stdout}
		for _, c := range []*proc.Cmd{zeros, count} {
			if err := c.Start(); err != nil {
				return err
			}
		}
		r.Close()
		w.Close()
		first, err := zeros.Wait()
		if err != nil {
			return err
		}
		last, err := count.Wait()
		fmt.Println(first.ExitStatus(), last.ExitStatus())
		return err
	},
	"count": func([]string) error {
		n, err := io.Copy(io.Discard, os.Stdin)
		fmt.Println(n)
		return err
	},
	// interrupts answers ^C n times, and is as other commands then.
	"interrupts": func(args []string) error {
		n, err := strconv.Atoi(args[0])
		if err != nil {
			return err
		}
		f, err := proc.Interrupts()
		if err != nil {
			return err
		}
		fmt.Println("ready")
		for range n {
			if _, err := f.Read(make([]byte, 1)); err != nil {
				return err
			}
			fmt.Println("interrupted")
		}
		f.Close()
		fmt.Println("done")
		time.Sleep(time.Hour)
		return nil
	},
	// deaf asks for interrupts and never answers.
	"deaf": func([]string) error {
		if _, err := proc.Interrupts(); err != nil {
			return err
		}
		fmt.Println("ready")
		time.Sleep(time.Hour)
		return nil
	},
	"symlink": func(args []string) error { return os.Symlink(args[0], args[1]) },
	"lutimes": func(args []string) error { return lutimes(args[0]) },
	"touch":   func(args []string) error { return os.Chtimes(args[0], time.Unix(1, 0), time.Unix(2, 0)) },
	"write":   func(args []string) error { return os.WriteFile(args[0], []byte(args[1]), 0o666) },
}
