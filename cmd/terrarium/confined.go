package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
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

// A counting says at its end how often its workers were refused a system call,
// where that is more than refused has said.
type counting struct{ *worker.Host }

func (c counting) Close() error {
	err := c.Host.Close()
	if text := refusals(c.RefusedCalls()); text != "" {
		warn(os.Stderr, errors.New(text))
	}
	return err
}

// refusals names the calls that were made most often.
func refusals(counts map[string]int64) string {
	const named = 8
	names := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
	var total, rest int64
	var each []string
	for i, name := range names {
		total += counts[name]
		if i < named {
			each = append(each, fmt.Sprintf("%s %d", name, counts[name]))
		} else {
			rest += counts[name]
		}
	}
	if total == int64(len(names)) {
		return ""
	}
	if rest > 0 {
		each = append(each, fmt.Sprintf("others %d", rest))
	}
	return fmt.Sprintf("the sandbox has refused its workers %d system calls: %s", total, strings.Join(each, ", "))
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
