package cache

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// sealFile has in an entry what proves that the holder of the key has made it.
const sealFile = "seal"

// What an entry may have, which is more than any engine writes.
const (
	maxEntries = 16 // files and directories
	maxBytes   = maxSize
)

// A seal is a salt, which makes a key for this entry only out of the cache's, and
// the sum that this key gives.
type seal struct{ salt, sum [sha256.Size]byte }

// newSeal seals what is in a directory as the entry of a name.
func newSeal(key []byte, name, dir string) (s seal, err error) {
	rand.Read(s.salt[:])
	s.sum, err = keyedSum(key, name, s.salt[:], dir)
	return s, err
}

// check reports whether a directory is as it was when it was sealed.
func (s seal) check(key []byte, name, dir string) error {
	sum, err := keyedSum(key, name, s.salt[:], dir)
	if err == nil && !hmac.Equal(sum[:], s.sum[:]) {
		err = errNotAsWritten(dir)
	}
	return err
}

func errNotAsWritten(dir string) error {
	return fmt.Errorf("compile cache: %s is not as it was written", dir)
}

func (s seal) String() string {
	return hex.EncodeToString(s.salt[:]) + " " + hex.EncodeToString(s.sum[:]) + "\n"
}

func parseSeal(text []byte) (s seal, err error) {
	const size = 2 * sha256.Size
	if len(text) != 2*size+2 || text[size] != ' ' || text[2*size+1] != '\n' {
		return s, errors.New("compile cache: not a seal")
	}
	_, err = hex.Decode(s.salt[:], text[:size])
	if err == nil {
		_, err = hex.Decode(s.sum[:], text[size+1:2*size+1])
	}
	return s, err
}

// readSeal reads the seal of an entry.
func readSeal(dir string) (s seal, err error) {
	f, err := openFile(filepath.Join(dir, sealFile))
	if err != nil {
		return s, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, 4*sha256.Size+3))
	if err != nil {
		return s, err
	}
	return parseSeal(text)
}

// chunk is how much of a file is summed at once, in bytes.
const chunk = 1 << 20

// keyedSum returns the sum of the names, sizes and contents of all files below a
// directory but the seal, as an entry of that name.
//
// Contents go through AES-GCM's tag, which processors compute at several GB a
// second, a chunk at a time, each with a nonce of its own; HMAC joins the tags.
// The keys of both are of the key, the salt and the name, so that they are never
// used for other contents, and what is sealed for one name is nothing under
// another.
//
// https://nvlpubs.nist.gov/nistpubs/Legacy/SP/nistspecialpublication800-38d.pdf
func keyedSum(key []byte, name string, salt []byte, dir string) (sum [sha256.Size]byte, err error) {
	keys, err := hkdf.Key(sha256.New, key, salt, "terrarium compile cache "+name, 64)
	if err != nil {
		return sum, err
	}
	block, err := aes.NewCipher(keys[:32])
	if err != nil {
		return sum, err
	}
	gcm, err := cipher.NewGCM(block)
	if err != nil {
		return sum, err
	}
	s := summer{gcm: gcm, mac: hmac.New(sha256.New, keys[32:]), buf: make([]byte, chunk)}
	if err := walk(dir, s.file); err != nil {
		return sum, err
	}
	s.mac.Sum(sum[:0])
	return sum, nil
}

// A summer makes a keyedSum.
type summer struct {
	gcm   cipher.AEAD
	mac   hash.Hash
	buf   []byte
	count uint64 // chunks
	bytes int64
}

func (s *summer) file(name, below string, _ fs.FileInfo) error {
	f, err := openFile(name)
	if err != nil {
		return err
	}
	defer f.Close()
	start := s.bytes
	var nonce [12]byte
	var tag [16]byte
	for err == nil {
		var n int
		n, err = io.ReadFull(f, s.buf)
		if s.bytes += int64(n); s.bytes > maxBytes {
			return fmt.Errorf("compile cache: %s: more than %d bytes", name, int64(maxBytes))
		}
		binary.BigEndian.PutUint64(nonce[4:], s.count)
		s.count++
		s.mac.Write(s.gcm.Seal(tag[:0], nonce[:], nil, s.buf[:n]))
	}
	if err != io.EOF && err != io.ErrUnexpectedEOF {
		return err
	}
	fmt.Fprintf(s.mac, "%q %d\n", below, s.bytes-start)
	return nil
}

// walk calls f with each file below a directory but the seal, in the order of
// their names.
func walk(dir string, f func(name, below string, info fs.FileInfo) error) error {
	entries := 0
	return filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		below := name[len(dir):]
		if err != nil || below == "" || below == string(filepath.Separator)+sealFile {
			return err
		}
		if entries++; entries > maxEntries {
			return fmt.Errorf("compile cache: %s: more than %d files", dir, maxEntries)
		}
		if d.IsDir() {
			return nil
		}
		info, err := d.Info()
		switch {
		case err != nil:
			return err
		case !info.Mode().IsRegular():
			return fmt.Errorf("compile cache: %s: not a file", name)
		case !onlyName(info):
			return fmt.Errorf("compile cache: %s: has another name too", name)
		}
		return f(name, below, info)
	})
}

// look describes the files below a directory so that whatever is done to one of
// them makes another description. That reads no content.
func look(dir string) (state string, err error) {
	err = walk(dir, func(_, below string, info fs.FileInfo) error {
		state += fmt.Sprintf("%q %s\n", below, identity(info))
		return nil
	})
	return state, err
}

// keyFile is the cache's key, and keySize its length in bytes.
const (
	keyFile = "key"
	keySize = 32
)

// readKey reads the key, which nobody but this user may know.
func readKey(dir string) ([]byte, error) {
	name := filepath.Join(dir, keyFile)
	f, err := openFile(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Mode().Perm()&0o077 != 0 || !ours(info) || !onlyName(info) {
		return nil, fmt.Errorf("%s: others may read it: it must be a file of yours with mode 0600 and no other name", name)
	}
	key, err := io.ReadAll(io.LimitReader(f, keySize+1))
	if err == nil && len(key) != keySize {
		err = fmt.Errorf("%s: not a key: remove it, and another one is made", name)
	}
	return key, err
}

// makeKey makes the key, unless somebody else has made one meanwhile, and
// returns it.
func makeKey(dir string) (key []byte, err error) {
	unlock, err := lock(dir)
	if err != nil {
		return nil, err
	}
	defer unlock()
	if key, err = readKey(dir); !errors.Is(err, fs.ErrNotExist) {
		return key, err
	}
	f, err := os.CreateTemp(dir, keyFile+"-*") // mode 0600
	if err != nil {
		return nil, err
	}
	key = make([]byte, keySize)
	rand.Read(key)
	_, err = f.Write(key)
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), filepath.Join(dir, keyFile))
	}
	if err != nil {
		os.Remove(f.Name())
		return nil, err
	}
	return key, nil
}
