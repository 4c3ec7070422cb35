// Package pagetests says which tests of hostwasm and its packages can't run in a
// page, where "dev browser" runs the others: there are no files and no processes
// of a host.
package pagetests

import (
	"flag"
	"maps"
	"slices"
	"strings"
)

// Why a test can't run in a page.
const (
	files     = "needs directories of this machine"
	processes = "needs other processes: os/exec, workers or the system's own view of us"
	sources   = "reads other packages' tests, natively"
)

// Elsewhere has these tests by their package's folder, each with its reason.
var Elsewhere = map[string]map[string]string{
	"hostwasm": {
		"TestDisk":               files,
		"TestEscape":             files,
		"TestEscapeAcrossMounts": files,
		"TestEscapeByRace":       files,
		"TestEscapeOfChildren":   files,
		"TestHidden":             files,
		"TestHiddenOwn":          files,
		"TestHiddenRefused":      files,
		"TestModes":              files,
		"TestNotExecutable":      files,
		"TestOpenHostFiles":      files,
		"TestProtected":          files,
		"TestRootRefused":        files,
		"TestTimes":              files,
		"TestHostileTable":       sources,
		"TestRecursionMemory":    processes,
		"TestTrapOfC":            processes,
	},
	"hostwasm/wasi": {
		"TestCGuest": processes,
	},
	"hostwasm/vfs": {
		"Example":                        files,
		"FuzzResolve":                    files,
		"TestBlocksRunOut":               files,
		"TestDeepTree":                   files,
		"TestDirectoriesThatWereLarge":   files,
		"TestEscapes":                    files,
		"TestFIFOWaitsOn":                files,
		"TestGrowthRunsOut":              files,
		"TestHidden":                     files,
		"TestHiddenBeside":               files,
		"TestHiddenCopiedUp":             files,
		"TestHiddenElsewhere":            files,
		"TestHiddenMadeAnew":             files,
		"TestHiddenModes":                files,
		"TestHiddenMount":                files,
		"TestHiddenMoved":                files,
		"TestHiddenNumberAgain":          files,
		"TestHiddenWay":                  files,
		"TestLargeDirectoryRemovedOpen":  files,
		"TestLikeTheKernel":              files,
		"TestListHostileNames":           files,
		"TestListManyFiles":              files,
		"TestMaxOpen":                    files,
		"TestModeBeyondUmask":            files,
		"TestModesOfNew":                 files,
		"TestNameLongerThanPaths":        files,
		"TestOpenHostRefused":            files,
		"TestQuotaGrows":                 files,
		"TestQuotaInBlocks":              files,
		"TestQuotaIsShared":              files,
		"TestQuotaOfHost":                files,
		"TestQuotaOfLargeDirectories":    files,
		"TestQuotaOfOpenHostFiles":       files,
		"TestRaceAroundMount":            files,
		"TestRaceNumber":                 files,
		"TestRaceOut":                    files,
		"TestRaceRefund":                 files,
		"TestRaceRemoved":                files,
		"TestRemoveUnreadable":           files,
		"TestRenameDeeper":               files,
		"TestRenameLooksAtBoundedlyMany": files,
		"TestSetMode":                    files,
		"TestSetModeByAnother":           files,
		"TestSpecialFiles":               files,
		"TestSystemElsewhere":            files,
		"TestTimesByAnother":             files,
	},
}

// Skip has the tests of a package that can't run in a page be left out. It is
// called before testing.M.Run, where GOOS is js.
func Skip(pkg string) {
	flag.Parse()
	names := slices.Sorted(maps.Keys(Elsewhere[pkg]))
	skip := flag.Lookup("test.skip").Value
	pattern := "^(" + strings.Join(names, "|") + ")$"
	if given := skip.String(); given != "" {
		pattern += "|" + given // as long as it has no slash
	}
	if err := skip.Set(pattern); err != nil {
		panic(err)
	}
}
