package fleet

import (
	"os"
	"testing"

	"github.com/terrarium-dev/terrarium/core/coretest"
	"github.com/terrarium-dev/terrarium/hostnative/helper"
)

func TestMain(m *testing.M) {
	helper.Main() // the host's keeper
	coretest.HeedSignals()
	os.Exit(m.Run())
}
