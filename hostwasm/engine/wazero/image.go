package wazero

import (
	"io"
	"os"
)

// An image is what the memory of each instance of a program begins with. Where
// the system can, instances share it and copy the pages that they write to: of
// the 4 MB of a program in Go that is a small part.
type image struct {
	size uint64
	file *os.File // or nil, and then
	data []byte
}

func newImage(data []byte) *image {
	i := &image{size: uint64(len(data))}
	var err error
	if i.file, err = sealedFile(data); err != nil {
		i.data = data
	}
	return i
}

// openImage returns the image in a file that nobody changes, or nil if that is
// empty.
func openImage(name string) (*image, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	switch {
	case err != nil:
	case canMap && info.Size() > 0:
		return &image{size: uint64(info.Size()), file: f}, nil
	case info.Size() > 0:
		data := make([]byte, info.Size())
		if _, err = io.ReadFull(f, data); err == nil {
			f.Close()
			return newImage(data), nil
		}
	}
	f.Close()
	return nil, err
}

// put puts the image at the start of an instance's memory, which is as long at least.
func (i *image) put(space []byte) error {
	if i.file == nil {
		copy(space, i.data)
		return nil
	}
	return mapPrivate(i.file, space[:i.size])
}

// Close frees the image. Instances keep what they have of it.
func (i *image) Close() error {
	if i.file == nil {
		return nil
	}
	return i.file.Close()
}
