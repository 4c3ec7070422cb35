package text

import (
	"io"
	"os"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

func tee(env *tool.Env, args []string) int {
	opts, status := env.Options(args, "a,append i,ignore-interrupts p output-error?")
	if opts == nil {
		return status
	}
	flags := os.O_TRUNC
	if opts.Has("a") {
		flags = os.O_APPEND
	}
	type target struct {
		io.WriteCloser
		name string
	}
	var files []target
	for _, name := range opts.Operands {
		w, err := env.Create(name, flags)
		if err != nil {
			env.FileError(name, err)
			status = 1
			continue
		}
		files = append(files, target{w, name})
	}
	p := make([]byte, 64<<10)
	for !env.Stopped() {
		n, err := env.Stdin.Read(p)
		env.Out.Write(p[:n])
		env.Out.Flush()
		for i := 0; i < len(files); i++ {
			if _, err := files[i].Write(p[:n]); err != nil {
				env.FileError(files[i].name, err)
				status = 1
				files = append(files[:i], files[i+1:]...)
				i--
			}
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			env.Errorf("read error: %s", tool.Strerror(err))
			status = 1
			break
		}
	}
	for _, f := range files {
		if err := f.Close(); err != nil {
			env.FileError(f.name, err)
			status = 1
		}
	}
	return status
}
