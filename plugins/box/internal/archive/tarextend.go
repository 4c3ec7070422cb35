package archive

import (
	"archive/tar"
	"io"
	"os"
	"time"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/compress"
	"github.com/terrarium-dev/terrarium/plugins/box/internal/sys"
)

// extend adds to an archive: -r, -u and -A.
func (j *job) extend() error {
	if len(j.steps) == 0 && !j.fromFile {
		j.env.Errorf("Cowardly refusing to create an empty archive")
		j.tryHelp(tarTrouble)
		return errTold
	}
	if j.archive == "-" {
		return j.fatal("Options '-Aru' are incompatible with '-f -'")
	}
	if j.explicit {
		return j.noUpdate()
	}
	end, dates, err := j.scan()
	if err != nil {
		return err
	}
	f, err := j.env.OpenFile(j.archive, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return j.fatal("%s: Cannot open: %s", j.archive, strerror(err))
	}
	if _, err := f.Seek(end, io.SeekStart); err != nil {
		return j.fatal("%s: Cannot seek: %s", j.archive, strerror(err))
	}
	o, err := j.newOutput(f, end)
	if err != nil {
		return err
	}
	if fi, err := f.Stat(); err == nil {
		o.info = sys.Of(fi)
	}
	if j.verb == update {
		j.dropOld(dates)
	}
	if j.verb == concat {
		err = o.concat()
	} else {
		err = o.addAll()
	}
	if err == nil {
		err = o.close()
	}
	if closing := f.Truncate(o.blocks.N); err == nil && closing != nil {
		err = o.fail(closing)
	}
	f.Close()
	return err
}

func (j *job) noUpdate() error {
	j.env.Errorf("Cannot update compressed archives")
	j.tryHelp(tarTrouble)
	return errTold
}

// scan returns where the archive's last member ends, and the time of each member for -u.
func (j *job) scan() (end int64, dates map[string]time.Time, err error) {
	dates = map[string]time.Time{}
	if fi, err := j.env.Stat(j.archive); err != nil || fi.Size() == 0 {
		return 0, dates, nil
	}
	in, err := j.open(j.archive)
	if err != nil {
		return 0, nil, err
	}
	defer in.file.Close()
	if in.packed != compress.None {
		return 0, nil, j.noUpdate()
	}
	err = in.each(func(h *tar.Header) error {
		if _, err := io.Copy(io.Discard, in.tar); err != nil {
			return in.cut(err)
		}
		end = (in.blocks.N + blockSize - 1) / blockSize * blockSize
		if j.verb == update && len(dates) < maxDates {
			dates[h.Name] = h.ModTime
		}
		return nil
	})
	return end, dates, err
}

// maxDates is how many members -u remembers. Those beyond are added once more.
const maxDates = 100_000

// dropOld leaves out what the archive has already.
func (j *job) dropOld(dates map[string]time.Time) {
	var steps []step
	for _, s := range j.steps {
		fi, err := j.env.Lstat(join(s.dir, s.name))
		if date, ok := dates[memberName(s.name)]; ok && err == nil && !fi.ModTime().Truncate(time.Second).After(date) {
			continue
		}
		steps = append(steps, s)
	}
	j.steps = steps
}

// concat adds the members of other archives.
func (o *output) concat() error {
	for _, s := range o.job.steps {
		if err := o.addMembers(join(s.dir, s.name)); err != nil {
			return err
		}
	}
	return nil
}

func (o *output) addMembers(archive string) error {
	in, err := o.job.open(archive)
	if err != nil {
		return err
	}
	defer in.file.Close()
	return in.each(func(h *tar.Header) error { return o.copyMember(h, in) })
}

// copyMember adds a member of another archive as it is; its holes become zeros.
func (o *output) copyMember(h *tar.Header, in *input) error {
	if isSparse(h) {
		h.Typeflag, h.PAXRecords = tar.TypeReg, nil
	}
	h.Format = tar.FormatUnknown
	if err := o.tar.WriteHeader(h); err != nil {
		return o.fail(err)
	}
	read := &readErrors{r: in.tar}
	if _, err := io.Copy(o.tar, read); err != nil {
		if read.err != nil {
			return in.cut(read.err)
		}
		return o.fail(err)
	}
	return nil
}

// remove takes members out of an archive, by writing a new one.
func (j *job) remove() error {
	if j.archive == "-" || j.explicit {
		return j.noUpdate()
	}
	in, err := j.open(j.archive)
	if err != nil {
		return err
	}
	defer in.file.Close()
	if in.packed != compress.None {
		return j.noUpdate()
	}
	rest := j.archive + ".new~"
	f, err := j.env.Create(rest, os.O_EXCL)
	if err != nil {
		return j.fatal("%s: Cannot open: %s", rest, strerror(err))
	}
	o, err := j.newOutput(f, 0)
	if err != nil {
		return err
	}
	o.file = f
	found := make([]int, len(j.steps))
	if err := j.keepOthers(in, o, found); err != nil {
		f.Close()
		j.env.Remove(rest)
		return err
	}
	if err := o.close(); err != nil {
		j.env.Remove(rest)
		return err
	}
	if err := j.env.Rename(rest, j.archive); err != nil {
		return j.fatal("%s: Cannot rename: %s", rest, strerror(err))
	}
	j.missing(found)
	return nil
}

func (j *job) keepOthers(in *input, o *output, found []int) error {
	return in.each(func(h *tar.Header) error {
		if i, ok := j.wanted(h.Name); ok && i >= 0 {
			found[i]++
			return nil
		}
		return o.copyMember(h, in)
	})
}
