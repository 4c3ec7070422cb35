package meter

// What instructions cost, in units of fuel. In compiled code on a machine of
// 2024 a unit is about a tenth of a nanosecond (go test -bench Kernels): most
// instructions only name the operands of others. The weights are for those that
// take longest, one after the other.
const (
	costFree   = 0 // produces no code
	costPlain  = 1
	costCall   = 8
	costDivide = 16 // also square roots

	// Filling and copying costs a unit for every 8 bytes where they are few and
	// the processor's cache has them, and for every 2 bytes from unsplit on.
	bytesPerUnitLog2     = 3
	longBytesPerUnitLog2 = 1

	// A page is cleared when it is first used, so growing costs as if it were.
	pageUnitsLog2 = 16 - longBytesPerUnitLog2
)

const (
	// maxRegion bounds what is charged at once, before what is added for
	// branches that may not be taken. A longer region is charged in parts.
	maxRegion = 1 << 14

	// hugeFunction is the cost of a body beyond which every charge is checked, so
	// that no way through it is long, however it was laid out.
	hugeFunction = 1 << 16

	// smallLeaf is up to where a function that neither calls nor loops is charged
	// without a check: whoever calls it is checked.
	smallLeaf = 32

	// smallBulk is up to how many units a bulk instruction whose size is known is
	// charged like any other.
	smallBulk = 512

	// unsplit is from how many bytes on a bulk instruction has checks of its own.
	unsplit = 64 << 10

	// piece is how many bytes are filled or copied between two checks. Go's
	// collector cannot interrupt compiled code, so this is what it may have to
	// wait for: 0.8 ms where the memory was never touched. With less, Go copies
	// in another way, which takes a quarter longer (go test -bench Copy ./hostwasm).
	piece = 1 << 20
)
