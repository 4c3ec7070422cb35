// Package direct writes the module that stands for true, false, echo and pwd where a host starts
// one of them itself (hostwasm.Module.Direct): some hundred bytes, where that of the box is a Go
// program of a hundred commands. It knows no options: it is not taken where there are any.
package direct

//lint:ignore ST1001 a module is written in its instructions, as the tests write theirs
import . "github.com/terrarium-dev/terrarium/core/meter/metertest"

// What is where in the memory.
const (
	count   = 0  // of what fd_write has written, or of the strings of a list
	size    = 4  // of these strings, in bytes, with a zero behind each
	piece   = 8  // what fd_write is to write: where it is, and how long
	message = 16 // what pwd says of arguments
	strings = 64 // where each of the strings is; they themselves follow
)

const ignoring = "pwd: ignoring non-option arguments\n"

// Opcodes that metertest has no names for.
const (
	i32Ne   = 0x47
	i32GtS  = 0x4a
	i32ShrU = 0x76
)

const (
	stdout = 1
	stderr = 2
)

const preview1 = "wasi_snapshot_preview1"

// A builder adds functions to a module, after those that they call.
type builder struct {
	Module
	write, exit   uint32 // of the host
	args, environ uint32 // read a list into the memory, and return where it ends
	print         uint32 // writes to a descriptor what lies between two places
	echo, pwd     uint32
}

// Bytes returns the module.
func Bytes() []byte {
	var b builder
	argsSizes, args := b.list("args")
	environSizes, environ := b.list("environ")
	b.write = b.Import(preview1, "fd_write", "(i32,i32,i32,i32)->i32")
	b.exit = b.Import(preview1, "proc_exit", "(i32)->()")
	b.args, b.environ = b.addRead(argsSizes, args), b.addRead(environSizes, environ)
	b.print = b.addPrint()
	b.echo, b.pwd = b.addEcho(), b.addPwd()
	b.Export("_start", b.addStart())
	b.Memory(1, 0)
	b.ExportMemory("memory")
	b.Data(message, []byte(ignoring))
	return b.Module.Bytes()
}

// list imports what tells how large a list is, and what is in it.
func (b *builder) list(name string) (sizes, get uint32) {
	const signature = "(i32,i32)->i32"
	return b.Import(preview1, name+"_sizes_get", signature), b.Import(preview1, name+"_get", signature)
}

// word loads the number at a place, byteAt the byte at one that is computed.
func word(place int32) []byte         { return Code(I32(place), Memory(I32Load, 0)) }
func byteAt(address ...[]byte) []byte { return Code(Code(address...), Memory(I32Load8U, 0)) }

// put stores a byte.
func put(address []byte, c byte) []byte {
	return Code(address, I32(int32(c)), Memory(I32Store8, 0))
}

func add(a, b []byte) []byte { return Code(a, b, Op(I32Add)) }
func sub(a, b []byte) []byte { return Code(a, b, Op(I32Sub)) }

// when runs body if a condition is not 0.
func when(condition []byte, body ...[]byte) []byte { return Code(condition, If(EmptyType, body...)) }

// while runs body again and again, as long as a condition is not 0.
func while(condition []byte, body ...[]byte) []byte {
	return Loop(EmptyType, when(condition, Code(body...), Br(1)))
}

// first is where the first string of the list is.
func first() []byte { return word(strings) }

// addRead adds a function that reads a list, for which it makes the memory large enough.
func (b *builder) addRead(sizes, get uint32) uint32 {
	const text, end, pages = 0, 1, 2
	const page, behind = 1 << 16, 4 // so many bytes may be read behind the end
	return b.Func("()->i32", "i32,i32,i32",
		I32(count), I32(size), Call(sizes), Op(Drop),
		add(I32(strings), Code(word(count), I32(4), Op(I32Mul))), Set(text),
		add(Get(text), word(size)), Set(end),
		sub(Code(add(Get(end), I32(behind+page-1)), I32(16), Op(i32ShrU)), MemorySize()), Set(pages),
		when(Code(Get(pages), I32(0), Op(i32GtS)),
			when(Code(Get(pages), MemoryGrow(), I32(-1), Op(I32Eq)), Op(Unreachable))),
		I32(strings), Get(text), Call(get), Op(Drop),
		Get(end),
	)
}

// addPrint adds a function that writes to a descriptor what lies between two places.
func (b *builder) addPrint() uint32 {
	const fd, from, to = 0, 1, 2
	return b.Func("(i32,i32,i32)->()", "",
		while(Code(Get(from), Get(to), Op(i32Ne)),
			I32(piece), Get(from), Memory(I32Store, 0),
			I32(piece+4), sub(Get(to), Get(from)), Memory(I32Store, 0),
			when(Code(Get(fd), I32(piece), I32(1), I32(count), Call(b.write)), I32(1), Call(b.exit)),
			add(Get(from), word(count)), Set(from)))
}

// addEcho adds a function that prints a list from one place to its end, with blanks between the
// strings and a new line at the end.
func (b *builder) addEcho() uint32 {
	const from, end, at = 0, 1, 2
	return b.Func("(i32,i32)->()", "i32",
		Get(from), Set(at),
		while(Code(Get(at), Get(end), Op(i32Ne)),
			when(Code(byteAt(Get(at)), Op(I32Eqz)), put(Get(at), ' ')),
			add(Get(at), I32(1)), Set(at)),
		put(sub(Get(end), I32(1)), '\n'),
		I32(stdout), Get(from), Get(end), Call(b.print))
}

// addPwd adds a function that prints the variable PWD.
func (b *builder) addPwd() uint32 {
	const end, at, value = 0, 1, 2
	name := int32('P' | 'W'<<8 | 'D'<<16 | '='<<24)
	return b.Func("()->()", "i32,i32,i32",
		Call(b.environ), Set(end),
		first(), Set(at),
		while(Code(Get(at), Get(end), Op(i32Ne)),
			Get(at), Set(value),
			while(byteAt(Get(at)), add(Get(at), I32(1)), Set(at)),
			add(Get(at), I32(1)), Set(at), // behind the zero
			when(Code(Get(value), Memory(I32Load, 0), I32(name), Op(I32Eq)),
				put(sub(Get(at), I32(1)), '\n'),
				I32(stdout), add(Get(value), I32(4)), Get(at), Call(b.print),
				Op(Return))),
		I32(1), Call(b.exit))
}

// addStart adds the function that the host calls. The commands differ in the last letter but one
// of their names, which argv[0] ends with.
func (b *builder) addStart() uint32 {
	const end, rest, letter = 0, 1, 2 // rest is where argv[1] is, or the end
	is := func(c byte) []byte { return Code(Get(letter), I32(int32(c)), Op(I32Eq)) }
	more := Code(word(count), I32(1), Op(I32GtU))
	return b.Func("()->()", "i32,i32,i32",
		Call(b.args), Tee(end), Set(rest),
		when(more, word(strings+4), Set(rest)),
		byteAt(sub(Get(rest), I32(3))), Set(letter), // there are one letter and a zero behind it
		// true
		when(is('u'), Op(Return)),
		// false
		when(is('s'), I32(1), Call(b.exit)),
		// pwd
		when(is('w'),
			when(more, I32(stderr), I32(message), I32(int32(message+len(ignoring))), Call(b.print)),
			Call(b.pwd), Op(Return)),
		// echo, which prints a new line for a zero: without arguments for that of its name
		when(Code(Get(rest), Get(end), Op(I32Eq)), sub(Get(end), I32(1)), Set(rest)),
		Get(rest), Get(end), Call(b.echo))
}
