//go:build arm64 && !purego

#include "textflag.h"

// func maxAbsNEON(values *float32, n uint64) uint64
// Magnitudes are compared as whole numbers, twice their bits: that leaves the sign out.
TEXT ·maxAbsNEON(SB), NOSPLIT, $0-24
	MOVD values+0(FP), R0
	MOVD n+8(FP), R1
	VEOR V0.B16, V0.B16, V0.B16
	VEOR V1.B16, V1.B16, V1.B16
	VEOR V2.B16, V2.B16, V2.B16
	VEOR V3.B16, V3.B16, V3.B16

loop:
	VLD1.P 64(R0), [V4.S4, V5.S4, V6.S4, V7.S4]
	VSHL   $1, V4.S4, V4.S4
	VSHL   $1, V5.S4, V5.S4
	VSHL   $1, V6.S4, V6.S4
	VSHL   $1, V7.S4, V7.S4
	VUMAX  V4.S4, V0.S4, V0.S4
	VUMAX  V5.S4, V1.S4, V1.S4
	VUMAX  V6.S4, V2.S4, V2.S4
	VUMAX  V7.S4, V3.S4, V3.S4
	SUBS   $16, R1, R1
	BNE    loop

	VUMAX V1.S4, V0.S4, V0.S4
	VUMAX V3.S4, V2.S4, V2.S4
	VUMAX V2.S4, V0.S4, V0.S4
	VEXT  $8, V0.B16, V0.B16, V1.B16
	VUMAX V1.S4, V0.S4, V0.S4
	VEXT  $4, V0.B16, V0.B16, V1.B16
	VUMAX V1.S4, V0.S4, V0.S4
	VMOV  V0.S[0], R2
	LSR   $1, R2, R2
	MOVD  R2, ret+16(FP)
	RET
