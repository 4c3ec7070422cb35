package waits_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/terrarium-dev/terrarium/hostwasm/internal/waits"
)

// Time that is waited does not count, however the waits lie.
func TestAfterFunc(t *testing.T) {
	type wait struct{ from, to time.Duration }
	for _, test := range []struct {
		name  string
		waits []wait
		want  time.Duration // when f is called, with 10 s
	}{
		{"none", nil, 10 * time.Second},
		{"one", []wait{{2 * time.Second, 5 * time.Second}}, 13 * time.Second},
		{"at the end", []wait{{9 * time.Second, 20 * time.Second}}, 21 * time.Second},
		{"at the same time", []wait{{1 * time.Second, 4 * time.Second}, {2 * time.Second, 6 * time.Second}}, 15 * time.Second},
		{"more than count", []wait{{1 * time.Second, 2 * time.Minute}}, 70 * time.Second},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := &waits.Waits{Most: time.Minute}
				before := w.Begin() // it makes no difference, however long that was
				time.Sleep(2 * w.Most)
				before()
				began := time.Now()
				called := make(chan time.Duration, 2)
				w.AfterFunc(10*time.Second, func() { called <- time.Since(began) })
				for _, wait := range test.waits {
					time.AfterFunc(wait.from, func() {
						end := w.Begin()
						time.AfterFunc(wait.to-wait.from, end)
					})
				}
				time.Sleep(5 * time.Minute)
				if got := <-called; got != test.want || len(called) > 0 {
					t.Errorf("got %v and %d more calls, want %v", got, len(called), test.want)
				}
			})
		})
	}
}

func TestStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &waits.Waits{Most: time.Minute}
		stop := w.AfterFunc(time.Second, func() { t.Error("called") })
		end := w.Begin()
		time.Sleep(2 * time.Second)
		stop()
		end()
		time.Sleep(time.Minute)
	})
}
