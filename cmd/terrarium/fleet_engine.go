package main

import (
	"fmt"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/place"
	"github.com/terrarium-dev/terrarium/core"
)

// engineFlags have each session of a worker run in a container of its own. A request has no say in
// them.
type engineFlags struct {
	image string
	flags []string

	containers *containers // nil: sessions run here
}

func (f *engineFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.image, "image", "", "")
	cmd.Flags().Var((*repeated)(&f.flags), "engine-flag", "")
}

// checkEngine says what is wrong with the flags of an engine. One that starts containers is taken
// out of those of the host, which is in the container then.
func (f *fleetJoinFlags) checkEngine() error {
	if !slices.Contains(place.Engines(), f.engine) {
		return f.checkNoContainers()
	}
	if runtime.GOOS != "linux" {
		return fmt.Errorf("--engine %s: containers are Linux, and this program is for %s: run the worker in the engine's machine", f.engine, runtime.GOOS)
	}
	c := &containers{say: f.say, image: place.Image{Engine: f.engine, Name: f.image, Flags: f.engineFlags.flags, Env: f.env}}
	if err := c.image.Check(); err != nil {
		return err
	}
	if _, err := f.variables(); err != nil {
		return err
	}
	f.containers, f.elsewhere = c, true
	f.engine, f.set.Lookup("engine").Changed = engines[0], false
	return f.checkThere("--engine " + c.image.Engine)
}

// checkNoContainers says what is wrong with these flags where sessions run here.
func (f *fleetJoinFlags) checkNoContainers() error {
	switch known := slices.Concat(place.Engines(), engines); {
	case f.elsewhere, f.engine == "wasmtime": // not known here, or checkHost says why not
	case !slices.Contains(known, f.engine):
		return noEngine(f.engine, known)
	}
	for _, name := range []string{"image", "engine-flag"} {
		if f.set.Changed(name) {
			return fmt.Errorf("--%s needs --engine %s", name, strings.Join(place.Engines(), " or "))
		}
	}
	return nil
}

// farEngine returns the command line of the host in a container, without its program.
func (f *fleetJoinFlags) farEngine() []string {
	far := append([]string{"host", "serve", "--stdio"}, f.farArgs(&core.Command{Cwd: f.cwd})...)
	if f.cwd != "" && !f.confine.confines() {
		far = append(far, "--cwd", f.cwd)
	}
	switch {
	case f.host == "wasm":
		for _, e := range f.env {
			name, _, _ := strings.Cut(e, "=")
			far = append(far, "--env", name)
		}
	case !f.inherit: // a container has no variables but the image's and those of --env
		far = append(far, "--env-inherit")
	}
	return far
}
