package zones

import (
	"archive/zip"
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestLoad compares with what glibc makes of a value, in winter and in summer.
func TestLoad(t *testing.T) {
	for _, test := range []struct{ value, winter, summer string }{
		{"", "22:13:20 UTC +0000", "09:46:40 UTC +0000"},
		{"Europe/Paris", "23:13:20 CET +0100", "11:46:40 CEST +0200"},
		{"CET-1CEST,M3.5.0,M10.5.0/3", "23:13:20 CET +0100", "11:46:40 CEST +0200"},
		{"CET-1CEST", "23:13:20 CET +0100", "11:46:40 CEST +0200"},
		{"<+0330>-3:30", "01:43:20 +0330 +0330", "13:16:40 +0330 +0330"},
		{"UTC+3", "19:13:20 UTC -0300", "06:46:40 UTC -0300"},
		{"JST-9JDT,J60,J300", "07:13:20 JST +0900", "19:46:40 JDT +1000"},
		{"EST5EDT4,M3.2.0/2:00:00,M11.1.0", "17:13:20 EST -0500", "05:46:40 EDT -0400"},
		{"AEST-10AEDT,M10.1.0,M4.1.0/3", "09:13:20 AEDT +1100", "19:46:40 AEST +1000"},
		{"ABC5:30:15", "16:43:05 ABC -0530", "04:16:25 ABC -0530"},
		{"Europe/Nowhere", "22:13:20 Europe +0000", "09:46:40 Europe +0000"},
		{"Local", "22:13:20 Local +0000", "09:46:40 Local +0000"},
	} {
		const layout = "15:04:05 MST -0700"
		loc := Load(test.value)
		winter, summer := time.Unix(1_700_000_000, 0).In(loc).Format(layout), time.Unix(1_720_000_000, 0).In(loc).Format(layout)
		if winter != test.winter || summer != test.summer {
			t.Errorf("%q: got %q and %q, want %q and %q", test.value, winter, summer, test.winter, test.summer)
		}
	}
}

// FuzzLoad reads whatever can be in a variable.
func FuzzLoad(f *testing.F) {
	for _, s := range []string{"UTC", "CET-1CEST,M3.5.0,M10.5.0/3", "<+03>-3", "A\nB", "EST5EDT,0/-167,366/167", "ABC-167:59:59", "../x", "/dev/zero"} {
		f.Add(s, int64(1_700_000_000))
	}
	f.Fuzz(func(t *testing.T, s string, at int64) {
		_ = time.Unix(at, 0).In(fromRules(s)).Format(time.RFC3339)
	})
}

// TestTable finds each zone of Go's table in what was packed of it.
func TestTable(t *testing.T) {
	table, err := os.ReadFile("dist/zones.gz")
	if errors.Is(err, fs.ErrNotExist) {
		t.Skipf("NOT RUN: the table is not built (make build): %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	zones, err := zip.OpenReader(filepath.Join(goRoot(t), "lib", "time", "zoneinfo.zip"))
	if err != nil {
		t.Fatal(err)
	}
	defer zones.Close()
	for _, f := range zones.File {
		if strings.HasSuffix(f.Name, "/") {
			continue
		}
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		want, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		got, err := find(bytes.NewReader(table), f.Name)
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: got %d bytes, %v, want %d", f.Name, len(got), err, len(want))
		}
	}
	if got, err := find(bytes.NewReader(table), "Europe/Nowhere"); err == nil {
		t.Errorf("got %q for what is not there", got)
	}
	if got, err := find(bytes.NewReader(table[:len(table)/2]), "Europe/Nowhere"); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("got %q, %v of half a table", got, err)
	}
}

func goRoot(t *testing.T) string {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Skipf("NOT RUN: no Go to take the zones from: %v", err)
	}
	return strings.TrimSpace(string(root))
}
