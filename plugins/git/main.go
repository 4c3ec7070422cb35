// Git is git's commands for the sandbox, in the words of the one that Debian 12 has. It builds
// natively and for WASI.
package main

import (
	"os"

	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain"
	_ "github.com/terrarium-dev/terrarium/plugins/zones" // what TZ asks for is the local time
)

func main() { os.Exit(porcelain.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }
