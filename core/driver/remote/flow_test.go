package remote

import "testing"

// Windows grow for who uses them, up to a share, and all that was taken is given back.
func TestWindows(t *testing.T) {
	p := newPool()
	var all []*window
	for n := 1; n <= maxTerminals; n++ {
		w := p.open()
		all = append(all, &w)
		for range 8 {
			cost := w.granted
			if !w.arrive(cost) {
				t.Fatal("credit that was granted is none")
			}
			w.use(cost)
		}
		if n == 1 && w.size != maxWindow {
			t.Errorf("alone: got a window of %d bytes, want %d", w.size, maxWindow)
		}
		var sum int64
		for _, w := range all {
			sum += w.size
			if w.size < minWindow || w.size > maxWindow || w.granted+w.used != w.size {
				t.Fatalf("%d windows: got one of %d bytes, %d granted and %d used", n, w.size, w.granted, w.used)
			}
		}
		if sum > maxTerminals*minWindow+growth {
			t.Fatalf("%d windows: got %d bytes together", n, sum)
		}
	}
	for _, w := range all {
		w.close()
	}
	if p.n != 0 || p.free != growth {
		t.Errorf("got %d windows and %d bytes to grow, want 0 and %d", p.n, p.free, growth)
	}
}
