package vt

// execute does a C0 or C1 control.
func (s *Screen) execute(c byte) {
	switch c {
	case '\n', '\v', '\f':
		s.lineFeed()
	case '\r':
		s.x = 0
	case '\b':
		s.backspace()
	case '\t':
		s.tabForward(1)
	case bel:
		s.bells++
	case 0x0E: // SO
		s.charsets.invoke(1)
	case 0x0F: // SI
		s.charsets.invoke(0)
	case 0x84: // IND
		s.index()
	case 0x85: // NEL
		s.x = 0
		s.index()
	case 0x88: // HTS
		s.setTabHere()
	}
}

func (s *Screen) setTabHere() {
	if s.x < s.cols {
		s.buf.setTab(s.x, true, s.cols)
	}
}

// escape does an escape sequence.
func (s *Screen) escape(op Op) {
	switch op {
	case escDECSC:
		s.saveCursor()
	case escDECRC:
		s.restoreCursor()
	case escDECKPAM:
		s.modes.AppKeypad = true
	case escDECKPNM:
		s.modes.AppKeypad = false
	case escIND:
		s.index()
	case escNEL:
		s.x = 0
		s.index()
	case escHTS:
		s.setTabHere()
	case escRI:
		s.reverseIndex()
	case escRIS:
		s.reset()
	case escLS2, escLS2R:
		s.charsets.invoke(2)
	case escLS3, escLS3R:
		s.charsets.invoke(3)
	case escLS1R:
		s.charsets.invoke(1)
	case escDECALN:
		s.align()
	case escDOCS, escUTF8:
		s.charsets.invoke(0)
		s.charsets.designate(0, 0)
	default:
		s.designate(op)
	}
}

// designate is SCS.
func (s *Screen) designate(op Op) {
	if op>>16 != 0 {
		return
	}
	set, ok := charsetNamed(byte(op))
	if !ok {
		return
	}
	switch op >> 8 {
	case '(':
		s.charsets.designate(0, set)
	case ')', '-':
		s.charsets.designate(1, set)
	case '*', '.':
		s.charsets.designate(2, set)
	case '+':
		s.charsets.designate(3, set)
	}
}

// control does a control sequence.
func (s *Screen) control(op Op, params *Params) {
	switch op {
	case csiSGR:
		s.setGraphics(params)
	case csiCUP, csiHVP:
		s.moveTo(max(params.second(), 1)-1, params.Or(0, 1)-1)
	case csiED:
		s.eraseDisplay(params.Value(0), false)
	case csiEL:
		s.eraseLine(params.Value(0), false)
	case csiSM:
		s.setModes(params, true)
	case csiRM:
		s.setModes(params, false)
	case csiDECSET:
		s.setPrivateModes(params, true)
	case csiDECRST:
		s.setPrivateModes(params, false)
	case csiDECSED:
		s.eraseDisplay(params.Value(0), true)
	case csiDECSEL:
		s.eraseLine(params.Value(0), true)
	case csiDECSTBM:
		s.setRegion(params)
	case csiSCOSC:
		s.saveCursor()
	case csiSCORC:
		s.restoreCursor()
	case csiTBC:
		s.clearTab(params.Value(0))
	case csiDECSTR:
		s.softReset()
	case csiDECSCUSR:
		s.setCursorShape(params.Value(0))
	case csiDECSCA:
		s.protect(params.Value(0))
	case csiXTWINOPS:
		s.windowOp(params)
	case csiDA1, csiDA2, csiDSR, csiDECDSR, csiRQM, csiDECRQM:
		s.answer(op, params.Value(0))
	default:
		s.move(op, params.Or(0, 1))
	}
}

// move does the control sequences that take a count or a position.
func (s *Screen) move(op Op, n int) {
	switch op {
	case csiCUU:
		s.up(n)
	case csiCUD:
		s.down(n)
	case csiCUF, csiHPR:
		s.moveBy(n, 0)
	case csiCUB:
		s.moveBy(-n, 0)
	case csiCNL:
		s.down(n)
		s.x = 0
	case csiCPL:
		s.up(n)
		s.x = 0
	case csiCHA, csiHPA:
		s.moveTo(n-1, s.y)
	case csiVPA:
		s.moveTo(s.x, n-1)
	case csiVPR:
		s.moveBy(0, n)
	case csiCHT:
		s.tabForward(n)
	case csiCBT:
		s.tabBackward(n)
	default:
		s.edit(op, n)
	}
}

// edit does the control sequences that change n cells or rows.
func (s *Screen) edit(op Op, n int) {
	switch op {
	case csiICH:
		s.restrict(s.cols - 1)
		s.row(s.y).insert(s.x, n, s.blank(), s.cols)
	case csiDCH:
		s.restrict(s.cols - 1)
		s.row(s.y).delete(s.x, n, s.blank(), s.cols)
	case csiECH:
		s.restrict(s.cols - 1)
		s.row(s.y).replace(s.x, min(s.x+n, s.cols), s.blank(), s.cols)
	case csiIL:
		s.insertLines(n)
	case csiDL:
		s.insertLines(-n)
	case csiSU:
		s.shift(s.buf.top, s.buf.bottom, n, s.blank())
	case csiSD:
		s.shift(s.buf.top, s.buf.bottom, -n, 0)
	case csiSL:
		s.eachRegionRow(func(r *row) { r.delete(0, n, s.blank(), s.cols) })
	case csiSR:
		s.eachRegionRow(func(r *row) { r.insert(0, n, s.blank(), s.cols) })
	case csiDECIC:
		s.eachRegionRow(func(r *row) { r.insert(s.x%s.cols, n, s.blank(), s.cols) })
	case csiDECDC:
		s.eachRegionRow(func(r *row) { r.delete(s.x%s.cols, n, s.blank(), s.cols) })
	case csiREP:
		s.repeat(n)
	}
}

// clearTab is TBC.
func (s *Screen) clearTab(what int) {
	switch what {
	case 0:
		s.buf.setTab(s.x, false, s.cols)
	case 3:
		s.buf.clearTabs(s.cols)
	}
}

// protect is DECSCA.
func (s *Screen) protect(what int) {
	st := s.pen
	switch what {
	case 0, 2:
		st.Attr &^= protected
	case 1:
		st.Attr |= protected
		s.protects = true
	}
	s.setPen(st)
}
