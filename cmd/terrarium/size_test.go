package main

import "testing"

func TestByteSize(t *testing.T) {
	for _, test := range []struct {
		text string
		want byteSize
		show string
	}{
		{"0", 0, "0"},
		{"500", 500, "500"},
		{"1024", 1 << 10, "1KiB"},
		{"64KiB", 64 << 10, "64KiB"},
		{"1536KiB", 1536 << 10, "1536KiB"},
		{"2MiB", 2 << 20, "2MiB"},
		{"8589934591GiB", 8589934591 << 30, "8589934591GiB"},
	} {
		var s byteSize
		if err := s.Set(test.text); err != nil || s != test.want || s.String() != test.show {
			t.Errorf("Set(%q): got %d, %v, shown as %v, want %d, shown as %v", test.text, s, err, &s, test.want, test.show)
		}
	}
	for _, text := range []string{"", "KiB", "-1", "+1", "1.5MiB", "1 KiB", "1kib", "1K", "1B", "0x10", "8589934592GiB", "9223372036854775808"} {
		s := byteSize(7)
		if err := s.Set(text); err == nil || s != 7 {
			t.Errorf("Set(%q): got %d, %v, want an error", text, s, err)
		}
	}
}
