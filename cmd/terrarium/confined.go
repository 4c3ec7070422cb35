package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/terrarium-dev/terrarium/hostwasm/worker"
)

// unconfined warns that commands of the sandbox are held by less than they
// could be. Who has no terminal has a log.
func unconfined(missing []worker.Measure) {
	warn(os.Stderr, fmt.Errorf("this system does not hold the sandbox as it should: %s: --sandbox-required refuses to run then", worker.Describe(missing)))
}

// refused warns of what a worker should not have tried.
func refused(call string) {
	warn(os.Stderr, fmt.Errorf("the sandbox has refused its worker the system call %s: either a command has broken out of the engine, or we do not know this system: please report it", call))
}

// confines says what is missing that --sandbox-required asks for.
func confines(host *worker.Host) error {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	_, err := host.Report(ctx)
	if e, ok := errors.AsType[*worker.UnconfinedError](err); ok {
		return errors.New("--sandbox-required: this system does not hold the sandbox as it should: " + worker.Describe(e.Missing))
	}
	return err
}
