package tests

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/terrarium-dev/terrarium/core/coretest"
)

// TestACP runs the scripts of tests/acp, the letter of the protocol, against
// the machine in this process.
func TestACP(t *testing.T) {
	for _, file := range coretest.Scripts(t, "acp") {
		t.Run(coretest.Name(file), func(t *testing.T) {
			coretest.Run(t, file, coretest.NewMachine(coretest.OpenNative), false)
		})
	}
}

// TestACPDriven runs them against the driver and its connection, on a fake host
// and in virtual time: goroutines must not change a single answer.
func TestACPDriven(t *testing.T) {
	for _, file := range coretest.Scripts(t, "acp") {
		t.Run(coretest.Name(file), func(t *testing.T) { coretest.RunDriven(t, file) })
	}
}

// TestACPReasons demands a reason of every error that a script observes:
// programs have nothing else to go by.
func TestACPReasons(t *testing.T) {
	for _, file := range coretest.Scripts(t, "acp") {
		for _, line := range strings.Split(acpScript(t, file), "\n") {
			text, ok := strings.CutPrefix(line, "<-- ")
			if !ok {
				continue
			}
			var m struct {
				Error *struct{ Data struct{ Reason string } }
			}
			if err := json.Unmarshal([]byte(text), &m); err != nil {
				t.Errorf("%s: %s: %v", file, text, err)
			}
			if m.Error != nil && m.Error.Data.Reason == "" {
				t.Errorf("%s: got %s, want data.reason", file, text)
			}
		}
	}
}

func acpScript(t *testing.T, file string) string {
	t.Helper()
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(archive.Files[0].Data)
}

// TestACPPoints holds the table in README.md against the scripts: it has every
// point, in order, and every script whose name has a point's number.
func TestACPPoints(t *testing.T) {
	readme, err := os.ReadFile("acp/README.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := regexp.MustCompile(`(?m)^\| (\d+) \| .* \| (.*) \|$`).FindAllStringSubmatch(string(readme), -1)
	if len(rows) != 50 {
		t.Fatalf("got %d points in README.md, want 50", len(rows))
	}
	for i, row := range rows {
		if row[1] != strconv.Itoa(i+1) {
			t.Errorf("got point %s after %d", row[1], i)
		}
		for _, name := range regexp.MustCompile("`(p\\d.*?)`").FindAllStringSubmatch(row[2], -1) {
			if _, err := os.Stat(filepath.Join("acp", name[1]+".txtar")); err != nil {
				t.Errorf("point %d: %v", i+1, err)
			}
		}
	}
	for _, file := range coretest.Scripts(t, "acp") {
		name := coretest.Name(file)
		for _, number := range regexp.MustCompile(`p(\d\d)_`).FindAllStringSubmatch(name, -1) {
			n, _ := strconv.Atoi(number[1])
			if !strings.Contains(rows[n-1][2], "`"+name+"`") {
				t.Errorf("point %d in README.md does not name %s", n, name)
			}
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if want := fmt.Sprintf("Point %d: ", n); !strings.Contains(string(archive.Comment), want) {
				t.Errorf("%s has no %q in its comment", file, want)
			}
		}
	}
}
