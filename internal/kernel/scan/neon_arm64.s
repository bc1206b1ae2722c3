//go:build arm64 && !purego

#include "textflag.h"
#include "neon_arm64.h"

DATA counting<>+0(SB)/8, $0
DATA counting<>+8(SB)/8, $1
GLOBL counting<>(SB), RODATA|NOPTR, $16

// PREFIX makes of two sums, of which V18 gets the first in the place of the second, those up to each code, with
// what was there before, and keeps the last for the next two.
#define PREFIX(V, CARRY) \
	VEXT $8, V.B16, V9.B16, V18.B16; \
	VADD V18.D2, V.D2, V.D2;         \
	VADD CARRY.D2, V.D2, V.D2;       \
	VDUP V.D[1], CARRY.D2

// func plainNEON(grad *int64, hess *uint64, n uint64, sums *plainSums, factors *plainFactors, best *[4][2]int64)
TEXT ·plainNEON(SB), NOSPLIT, $0-48
	MOVD grad+0(FP), R0
	MOVD hess+8(FP), R1
	MOVD n+16(FP), R2
	MOVD sums+24(FP), R5
	MOVD factors+32(FP), R6
	MOVD best+40(FP), R8
	MOVD R0, R7
	VLD1R.P 8(R5), [V0.D2]  // sums of gradients before
	VLD1R.P 8(R5), [V1.D2]  // of hessians
	VLD1R.P 8(R5), [V2.D2]  // totals
	VLD1R.P 8(R5), [V3.D2]
	VLD1R   (R5), [V4.D2]   // least hessian of a side
	VLD1R.P 8(R6), [V5.D2]  // scales
	VLD1R.P 8(R6), [V6.D2]
	VLD1R.P 8(R6), [V7.D2]  // L2
	VLD1R.P 8(R6), [V8.D2]  // slack
	VLD1R.P 8(R6), [V10.D2] // best gains
	VLD1R.P 8(R6), [V14.D2] // least gain that is divided
	VLD1R   (R6), [V15.D2]  // tiny
	VEOR    V9.B16, V9.B16, V9.B16
	MOVD    $-1, R4
	VDUP    R4, V11.D2      // their codes, and in V12 and V13 their sums
	MOVD    $counting<>(SB), R4
	VLD1    (R4), [V31.D2]

	SUB    $2, R2, R2
	VLD1.P 16(R0), [V16.D2]
	VLD1.P 16(R1), [V17.D2]
	B      taken

step:
	VLD1.P 16(R0), [V16.D2]
	VLD1.P 16(R1), [V17.D2]
	VORR   V16.B16, V17.B16, V18.B16
	UMAXP4S(18, 18, 18)
	FMOVD  F18, R4
	CBZ    R4, next

taken:
	PREFIX(V16, V0)
	PREFIX(V17, V1)
	VSUB V16.D2, V2.D2, V18.D2      // right of it
	VSUB V17.D2, V3.D2, V19.D2
	CMGT2D(20, 4, 17)
	CMGT2D(21, 4, 19)
	VORR V21.B16, V20.B16, V20.B16  // refused
	SCVTF2D(22, 17)
	SCVTF2D(23, 19)
	SCVTF2D(24, 16)
	SCVTF2D(25, 18)
	FMUL2D(22, 22, 6)
	FMUL2D(23, 23, 6)
	FMUL2D(24, 24, 5)
	FMUL2D(25, 25, 5)
	FADD2D(22, 22, 7)
	FADD2D(23, 23, 7)
	FMUL2D(24, 24, 24)
	FMUL2D(25, 25, 25)
	FMUL2D(26, 24, 23)
	FMUL2D(27, 25, 22)
	FADD2D(26, 26, 27)
	FMUL2D(27, 22, 23)
	FMUL2D(27, 27, 14)
	FCMGT2D(27, 27, 26)             // false of what does not compare: it is divided
	VORR  V27.B16, V20.B16, V20.B16
	VUZP1 V20.S4, V20.S4, V21.S4
	FMOVD F21, R4
	CMN   $1, R4
	BNE   divide

next:
	SUBS  $2, R2, R2
	BGE   step
	CMN   $1, R2
	BNE   done
	FMOVD (R0), F16                 // the last of an odd number, with 0 beside it
	FMOVD (R1), F17
	ADD   $16, R0, R0
	B     taken

divide:
	FDIV2D(24, 24, 22)
	FDIV2D(25, 25, 23)
	FADD2D(24, 24, 25)
	FCMGT2D(25, 24, 10)
	VORR  V20.B16, V25.B16, V25.B16
	VEOR  V20.B16, V25.B16, V25.B16 // better and not refused
	SUB   R7, R0, R4
	LSR   $3, R4, R4
	SUB   $2, R4, R4
	VDUP  R4, V26.D2
	VADD  V31.D2, V26.D2, V26.D2
	VBIT  V25.B16, V24.B16, V10.B16
	VBIT  V25.B16, V26.B16, V11.B16
	VBIT  V25.B16, V16.B16, V12.B16
	VBIT  V25.B16, V17.B16, V13.B16
	VDUP  V10.D[1], V26.D2
	FMAXD F26, F10, F26
	FCMPD F15, F26
	BLE   next
	FMULD F8, F26, F26
	VDUP  V26.D[0], V14.D2
	B     next

done:
	VST1 [V10.D2, V11.D2, V12.D2, V13.D2], (R8)
	RET
