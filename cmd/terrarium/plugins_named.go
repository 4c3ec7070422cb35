package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/fetch"
	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/index"
	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/plugin"
	"github.com/terrarium-dev/terrarium/core/driver"
)

// addNamed adds plugins of the index. One that fails does not keep the next from it,
// but nothing is done if there is none of some name.
func (f *addFlags) addNamed(cmd *cobra.Command, names []string) error {
	ctx, stop := interruptible()
	defer stop()
	defer f.downloads.remove()
	x, err := f.index.read(ctx)
	if err != nil {
		return interrupted(ctx, err)
	}
	var entries []*index.Entry
	var own []string
	for _, name := range names {
		e := x.Find(name)
		if e == nil && isOwnModule(name) {
			own = append(own, name)
			continue
		}
		if e == nil {
			err := noEntry(x, name)
			if _, lost := os.Stat(name); lost == nil {
				err = fmt.Errorf("%w; the file is ./%s", err, name)
			}
			return err
		}
		if !slices.Contains(entries, e) {
			entries = append(entries, e)
		}
	}
	failed := f.addOwn(ctx, cmd, own, "") // the last that went wrong: those before it are told of
	for _, e := range entries {
		if ctx.Err() != nil {
			break
		}
		if err := f.addEntry(ctx, cmd, x, e); err != nil {
			if failed != nil {
				warn(cmd.ErrOrStderr(), failed)
			}
			failed = err
		}
	}
	return failed
}

// addEntry adds a plugin of the index, unless it is there.
func (f *addFlags) addEntry(ctx context.Context, cmd *cobra.Command, x *index.Index, e *index.Entry) error {
	for _, have := range usersPlugins() {
		if have.Name != e.Name || f.force {
			continue
		}
		if isCurrent(e, &have) {
			return sayThere(cmd.OutOrStdout(), e)
		}
		if have.Source != "" {
			return fmt.Errorf("plugin %s: %s is there, and not what the index has now: terrarium plugins update %s", e.Name, have.Version, e.Name)
		}
	}
	return f.get(ctx, cmd, x, e)
}

// sayThere says of an entry that nothing is to be done.
func sayThere(w io.Writer, e *index.Entry) error {
	_, err := fmt.Fprintf(w, "%s %s is there already\n", e.Name, e.Version)
	return err
}

// errThere is that somebody else has added the same plugin meanwhile.
var errThere = errors.New("it is there already")

// get downloads, tries and adds an entry of an index, if a person agrees.
// Before the last step nothing of it is where plugins are looked for.
func (f *addFlags) get(ctx context.Context, cmd *cobra.Command, x *index.Index, e *index.Entry) error {
	dir, err := trustedPlugins()
	if err != nil {
		return err
	}
	p := plugin.Plugin{Manifest: e.Manifest()}
	if err := f.rename(&p); err != nil {
		return err
	}
	if err := f.clash(&p); err != nil {
		return err
	}
	if err := f.agreed(ctx, cmd.OutOrStdout(), e); err != nil {
		return interrupted(ctx, err)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	stage, err := plugin.NewStage(dir)
	if err != nil {
		return err
	}
	defer os.RemoveAll(stage)
	p.File = filepath.Join(stage, p.Name) // where its files are, while it is tried
	wasm, err := f.download(ctx, stage, x, e)
	if err != nil {
		return fmt.Errorf("plugin %s: %w", e.Name, interrupted(ctx, err))
	}
	if _, err := inspect(&p, wasm); err != nil {
		return fmt.Errorf("plugin %s: %w", e.Name, err)
	}
	err = f.compile(ctx, &p, wasm, func(host driver.Host) error { return smoke(ctx, host, e) })
	if err != nil {
		return err
	}
	files := ""
	if p.Files != "" {
		files = filepath.Join(stage, p.Files)
	}
	err = install(cmd.OutOrStdout(), dir, p.Manifest, wasm, files, func() error {
		for _, have := range usersPlugins() {
			if have.Name == e.Name && !f.force && isCurrent(e, &have) {
				return errThere
			}
		}
		return f.clash(&p)
	})
	if errors.Is(err, errThere) {
		return sayThere(cmd.OutOrStdout(), e)
	}
	if err != nil {
		return fmt.Errorf("plugin %s: not added: %w", e.Name, err)
	}
	return nil
}

// agreed says what would be added, and asks whether it shall be.
func (f *addFlags) agreed(ctx context.Context, w io.Writer, e *index.Entry) error {
	o := offered(e, nil)
	if err := o.print(w); err != nil || f.yes {
		return err
	}
	return mustAgree(ctx, e.Name, fmt.Sprintf("download %s, and add it?", about(e.Size)))
}

// mustAgree puts a question about a plugin, and fails if the answer is not yes.
func mustAgree(ctx context.Context, name, question string) error {
	ok, err := agree(ctx, question)
	switch {
	case errors.Is(err, errNobody):
		return fmt.Errorf("plugin %s: not added: %w", name, err)
	case err == nil && !ok:
		return fmt.Errorf("plugin %s: not added", name)
	}
	return err
}

// errNobody is that a question can't be put.
var errNobody = errors.New("nobody is there to be asked, since our input is no terminal: --yes adds it")

// agree puts a question to the person at the terminal, and reports whether they said yes.
func agree(ctx context.Context, question string) (bool, error) {
	if !isTerminal(os.Stdin) || !isTerminal(os.Stderr) {
		return false, errNobody
	}
	fmt.Fprintf(os.Stderr, "%s [y/N] ", question)
	answer := make(chan string, 1)
	go func() { // ends with the line, or is left behind when we exit
		line, _ := bufio.NewReader(io.LimitReader(os.Stdin, 100)).ReadString('\n')
		answer <- strings.ToLower(strings.TrimSpace(line))
	}()
	select {
	case line := <-answer:
		return line == "y" || line == "yes", nil
	case <-ctx.Done():
		fmt.Fprintln(os.Stderr)
		return false, context.Cause(ctx)
	}
}

// download returns an entry's module, and unpacks its files, if it has some, into
// stage, a directory of its own.
func (f *addFlags) download(ctx context.Context, stage string, x *index.Index, e *index.Entry) (wasm []byte, err error) {
	file, err := f.downloads.open(ctx, filepath.Dir(stage), x, e)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if files := e.Manifest().Files; files != "" {
		if err := fetch.UnpackFiles(file, e.Files, filepath.Join(stage, files)); err != nil {
			return nil, err
		}
		if _, err := file.Seek(0, io.SeekStart); err != nil {
			return nil, err
		}
	}
	if e.Module != "" {
		return fetch.Unpack(file, e.Module)
	}
	if e.Size > plugin.MaxModule {
		return nil, errors.New("larger than a module may be")
	}
	return io.ReadAll(file)
}
