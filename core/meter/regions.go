package meter

// A region is code that runs as a whole once its first instruction does (or
// traps): it is charged when it is entered. Its pieces need not be adjacent:
//
//	a; if  b  end; c
//
// has the regions {a, c} and {b}. Each but the first has a parent, the region
// that must have been entered before it.
type region struct {
	parent int32
	own    uint32 // what its instructions cost
	charge uint32 // what is charged at its entry
	kind   regionKind
	// backEdges is how many branches lead back to the start of a loop, up to
	// manyBackEdges.
	backEdges uint8
}

// manyBackEdges is for loops that are better checked at the start of each turn.
const manyBackEdges = 8

func (r *region) checkedAtEntry() bool {
	return r.kind == regionLoop && r.backEdges >= manyBackEdges
}

type regionKind uint8

const (
	// regionBranch runs at most once for each time its parent does.
	regionBranch regionKind = iota
	// regionApart is a branch that must not be charged with its parent: its
	// parent is long enough, or a loop that this comes after.
	regionApart
	// regionLoop is what runs in each turn of a loop.
	regionLoop
	// regionSame turned out to be a part of its parent: a loop that is none.
	regionSame
)

// dead stands for the region of code that cannot be reached.
const dead int32 = -1

// maxRegions bounds the memory that reading a function takes.
const maxRegions = 1 << 20

func (s *scan) newRegion(kind regionKind, parent int32) int32 {
	if len(s.regions) == maxRegions {
		s.fail(ErrLimit, "a function of more than "+utoa(maxRegions)+" regions")
		return 0
	}
	s.regions = append(s.regions, region{parent: parent, kind: kind})
	return int32(len(s.regions) - 1)
}

// settle decides where regions are charged: at their entry, or with their parent
// where that makes the parent's charge no more than twice what it costs on its
// own. So whatever way is taken, what is charged for it is never less than it
// costs, and never more than twice that.
//
// It returns what all regions together cost.
func (s *scan) settle() (total uint64) {
	for i := len(s.regions) - 1; i > 0; i-- {
		if r := &s.regions[i]; r.kind == regionSame {
			s.regions[r.parent].own += r.own
			r.own = 0
		}
	}
	s.owners = append(s.owners[:0], 0)
	s.regions[0].charge = s.regions[0].own
	for i := range s.regions[1:] {
		r := &s.regions[i+1]
		total += uint64(r.own)
		owner := int32(i + 1)
		if r.kind == regionBranch || r.kind == regionSame {
			with := s.owners[r.parent]
			if o := &s.regions[with]; r.kind == regionSame || o.charge+r.own <= 2*o.own {
				o.charge += r.own
				owner = with
			}
		}
		if owner == int32(i+1) {
			r.charge = r.own
		}
		s.owners = append(s.owners, owner)
	}
	return total + uint64(s.regions[0].own)
}
