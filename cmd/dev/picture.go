package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
)

// pictureScript is what README's picture shows, and pictureFile the picture in a theme.
const (
	pictureScript = "docs/picture.sh"
	pictureFile   = "docs/picture-%s.svg"
	pictureTitle  = "A terminal: a command in the sandbox, one that tries to get out, a loop that runs out of fuel, and what rules say of a line"
)

// drawPicture records a terminal in which pictureScript runs, and draws how it ends, for light
// pages and for dark ones. It takes what "build" has left in root.
func drawPicture(ctx context.Context, w io.Writer, root string) error {
	dir, err := os.MkdirTemp("", "picture")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	project, home := filepath.Join(dir, "project"), filepath.Join(dir, "home")
	for _, name := range []string{project, home} {
		if err := os.Mkdir(name, 0o777); err != nil {
			return err
		}
	}
	terrarium, recording := filepath.Join(root, binary), filepath.Join(dir, "picture.cast")
	environ := []string{
		"HOME=" + home, "XDG_CONFIG_HOME=" + home, "XDG_CACHE_HOME=" + filepath.Join(root, ".cache"),
		"PATH=" + root + string(filepath.ListSeparator) + os.Getenv("PATH"),
		"TERM=xterm-256color",
	}
	// Rules of who draws it must not show: the user's are the first ones that Terrarium writes.
	if err := command(ctx, w, environ, terrarium, "policy", "init"); err != nil {
		return err
	}
	// It is compiled the first time, and says so.
	if err := command(ctx, w, environ, terrarium, "run", "--host", "wasm", "true"); err != nil {
		return err
	}
	err = command(ctx, w, environ, terrarium, "run", "--pty", "--cols", "80", "--rows", "24", "--interactive=false",
		"--cwd", project, "--record", recording, "--", "sh", filepath.Join(root, pictureScript))
	if err != nil {
		return err
	}
	for _, theme := range []string{"light", "dark"} {
		svg, err := exec.CommandContext(ctx, terrarium, "shot", "--theme", theme, "--title", pictureTitle, recording).Output()
		if err != nil {
			return err
		}
		if err := os.WriteFile(fmt.Sprintf(pictureFile, theme), svg, 0o666); err != nil {
			return err
		}
	}
	return nil
}
