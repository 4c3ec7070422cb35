//go:build linux || darwin

package worker

import "testing"

// What is told of a command comes before that it is gone: of one that is gone the host
// takes nothing, and ends the worker, with all that runs there. So it went where the
// host asked what a command does with its terminal, just when that ended.
func TestNothingAfterGone(t *testing.T) {
	host, other := newVictim(t, &Host{})
	task := &task{worker: &worker{conn: other}, id: 1}
	task.tell(&message{Gone: &gone{}})
	task.look(&taskProcess{})
	other.close()
	m, _, err := host.conn.receive(maxFromWorker)
	if err != nil || m.Gone == nil {
		t.Fatalf("got %+v, %v, want that it is gone", m, err)
	}
	if m, _, err := host.conn.receive(maxFromWorker); err == nil {
		t.Errorf("got %+v as well", m)
	}
}
