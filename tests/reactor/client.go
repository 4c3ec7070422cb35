package reactor

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/coretest"
)

var _ coretest.Backend = (*Client)(nil)

// A Client is a registry inside an Instance, as an embedder uses it. It ends
// its test at whatever an embedder that keeps to the ABI should never see: a
// trap, a status below zero of a report, JSON that it does not expect.
type Client struct {
	tb       testing.TB
	instance Instance
	registry uint64

	inputAt   uint32
	inputSize int
}

// A StatusError is a status below zero with its details.
type StatusError struct {
	Status  int32  `json:"-"`
	Reason  string `json:"reason"`
	Message string `json:"message"`
	Param   string `json:"param"`
}

func (e *StatusError) Error() string { return e.Message }

// NewClient opens a registry in an instance; its configuration is JSON.
func NewClient(tb testing.TB, i Instance, config []byte) (*Client, error) {
	tb.Helper()
	c := &Client{tb: tb, instance: i}
	lengths := c.put(config)
	handle := int32(c.run(Call("new_registry", lengths...)))
	if handle < 0 {
		return nil, c.statusError(handle)
	}
	c.registry = uint64(handle)
	return c, nil
}

// Free forgets the registry: the Client is of no more use.
func (c *Client) Free() { c.report("free_registry", nil) }

// OpenBackend returns what coretest.NewMachine opens its backend with: a Client in a
// new instance.
func (e Engine) OpenBackend(tb testing.TB) func(c core.Config, acp bool) (coretest.Backend, error) {
	return func(c core.Config, acp bool) (coretest.Backend, error) {
		if c.Screens {
			return nil, fmt.Errorf("the reactor has no screen, for it would be too much to download: %w", coretest.ErrNotHere)
		}
		return NewClient(tb, e.Open(tb), ConfigJSON(c, acp))
	}
}

// put writes the arguments of the next call into the input buffer, and returns
// their lengths.
func (c *Client) put(pieces ...[]byte) []uint64 {
	c.tb.Helper()
	var all []byte
	var lengths []uint64
	for _, p := range pieces {
		all = append(all, p...)
		lengths = append(lengths, uint64(len(p)))
	}
	if len(all) > c.inputSize {
		c.inputAt = uint32(c.run(Call("input", uint64(len(all)))))
		if c.inputAt == 0 {
			c.tb.Fatalf("input(%d) was refused", len(all))
		}
		c.inputSize = len(all)
	}
	c.run(Write(c.inputAt, all))
	return lengths
}

// run carries out steps, which must not trap.
func (c *Client) run(steps ...Step) (value uint64) {
	c.tb.Helper()
	value, _, err := c.instance.Run(1, steps...)
	if err != nil {
		c.tb.Fatal(err)
	}
	return value
}

// take calls an export that returns bytes, and returns a copy of them.
func (c *Client) take(export string, args ...uint64) []byte {
	c.tb.Helper()
	_, data, err := c.instance.Run(1, Call(export, args...), Take())
	if err != nil {
		c.tb.Fatal(err)
	}
	return append([]byte(nil), data...)
}

// call calls an export about a registry with the lengths of pieces as its last
// arguments, and returns its status.
func (c *Client) call(export string, args []uint64, pieces ...[]byte) (status int32, err error) {
	c.tb.Helper()
	lengths := c.put(pieces...)
	args = append(append([]uint64{c.registry}, args...), lengths...)
	status = int32(c.run(Call(export, args...)))
	if status < 0 {
		return status, c.statusError(status)
	}
	return status, nil
}

func (c *Client) statusError(status int32) *StatusError {
	c.tb.Helper()
	e := &StatusError{Status: status}
	c.decode(c.take("result"), e)
	return e
}

func (c *Client) decode(p []byte, into any) {
	c.tb.Helper()
	if err := decodeStrictly(p, into); err != nil {
		c.tb.Fatalf("%v in %s", err, p)
	}
}

// report is call for what must not fail.
func (c *Client) report(export string, args []uint64, pieces ...[]byte) {
	c.tb.Helper()
	if _, err := c.call(export, args, pieces...); err != nil {
		c.tb.Fatalf("%s: %v", export, err)
	}
}

func toJSON(v any) []byte {
	p, err := json.Marshal(v)
	if err != nil {
		panic(err) // our own types
	}
	return p
}

func at(now time.Time) []uint64 { return []uint64{uint64(now.UnixNano())} }
