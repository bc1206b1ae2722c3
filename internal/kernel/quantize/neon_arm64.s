//go:build arm64 && !purego

#include "textflag.h"
#include "neon_arm64.h"

// func scanNEON(grad, hess *float32, n uint64, r *uint32)
// 16 rows at a time, in two sets of results, for one would wait for itself.
TEXT ·scanNEON(SB), NOSPLIT, $0-32
	MOVD  grad+0(FP), R0
	MOVD  hess+8(FP), R1
	MOVD  n+16(FP), R2
	MOVD  r+24(FP), R3
	MOVWU 0(R3), R4
	VDUP  R4, V0.S4    // largest |gradient|
	VDUP  R4, V1.S4
	MOVWU 4(R3), R4
	VDUP  R4, V2.S4    // smallest hessian
	VDUP  R4, V3.S4
	MOVWU 8(R3), R4
	VDUP  R4, V4.S4    // largest hessian
	VDUP  R4, V5.S4

scanRows:
	VLD1.P 64(R0), [V16.S4, V17.S4, V18.S4, V19.S4]
	VLD1.P 64(R1), [V20.S4, V21.S4, V22.S4, V23.S4]
	FABS4S(16, 16)
	FABS4S(17, 17)
	FABS4S(18, 18)
	FABS4S(19, 19)
	VUMAX  V16.S4, V0.S4, V0.S4
	VUMAX  V17.S4, V1.S4, V1.S4
	SMIN4S(2, 2, 20)
	SMIN4S(3, 3, 21)
	SMAX4S(4, 4, 20)
	SMAX4S(5, 5, 21)
	VUMAX  V18.S4, V0.S4, V0.S4
	VUMAX  V19.S4, V1.S4, V1.S4
	SMIN4S(2, 2, 22)
	SMIN4S(3, 3, 23)
	SMAX4S(4, 4, 22)
	SMAX4S(5, 5, 23)
	SUBS   $16, R2, R2
	BNE    scanRows

	VUMAX V1.S4, V0.S4, V0.S4
	SMIN4S(2, 2, 3)
	SMAX4S(4, 4, 5)
	UMAXV4S(0, 0)
	SMINV4S(2, 2)
	SMAXV4S(4, 4)
	FMOVS F0, 0(R3)
	FMOVS F2, 4(R3)
	FMOVS F4, 8(R3)
	RET

// QUOTIENTS divides the four floats of f by unit, rounds down and takes at most most; V20 to V23
// are used in pairs: the result is in low.
#define QUOTIENTS(f, unit, low, high) \
	FCVTL2D(low, f);         \
	FCVTL22D(high, f);       \
	FDIV2D(low, low, unit);  \
	FDIV2D(high, high, unit); \
	FCVTZU2D(low, low);      \
	FCVTZU2D(high, high);    \
	UQXTN2S(low, low);       \
	UQXTN24S(low, high)

// func codesNEON(grad, hess *float32, n uint64, gradCodes *int16, hessCodes *uint16, rule *uint64, loss *uint64)
// Eight rows at a time. A quotient in 1/65,536 fits 32 bits after the largest one is taken for all
// above: rounding it to a code is a shift that rounds, and its low 16 bits with a sign are what
// rounding lost. No sum of a call of 2¹⁸ rows overflows: a quarter of 32 bits adds up two losses of at
// most 2¹⁵ in each of 2¹⁵ steps, a counter of 16 bits one row in each.
TEXT ·codesNEON(SB), NOSPLIT, $0-56
	MOVD  grad+0(FP), R0
	MOVD  hess+8(FP), R1
	MOVD  n+16(FP), R2
	MOVD  gradCodes+24(FP), R3
	MOVD  hessCodes+32(FP), R4
	MOVD  rule+40(FP), R5
	MOVD  loss+48(FP), R6
	VLD1R.P 8(R5), [V0.D2] // units
	VLD1R.P 8(R5), [V1.D2]
	VLD1R.P 4(R5), [V2.S4] // largest quotients
	VLD1R   (R5), [V3.S4]
	VEOR  V4.B16, V4.B16, V4.B16 // lost
	VEOR  V5.B16, V5.B16, V5.B16 // magnitude
	VEOR  V6.B16, V6.B16, V6.B16 // rows with a gradient
	VEOR  V7.B16, V7.B16, V7.B16 // with a code of it
	VEOR  V8.B16, V8.B16, V8.B16 // with a hessian
	VEOR  V9.B16, V9.B16, V9.B16 // with a code of it

codesRows:
	VLD1.P 32(R0), [V16.S4, V17.S4]
	VUZP2  V17.H8, V16.H8, V18.H8
	CMLTZERO8H(18, 18)              // signs
	FABS4S(16, 16)
	FABS4S(17, 17)
	VCMTST V16.S4, V16.S4, V19.S4
	VCMTST V17.S4, V17.S4, V20.S4
	VUZP1  V20.H8, V19.H8, V19.H8
	VSUB   V19.H8, V6.H8, V6.H8
	QUOTIENTS(16, 0, 20, 21)
	QUOTIENTS(17, 0, 22, 23)
	VUMIN  V2.S4, V20.S4, V20.S4
	VUMIN  V2.S4, V22.S4, V22.S4
	RSHRN4H16(24, 20)
	RSHRN28H16(24, 22)              // codes
	VUZP1  V22.H8, V20.H8, V25.H8
	ABS8H(25, 25)
	UADALP4S(4, 25)
	UADALP2D(5, 20)
	UADALP2D(5, 22)
	VCMTST V24.H8, V24.H8, V25.H8
	VSUB   V25.H8, V7.H8, V7.H8
	VEOR   V18.B16, V24.B16, V24.B16
	VSUB   V18.H8, V24.H8, V24.H8
	VST1.P [V24.H8], 16(R3)

	VLD1.P 32(R1), [V16.S4, V17.S4]
	QUOTIENTS(16, 1, 20, 21)
	QUOTIENTS(17, 1, 22, 23)
	FABS4S(16, 16)
	FABS4S(17, 17)
	VCMTST V16.S4, V16.S4, V16.S4
	VCMTST V17.S4, V17.S4, V17.S4
	VUZP1  V17.H8, V16.H8, V16.H8
	VSUB   V16.H8, V8.H8, V8.H8
	VUMIN  V3.S4, V20.S4, V20.S4
	VUMIN  V3.S4, V22.S4, V22.S4
	RSHRN4H16(24, 20)
	RSHRN28H16(24, 22)
	VCMTST V24.H8, V24.H8, V25.H8
	VSUB   V25.H8, V9.H8, V9.H8
	VST1.P [V24.H8], 16(R4)
	SUBS   $8, R2, R2
	BNE    codesRows

	VUADDLV V4.S4, V4
	VADDP   V5.D2, V5.D2, V5.D2
	VUADDLV V6.H8, V6
	VUADDLV V7.H8, V7
	VUADDLV V8.H8, V8
	VUADDLV V9.H8, V9
	FMOVD   F4, 0(R6)
	FMOVD   F5, 8(R6)
	FMOVD   F6, 16(R6)
	FMOVD   F7, 24(R6)
	FMOVD   F8, 32(R6)
	FMOVD   F9, 40(R6)
	RET
