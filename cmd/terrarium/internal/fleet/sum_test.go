package fleet

import (
	"crypto/sha256"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/coretest"
	"github.com/terrarium-dev/terrarium/hostnative"
)

// TestSum sends bytes through a command and back, while the connection to the server is cut again
// and again: the same bytes come, in their order, and the command runs once.
func TestSum(t *testing.T) {
	size, cuts := 4<<20, 4
	if os.Getenv("TERRARIUM_LONG") != "" {
		size, cuts = 100<<20, 40
	}
	native, err := hostnative.New(hostnative.Config{})
	coretest.Supported(t, err)
	t.Cleanup(func() { native.Close() })
	s := newServer(t)
	w := newWorker(t, s, WorkerConfig{Name: "w", Slots: 1, Host: native})
	client := newClient(t, s)
	h := place(t, PlaceConfig{Client: client})
	e, err := h.Resolve(t.Context(), core.Command{Command: "sh", Args: []string{"-c", "echo began >&2; exec cat"}, Interactive: true})
	if err != nil {
		t.Fatal(err)
	}
	p, err := h.Start(t.Context(), e)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })

	sent := sha256.New()
	wrote := make(chan error, 1)
	go func() { // ends with the process
		random := rand.NewChaCha8([32]byte{})
		b := make([]byte, 64<<10)
		for n := 0; n < size; n += len(b) {
			random.Read(b)
			sent.Write(b)
			if _, err := p.Write(b); err != nil {
				wrote <- err
				return
			}
		}
		wrote <- p.CloseInput()
	}()
	came, began := sha256.New(), ""
	n, cut := 0, 0
	p.Output(func(stream uint8, b []byte) {
		if stream == 2 {
			began += string(b)
			return
		}
		came.Write(b)
		n += len(b)
		if cut < cuts && n >= (cut+1)*size/(cuts+1) {
			one := []*Client{client, w.client}[cut%2]
			if err := one.nats.ForceReconnect(); err != nil {
				t.Error(err)
			}
			cut++
		}
	})
	if err := <-wrote; err != nil {
		t.Error(err)
	}
	if exit, err := p.Wait(); err != nil || exit.Status != (core.ExitStatus{}) {
		t.Errorf("got %+v, %v, want its end", exit, err)
	}
	if n != size || string(came.Sum(nil)) != string(sent.Sum(nil)) {
		t.Errorf("got %d bytes, want the same %d", n, size)
	}
	if began != "began\n" {
		t.Errorf("got %q, want that the command began once", began)
	}
	if cut != cuts || client.nats.Stats().Reconnects == 0 {
		t.Errorf("got %d cuts, want %d", cut, cuts)
	}
}
