package main

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/fetch"
	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/index"
	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/plugin"
)

// downloads are what one command has downloaded, each once: several plugins may come
// in one package. Remove them.
type downloads struct {
	dir string // a stage, or empty if nothing was downloaded
}

// open returns an entry's download, which is made in plugins, the user's folder. Only
// one with the entry's sum is there to be opened again.
func (d *downloads) open(ctx context.Context, plugins string, x *index.Index, e *index.Entry) (_ *os.File, err error) {
	if d.dir == "" {
		if d.dir, err = plugin.NewStage(plugins); err != nil {
			return nil, err
		}
	}
	name := filepath.Join(d.dir, e.SHA256)
	if f, err := os.Open(name); err == nil {
		return f, nil
	}
	f, err := os.Create(name + ".part")
	if err != nil {
		return nil, err
	}
	shown := newProgress(os.Stderr, "downloading "+e.Name, e.Size)
	err = fetch.Get(ctx, x, e, f, shown.at)
	shown.end()
	if err == nil {
		_, err = f.Seek(0, io.SeekStart)
	}
	if err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close(), os.Remove(f.Name()))
	}
	return f, nil
}

// remove removes them.
func (d *downloads) remove() {
	if d.dir != "" {
		os.RemoveAll(d.dir)
		d.dir = ""
	}
}
