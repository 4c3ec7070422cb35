package main

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// zonesFile is where the time zones of the sandbox's commands are packed to.
const zonesFile = "plugins/zones/dist/zones.gz"

// packZones packs the zones that come with Go, for plugins/zones, which says
// how. A third of them have two names or more: package time/tzdata, which
// compresses nothing either, takes seven times the room.
func packZones(ctx context.Context, out io.Writer) error {
	root, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
	if err != nil {
		return fmt.Errorf("go env GOROOT: %w", err)
	}
	zones, err := zip.OpenReader(filepath.Join(strings.TrimSpace(string(root)), "lib", "time", "zoneinfo.zip"))
	if err != nil {
		return fmt.Errorf("the time zones of Go: %w", err)
	}
	defer zones.Close()
	names := map[string][]string{} // by what is in their files
	for _, f := range zones.File {
		if f.Mode().IsDir() {
			continue
		}
		r, err := f.Open()
		if err != nil {
			return err
		}
		zone, err := io.ReadAll(r)
		if err != nil {
			return fmt.Errorf("%s: %w", f.Name, err)
		}
		if len(zone) > math.MaxUint16 {
			return fmt.Errorf("%s: a time zone of %d bytes", f.Name, len(zone))
		}
		names[string(zone)] = append(names[string(zone)], f.Name)
	}
	var packed bytes.Buffer
	w, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		return err
	}
	for _, zone := range slices.Sorted(maps.Keys(names)) {
		record := strings.Join(names[zone], " ") + "\n" + string([]byte{byte(len(zone) >> 8), byte(len(zone))}) + zone
		if _, err := io.WriteString(w, record); err != nil {
			return err
		}
	}
	if err := w.Close(); err != nil {
		return err
	}
	return os.WriteFile(zonesFile, packed.Bytes(), 0o666)
}
