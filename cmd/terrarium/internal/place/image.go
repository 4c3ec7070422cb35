package place

import (
	"encoding/csv"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// An Image is what an engine makes containers of. It is not changed while it is in use.
type Image struct {
	Engine  string   // "docker" or "podman", which is looked for in PATH
	Name    string   // as the engine knows it: "python:3.12"
	Flags   []string // of the engine's run, a word each: "--network=none"
	Env     []string // variables in a container: NAME=VALUE, or NAME of one of ours
	Program string   // a terrarium, as a path that the engine finds; containers have it read-only
	Owner   string   // whose the containers are: no two who use an engine at once are called so
	Worker  string   // which process of the owner's has made them; "": nobody asks
}

// Engines returns the programs that can start containers.
func Engines() []string { return []string{docker.name, podman.name} }

const (
	// mounted is where a container has the program. An image has nothing of that name.
	mounted = "/.terrarium"
	// ownerLabel names whose a container is, and workerLabel the process of that which has made it.
	ownerLabel  = "io.github.terrarium-dev.owner"
	workerLabel = "io.github.terrarium-dev.worker"
)

// Check says what is wrong with what a person has said. The error names the flag.
func (i *Image) Check() error {
	switch {
	case !slices.Contains(Engines(), i.Engine):
		return fmt.Errorf("--engine %s: no such engine: use %s", i.Engine, strings.Join(Engines(), " or "))
	case i.Name == "":
		return fmt.Errorf("--engine %s needs --image IMAGE", i.Engine)
	case strings.HasPrefix(i.Name, "-"):
		return fmt.Errorf("--image %s: %s would take it for an option", i.Name, i.Engine)
	}
	if err := CheckImageName(i.Name); err != nil {
		return err
	}
	for _, flag := range i.Flags {
		if !strings.HasPrefix(flag, "-") || strings.Trim(flag, "-") == "" {
			return fmt.Errorf("--engine-flag %s: %s would take it for the image: want --engine-flag --NAME=VALUE, in one word", flag, i.Engine)
		}
	}
	return nil
}

// CheckImageName says why no image can be called so, and names the flag.
func CheckImageName(name string) error {
	if strings.ContainsFunc(name, func(r rune) bool { return isControl(r) || r == ' ' }) {
		return errors.New("--image: no image is called so")
	}
	return nil
}

// String returns what a person calls it.
func (i *Image) String() string { return i.Engine + " image " + i.Name }

// Container returns the place that is a new container of that name. Its Argv has what follows the
// name of a terrarium: "host", "serve". The container ends with its input, and is removed then.
//
// https://docs.docker.com/reference/cli/docker/container/run/
// https://docs.podman.io/en/latest/markdown/podman-run.1.html
func (i *Image) Container(name string) *Place {
	// A person's flags may change these. Without a log driver, what a terminal shows would be
	// written to the engine's disk as well. There is no --init: orphans are the keeper's, and the
	// first process of a container is one that nothing in it can kill.
	argv := []string{i.Engine, "run", "--log-driver=none"}
	for _, variable := range i.Env {
		argv = append(argv, "--env="+variable)
	}
	argv = append(argv, i.Flags...) // each a word with its value, if it has one: see CheckFlags
	// And not these. An image that is missing was looked for by Prepare. A mount that is called so
	// is refused where there is no such file; -v would make a directory there.
	argv = append(argv, "--rm", "--interactive", "--tty=false", "--detach=false", "--pull=never",
		"--name="+name, "--label="+ownerLabel+"="+i.Owner, "--label="+workerLabel+"="+i.Worker, "--mount="+fields("type=bind", "source="+i.Program, "target="+mounted, "readonly"))
	if i.Engine == podman.name {
		argv = append(argv, "--detach-keys=") // it looks for them without a terminal, too
	}
	argv = append(argv, "--entrypoint="+mounted, i.Name)
	return &Place{name: i.String(), target: i.Name, argv: argv, scheme: &container, apart: true}
}

// IsAboutProgram reports whether a container has failed since it has no Program that it can run, or
// one of another version.
func (i *Image) IsAboutProgram(f *Failure) bool {
	return errors.Is(f, ErrVersion) || strings.Contains(f.Text, i.Program) || strings.Contains(f.Text, mounted)
}

// fields returns values as --mount has them: as a line of CSV.
func fields(values ...string) string {
	var b strings.Builder
	w := csv.NewWriter(&b)
	w.Write(values) // a Builder takes all
	w.Flush()
	return strings.TrimSuffix(b.String(), "\n")
}

// errNoImage is why there is no container of an image that the engine does not have.
var errNoImage = errors.New("the engine has no such image")

// container is a new container, and engine an engine that is asked for something else.
var (
	container = scheme{name: "run", called: "its container", own: true, hints: engineHints}
	engine    = scheme{name: "engine", own: true, hints: engineHints}
)

var engineHints = slices.Concat([]hint{
	{"no such image", errNoImage, "there is no such image"},
	{"image not known", errNoImage, "there is no such image"},
	{"bind source path does not exist", nil, "the engine does not find this program at its path: is it on another machine?"},
	{"exec " + mounted + ": no such file", nil, needsLibrary},
	{"exec " + mounted + " failed: no such file", nil, needsLibrary},
}, withoutContainer(docker.hints), withoutContainer(podman.hints))

const needsLibrary = "this program needs a C library that the image does not have: CGO_ENABLED=0 builds one that needs none"

// withoutContainer returns the hints that are about an engine, and not about a container of it.
func withoutContainer(hints []hint) (list []hint) {
	for _, h := range hints {
		if h.kind == nil && !strings.Contains(h.say, "%s") && !strings.Contains(h.say, "such container") {
			list = append(list, h)
		}
	}
	return list
}
