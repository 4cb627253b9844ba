#include "textflag.h"

// A goroutine's record begins with the lowest address of its stack. Nothing below is
// in use: this calls nobody, signals have a stack of their own, and Go does not move
// on from such a function before it returns.
TEXT ·overwriteBelow(SB), NOSPLIT|NOFRAME, $0-0
	MOVQ (TLS), DX
	MOVQ (DX), DI
	MOVQ SP, CX
	SUBQ DI, CX
	XORL AX, AX
	CLD
	REP; STOSB
	RET
