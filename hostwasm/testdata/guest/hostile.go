package main

import (
	"errors"
	"fmt"
	"os"
	"path"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/terrarium-dev/terrarium/plugins/proc"
)

// What programs do that mean no good, or are just careless.
func init() {
	for name, run := range map[string]func(args []string) error{
		"spawnbomb": spawnBomb,
		"treebomb":  treeBomb,
		"pipebomb":  pipeBomb,
		"cycle":     cycle,
		"orphan":    func([]string) error { return blocked().Start() },
		"onebyte":   oneByte,
		"attack":    attack,
		"race":      race,
	} {
		commands[name] = run
	}
}

func blocked() *proc.Cmd { return &proc.Cmd{Name: "guest", Args: []string{"guest", "block"}} }

// spawnBomb starts children until it can't, and says how many it has.
func spawnBomb([]string) error {
	var children []*proc.Cmd // one that is collected would be killed, and make room
	for {
		c := blocked()
		if err := c.Start(); err != nil {
			fmt.Println(len(children), err)
			runtime.KeepAlive(children)
			return nil
		}
		children = append(children, c)
	}
}

// treeBomb starts two of itself and waits for both, as long as it can.
func treeBomb([]string) error {
	var children []*proc.Cmd
	for range 2 {
		c := &proc.Cmd{Name: "guest", Args: []string{"guest", "treebomb"}}
		if err := c.Start(); err != nil {
			break
		}
		children = append(children, c)
	}
	for _, c := range children {
		c.Wait()
	}
	return nil
}

// pipeBomb makes pipes until it can't.
func pipeBomb([]string) error {
	var all []*os.File
	for {
		r, w, err := proc.Pipe()
		if err != nil {
			fmt.Println(len(all), err)
			return nil
		}
		all = append(all, r, w)
	}
}

// cycle connects two children to each other, and waits for what never comes.
func cycle([]string) error {
	var r, w [2]*os.File
	for i := range r {
		var err error
		if r[i], w[i], err = proc.Pipe(); err != nil {
			return err
		}
	}
	var last *proc.Cmd
	for i := range r {
		last = &proc.Cmd{Name: "guest", Args: []string{"guest", "cat"}, Stdin: r[i], Stdout: w[1-i]}
		if err := last.Start(); err != nil {
			return err
		}
	}
	fmt.Println("ready")
	_, err := last.Wait()
	return err
}

// oneByte writes as many bytes as it is told, each on its own.
func oneByte(args []string) error {
	n, err := strconv.Atoi(args[0])
	for ; n > 0 && err == nil; n-- {
		_, err = os.Stdout.Write([]byte("1"))
	}
	return err
}

// attack tries to reach what lies outside of the directory it is in, and says
// what it has reached. Its argument is where that is for the host.
func attack(args []string) error {
	outside := args[0]
	targets := []string{
		"../outside", "sub/../../outside", "./../outside", "..//outside", "/../outside", "../../../../../.." + outside,
		outside, "linked", "absolute", "chained", "sub/linked",
	}
	for i, to := range []string{"../outside", "../../outside", outside, "linked", "sub/linked"} {
		name := "mine" + strconv.Itoa(i)
		os.Symlink(to, name)
		targets = append(targets, name)
	}
	for _, dir := range targets {
		canary := dir + "/canary"
		if b, err := os.ReadFile(canary); err == nil {
			fmt.Printf("read %s: %s\n", canary, b)
		}
		if entries, err := os.ReadDir(dir); err == nil {
			fmt.Println("listed", dir, len(entries))
		}
		for what, err := range map[string]error{
			"create":     os.WriteFile(dir+"/new", []byte("x"), 0o666),
			"overwrite":  os.WriteFile(canary, []byte("x"), 0o666),
			"truncate":   os.Truncate(canary, 0),
			"mkdir":      os.Mkdir(dir+"/newdir", 0o777),
			"link in":    os.Link(canary, "stolen"),
			"link out":   os.Link("file", dir+"/hard"),
			"move in":    os.Rename(canary, "stolen"),
			"move out":   os.Rename("file", dir+"/moved"),
			"symlink at": os.Symlink("x", dir+"/soft"),
			"rmdir":      os.Remove(dir + "/dir"),
			"remove":     os.Remove(canary),
		} {
			if err == nil {
				fmt.Println(what, dir)
			}
		}
	}
	for _, name := range []string{"fifo", "socket", "device", "loop", "dangling", "\x00", "", strings.Repeat("a", 1<<20), strings.Repeat("a/", 1<<16), "\xff\xfe", "file/", "file/x"} {
		if _, err := os.ReadFile(name); err == nil {
			fmt.Printf("read %.20q\n", name)
		}
	}
	return nil
}

// race reads what is at its first argument over and over, which somebody else
// keeps changing, for as long as its second argument says, and tells of anything
// but the text "inside". If that was never there it goes on, for a minute at most.
func race(args []string) error {
	long, err := time.ParseDuration(args[1])
	if err != nil {
		return err
	}
	inside := 0
	for began := time.Now(); time.Since(began) < long || inside == 0 && time.Since(began) < time.Minute; {
		b, err := os.ReadFile(args[0])
		switch {
		case err == nil && string(b) == "inside":
			inside++
		case err == nil:
			fmt.Printf("read %s: %s\n", args[0], b)
		}
		os.WriteFile(path.Join(path.Dir(args[0]), "new"), []byte("x"), 0o666)
	}
	if inside == 0 {
		return errors.New("never there")
	}
	return nil
}
