package vfs

import "maps"

// pageSize is what a file in memory grows by, in bytes.
const pageSize = 4 << 10

// pages are the bytes of a file. Those that were never written are not there
// and read as zeros.
type pages struct {
	size int64
	page map[int64]*[pageSize]byte // by number
}

func (f *pages) readAt(p []byte, offset int64) (n int) {
	p = p[:min(int64(len(p)), max(f.size-offset, 0))]
	for n < len(p) {
		page, at := f.page[offset/pageSize], offset%pageSize
		size := min(len(p)-n, int(pageSize-at))
		if page == nil {
			clear(p[n : n+size])
		} else {
			copy(p[n:n+size], page[at:])
		}
		n += size
		offset += int64(size)
	}
	return n
}

// writeAt returns less than len(p) if s has no more pages.
func (f *pages) writeAt(p []byte, offset int64, s *store) (n int, err error) {
	for n < len(p) {
		number, at := offset/pageSize, offset%pageSize
		page := f.page[number]
		if page == nil {
			if err := s.takeBytes(pageSize); err != nil {
				return n, err
			}
			if f.page == nil {
				f.page = make(map[int64]*[pageSize]byte)
			}
			page = new([pageSize]byte)
			f.page[number] = page
		}
		size := copy(page[at:], p[n:])
		n += size
		offset += int64(size)
		f.size = max(f.size, offset)
	}
	return n, nil
}

// truncate sets the size. What is cut off reads as zeros if the file grows
// again.
func (f *pages) truncate(size int64, s *store) {
	if size < f.size {
		kept := (size + pageSize - 1) / pageSize
		before := len(f.page)
		maps.DeleteFunc(f.page, func(number int64, _ *[pageSize]byte) bool { return number >= kept })
		s.giveBytes(int64(before-len(f.page)) * pageSize)
		if page := f.page[size/pageSize]; page != nil {
			clear(page[size%pageSize:])
		}
	}
	f.size = size
}
