package awk

import "github.com/terrarium-dev/terrarium/plugins/box/internal/regex"

// A program is a parsed program with its names resolved.
type program struct {
	begin, end []*block
	rules      []*rule
	funcs      []*function
	globals    int
	names      map[string]*variable
	skipper    *skipper // nil: the rules look at each record
}

type block struct{ body []stmt }

// A rule is pattern {action}. Without a pattern it is always chosen, without an action it prints
// the record.
type rule struct {
	pattern, until condition
	body           []stmt
	print          bool // no action
	active         bool // inside a range
}

type function struct {
	name   string
	params []*variable
	body   []stmt
	known  bool
	line   int // of the first call
}

// A variable is a name. Its place is an index of the globals, or of the frame of a call.
type variable struct {
	name    string
	local   bool
	place   int
	isArray bool
	special special
}

// A special variable is looked at, or has effects, when it is read or set.
type special byte

const (
	notSpecial special = iota
	varNF
	varNR
	varFNR
	varFS
	varOFS
	varRS
	varORS
	varSUBSEP
	varCONVFMT
	varOFMT
	varRSTART
	varRLENGTH
	varFILENAME
	varENVIRON
	varARGC
	varARGV
)

// An expr is an expression.
type expr interface {
	eval(in *interp) value
}

// An lvalue is what can be assigned to: a variable, an element or a field.
type lvalue interface {
	expr
	locate(in *interp) place
}

type (
	constant  struct{ val value }
	regexLit  struct{ re *regex.Regexp }
	fieldExpr struct {
		index expr // nil: place
		place int
	}
	indexExpr struct {
		arr  *variable
		subs []expr
	}
	assign struct {
		to  lvalue
		val expr
	}
	update struct { // += and so on
		op  byte
		to  lvalue
		val numeric
	}
	incDec struct {
		to      lvalue
		by      float64
		postfix bool
	}
	not  struct{ x condition }
	sign struct {
		minus bool
		x     numeric
	}
	logical struct {
		or   bool
		l, r condition
	}
	comparison struct {
		op   relation
		l, r expr
	}
	numberComparison struct { // of what can only be numbers
		op   relation
		l, r numeric
	}
	textComparison struct { // with a constant
		equal bool
		x     expr
		text  string
	}
	arithmetic struct {
		op   byte
		l, r numeric
	}
	concat struct{ parts []expr }
	cond   struct {
		test    condition
		yes, no expr
	}
	match struct {
		not  bool
		x, r expr
	}
	inExpr struct {
		subs []expr
		arr  *variable
	}
	call struct {
		fn   *function
		args []expr
	}
	builtin struct {
		name string
		args []expr
		line int
		call func(*interp, *builtin) value
	}
	substr struct {
		x            expr
		from, length numeric // length may be nil
	}
	getline struct {
		to   lvalue // nil: the record
		file expr   // nil: the main input
		cmd  expr
	}
	group struct{ x expr }
	tuple struct{ list []expr } // (a, b), only before "in" and in print
)

// A stmt is a statement. It returns where to go on if that is not the next one.
type stmt interface {
	exec(in *interp) jump
}

type (
	exprStmt   struct{ x expr }
	numberStmt struct{ x numeric }
	printStmt  struct {
		args   []expr
		format bool
		op     string // ">", ">>", "|" or ""
		to     expr
	}
	ifStmt struct {
		test    condition
		yes, no []stmt
	}
	loopStmt struct {
		init, step stmt
		test       condition
		body       []stmt
		first      bool // do: the body runs before the test
	}
	forInStmt struct {
		v    *variable
		arr  *variable
		body []stmt
	}
	deleteStmt struct {
		arr  *variable
		subs []expr // nil: all
	}
	jumpStmt struct {
		kind jump
		x    expr // exit and return
	}
)

type jump byte

const (
	noJump jump = iota
	jumpBreak
	jumpContinue
	jumpNext
	jumpNextFile
	jumpExit
	jumpReturn
)
