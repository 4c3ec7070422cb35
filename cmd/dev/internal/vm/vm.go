package vm

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// A Machine is what it takes to run programs.
type Machine struct {
	Kernel string // the directory that a Debian package of Linux was unpacked into
	Init   string // the path of vminit, built
}

// modules are those that vminit needs: the files outside come over a virtual PCI device.
var modules = []string{
	"virtio", "virtio_ring", "virtio_pci", "virtio_pci_modern_dev", "virtio_pci_legacy_dev",
	"netfs", "fscache", "9pnet", "9pnet_virtio", "9p", "overlay",
}

// ends are the lines of vminit that say how a program has ended, without the status.
var ends = [...]string{"terrarium-vm: user 0: exit status ", "terrarium-vm: user 65534: exit status "}

// Run runs a program in a directory, first as root and then as nobody, and copies to w what it
// prints. The error says which has failed.
func (m Machine) Run(ctx context.Context, w io.Writer, dir string, argv ...string) error {
	image, err := filepath.Glob(filepath.Join(m.Kernel, "boot", "vmlinuz-*"))
	if err != nil || len(image) != 1 {
		return fmt.Errorf("%s: got kernels %q, want one", m.Kernel, image)
	}
	files, err := os.CreateTemp("", "terrarium-vm-")
	if err != nil {
		return err
	}
	defer os.Remove(files.Name())
	err = m.writeFiles(files)
	if err := errors.Join(err, files.Close()); err != nil {
		return err
	}
	words := append([]string{"console=ttyS0", "panic=-1", "quiet", "--", dir}, argv...)
	for i, word := range words {
		if strings.ContainsAny(word, "\"\n") {
			return fmt.Errorf("the kernel's command line can't have %q", word)
		}
		if strings.Contains(word, " ") {
			words[i] = `"` + word + `"`
		}
	}
	cmd := exec.CommandContext(ctx, "qemu-system-x86_64",
		"-accel", "tcg,thread=multi", "-cpu", "max", "-smp", "2", "-m", "2048",
		"-display", "none", "-serial", "stdio", "-monitor", "none", "-nic", "none", "-no-reboot",
		"-kernel", image[0], "-initrd", files.Name(), "-append", strings.Join(words, " "),
		"-virtfs", "local,path=/,mount_tag=files,security_model=none,readonly=on,multidevs=remap")
	cmd.Stderr = w
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	statuses := readStatuses(out, w)
	if err := cmd.Wait(); err != nil {
		return fmt.Errorf("qemu-system-x86_64: %w", err)
	}
	for _, end := range ends {
		if statuses[end] != "0" {
			return fmt.Errorf("%s%s", end, statuses[end])
		}
	}
	return nil
}

// readStatuses copies what the console says, and returns what it says of the ends.
func readStatuses(r io.Reader, w io.Writer) map[string]string {
	statuses := map[string]string{ends[0]: "unknown", ends[1]: "unknown"}
	lines := bufio.NewReader(r)
	for {
		line, err := lines.ReadString('\n')
		line = strings.ReplaceAll(line, "\r", "")
		io.WriteString(w, line)
		for _, end := range ends {
			if status, ok := strings.CutPrefix(strings.TrimSpace(line), end); ok {
				statuses[end] = status
			}
		}
		if err != nil {
			return statuses
		}
	}
}

// writeFiles writes what the kernel begins with.
func (m Machine) writeFiles(w io.Writer) error {
	all := bufio.NewWriter(w)
	a := archive{w: all}
	a.dir("dev")
	a.device("dev/console", 5, 1)
	a.dir("modules")
	program, err := os.ReadFile(m.Init)
	if err != nil {
		return err
	}
	a.file("init", program)
	err = filepath.WalkDir(filepath.Join(m.Kernel, "lib", "modules"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		for _, name := range modules {
			if d.Name() != name+".ko" && d.Name() != name+".ko.xz" {
				continue
			}
			module, err := readModule(path)
			if err != nil {
				return err
			}
			a.file("modules/"+name+".ko", module)
		}
		return nil
	})
	return errors.Join(err, a.close(), all.Flush())
}

// readModule returns a kernel module, which newer packages compress.
func readModule(path string) ([]byte, error) {
	if !strings.HasSuffix(path, ".xz") {
		return os.ReadFile(path)
	}
	var out bytes.Buffer
	cmd := exec.Command("xz", "--decompress", "--stdout", path)
	cmd.Stdout = &out
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("xz %s: %w", path, err)
	}
	return out.Bytes(), nil
}
