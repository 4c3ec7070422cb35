package vt

// Ops by the names that ECMA-48 and xterm's ctlseqs give them.
//
// https://ecma-international.org/publications-and-standards/standards/ecma-48/
// https://invisible-island.net/xterm/ctlseqs/ctlseqs.html

// Prefixes and intermediates of an Op.
const (
	private = '?' << 8
	greater = '>' << 8
	space   = ' ' << 8
	bang    = '!' << 8
	quote   = '"' << 8
	tick    = '\'' << 8
	dollar  = '$' << 8
	hash    = '#' << 8
)

// Control sequences.
const (
	csiSGR      = 'm'                    // CSI … m: colours and attributes
	csiCUP      = 'H'                    // CSI y ; x H: cursor position
	csiHVP      = 'f'                    // CSI y ; x f: the same
	csiED       = 'J'                    // CSI n J: erase in display
	csiEL       = 'K'                    // CSI n K: erase in line
	csiSM       = 'h'                    // CSI n h: set mode
	csiRM       = 'l'                    // CSI n l: reset mode
	csiDECSET   = private | 'h'          // CSI ? n h: set private mode
	csiDECRST   = private | 'l'          // CSI ? n l: reset private mode
	csiDECSED   = private | 'J'          // CSI ? n J: erase in display what is not protected
	csiDECSEL   = private | 'K'          // CSI ? n K: erase in line what is not protected
	csiDECSTBM  = 'r'                    // CSI top ; bottom r: scroll region
	csiSCOSC    = 's'                    // CSI s: save cursor
	csiSCORC    = 'u'                    // CSI u: restore cursor
	csiTBC      = 'g'                    // CSI n g: clear tab stops
	csiDECSTR   = bang | 'p'             // CSI ! p: soft reset
	csiDECSCUSR = space | 'q'            // CSI n SP q: cursor shape
	csiDECSCA   = quote | 'q'            // CSI n " q: protect what follows
	csiXTWINOPS = 't'                    // CSI n t: window
	csiDA1      = 'c'                    // CSI c: primary device attributes
	csiDA2      = greater | 'c'          // CSI > c: secondary device attributes
	csiDSR      = 'n'                    // CSI n n: device status; 6 asks for the cursor (CPR)
	csiDECDSR   = private | 'n'          // CSI ? n n: the same, of DEC; 6 is DECXCPR
	csiRQM      = dollar | 'p'           // CSI n $ p: request mode
	csiDECRQM   = '?'<<16 | '$'<<8 | 'p' // CSI ? n $ p: request private mode
	csiCUU      = 'A'                    // CSI n A: cursor up
	csiCUD      = 'B'                    // CSI n B: cursor down
	csiCUF      = 'C'                    // CSI n C: cursor forward
	csiHPR      = 'a'                    // CSI n a: the same
	csiCUB      = 'D'                    // CSI n D: cursor back
	csiCNL      = 'E'                    // CSI n E: cursor to next line
	csiCPL      = 'F'                    // CSI n F: cursor to previous line
	csiCHA      = 'G'                    // CSI n G: cursor to column
	csiHPA      = '`'                    // CSI n `: the same
	csiVPA      = 'd'                    // CSI n d: cursor to row
	csiVPR      = 'e'                    // CSI n e: rows down
	csiCHT      = 'I'                    // CSI n I: tabs forward
	csiCBT      = 'Z'                    // CSI n Z: tabs backward
	csiICH      = '@'                    // CSI n @: insert cells
	csiDCH      = 'P'                    // CSI n P: delete cells
	csiECH      = 'X'                    // CSI n X: erase cells
	csiIL       = 'L'                    // CSI n L: insert lines
	csiDL       = 'M'                    // CSI n M: delete lines
	csiSU       = 'S'                    // CSI n S: scroll up
	csiSD       = 'T'                    // CSI n T: scroll down
	csiSL       = space | '@'            // CSI n SP @: scroll left
	csiSR       = space | 'A'            // CSI n SP A: scroll right
	csiDECIC    = tick | '}'             // CSI n ' }: insert columns
	csiDECDC    = tick | '~'             // CSI n ' ~: delete columns
	csiREP      = 'b'                    // CSI n b: repeat the last character
)

// Escape sequences.
const (
	escDECSC   = '7'          // ESC 7: save cursor
	escDECRC   = '8'          // ESC 8: restore cursor
	escDECKPAM = '='          // ESC =: application keypad
	escDECKPNM = '>'          // ESC >: numeric keypad
	escIND     = 'D'          // ESC D: index
	escNEL     = 'E'          // ESC E: next line
	escHTS     = 'H'          // ESC H: set tab stop
	escRI      = 'M'          // ESC M: reverse index
	escRIS     = 'c'          // ESC c: reset
	escLS2     = 'n'          // ESC n: locking shift 2
	escLS2R    = '}'          // ESC }: the same
	escLS3     = 'o'          // ESC o: locking shift 3
	escLS3R    = '|'          // ESC |: the same
	escLS1R    = '~'          // ESC ~: locking shift 1
	escDECALN  = hash | '8'   // ESC # 8: fill the screen with E
	escDOCS    = '%'<<8 | '@' // ESC % @: not UTF-8
	escUTF8    = '%'<<8 | 'G' // ESC % G: UTF-8
)
