package cc

import (
	"path"
	"slices"
	"strings"
)

// A job is a program that is to be started, and its arguments.
type job []string

// output returns the file that the job writes, "" if it does not say.
func (j job) output() string {
	if i := slices.Index(j, "-o"); i >= 0 && i+1 < len(j) {
		return j[i+1]
	}
	return ""
}

// links reports whether the job makes a program of object files.
func (j job) links() bool { return strings.HasSuffix(path.Base(j[0]), "ld") }

// withEmulated returns the job of a linker with the libraries of what is emulated, of which it
// takes what it needs.
func (j job) withEmulated() job {
	i := slices.Index(j, "-lc")
	if i < 0 { // no library is wanted, or no program
		return j
	}
	var libraries []string
	for _, part := range emulated {
		libraries = append(libraries, "-lwasi-emulated-"+part)
	}
	return slices.Insert(slices.Clone(j), i, libraries...)
}

// parsePlan reads what clang -### writes: its jobs, each in a line that begins with a blank and a
// quotation mark, and among them what it has to complain of, which is returned as it is.
//
// https://github.com/llvm/llvm-project/blob/main/clang/lib/Driver/Job.cpp, Command::Print
func parsePlan(text string) (jobs []job, complaints string) {
	var said strings.Builder
	for text != "" {
		if strings.HasPrefix(text, ` "`) {
			var j job
			j, text = cutJob(text)
			jobs = append(jobs, j)
			continue
		}
		line, rest, _ := strings.Cut(text, "\n")
		if text = rest; !isBanner(line) {
			said.WriteString(line + "\n")
		}
	}
	return jobs, said.String()
}

// banners begin the lines in which clang says what it is.
var banners = []string{"clang version ", "Target: ", "Thread model: ", "InstalledDir: ", "Build config: ", "Configuration file: ", " (in-process)"}

func isBanner(line string) bool {
	return slices.ContainsFunc(banners, func(b string) bool { return strings.HasPrefix(line, b) })
}

// cutJob returns the job that text begins with, and what is behind its line. An argument is between
// quotation marks, where a backslash stands before those that are part of it, and before $ and
// backslashes.
func cutJob(text string) (j job, rest string) {
	for strings.HasPrefix(text, " ") {
		text = strings.TrimPrefix(text[1:], `"`)
		var arg strings.Builder
		i := 0
		for ; i < len(text) && text[i] != '"'; i++ {
			if text[i] == '\\' && i+1 < len(text) {
				i++
			}
			arg.WriteByte(text[i])
		}
		j = append(j, arg.String())
		text = text[min(i+1, len(text)):]
	}
	if len(j) > 1 && !strings.HasPrefix(j[1], "-") {
		// It is the program's name once more, which LLVM's all-in-one program wants otherwise.
		j = slices.Delete(j, 1, 2)
	}
	return j, strings.TrimPrefix(text, "\n")
}
