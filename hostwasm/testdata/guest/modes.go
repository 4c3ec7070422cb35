package main

import (
	"fmt"
	"os"
	"strconv"

	"github.com/terrarium-dev/terrarium/plugins/fs"
)

func init() {
	commands["mode"] = func(args []string) error {
		info, err := os.Lstat(args[0])
		if err != nil {
			return err
		}
		mode, ok := fs.Mode(info)
		fmt.Printf("%o %v\n", mode, ok)
		return nil
	}
	commands["chmod"] = func(args []string) error {
		mode, err := strconv.ParseUint(args[1], 8, 32)
		if err != nil {
			return err
		}
		return fs.Chmod(args[0], uint32(mode))
	}
	commands["create"] = func(args []string) error {
		mode, err := strconv.ParseUint(args[1], 8, 32)
		if err != nil {
			return err
		}
		f, err := fs.OpenFile(args[0], os.O_CREATE|os.O_EXCL|os.O_WRONLY, uint32(mode))
		if err != nil {
			return err
		}
		defer f.Close()
		return fs.Fchmod(f, uint32(mode)|0o100)
	}
	commands["umask"] = func([]string) error {
		fmt.Printf("%o\n", fs.Umask())
		return nil
	}
}
