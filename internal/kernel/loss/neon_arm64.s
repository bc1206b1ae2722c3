//go:build arm64 && !purego

#include "textflag.h"
#include "neon_arm64.h"

// The operations of the Go forms, in the same order and each rounded by itself, on four rows at a time
// in two vectors.

// Where the array of detmath.CoarseParts, in R7, keeps what follows its nodes.
#define PARTS 1024

// EXPCONSTANTS fills the registers that EXP reads: sign, limit, the parts; and V7 with 1.
#define EXPCONSTANTS \
	MOVD  $0x8000000000000000, R8; \
	VDUP  R8, V0.D2;               \
	FMOVD $708.0, F1;              \
	VDUP  V1.D[0], V1.D2;          \
	ADD   $PARTS, R7, R8;          \
	VLD1R.P 8(R8), [V2.D2];        \
	VLD1R.P 8(R8), [V4.D2];        \
	VLD1R.P 8(R8), [V3.D2];        \
	VLD1R.P 8(R8), [V5.D2];        \
	VLD1R.P 8(R8), [V6.D2];        \
	FMOVD $1.0, F7;                \
	VDUP  V7.D[0], V7.D2

// EXP is detmath.ExpCoarse of -|x|, where |x| is taken as at most the limit, which it is also taken as where it
// does not compare. It uses V16 to V19, R8 and R9.
#define EXP(x, X, e) \
	FACGT2D(17, 1, x);                    \
	VBSL V1.B16, X.B16, V17.B16;          \
	VORR V0.B16, V17.B16, V16.B16;        \
	FMUL2D(17, 16, 2);                    \
	FADD2D(17, 17, 3);                    \
	FSUB2D(18, 17, 3);                    \
	FMUL2D(18, 18, 4);                    \
	FSUB2D(16, 16, 18);                   \
	FMOVD F17, R8;                        \
	VMOV V17.D[1], R9;                    \
	UBFIZ $3, R8, $7, R8;                 \
	UBFIZ $3, R9, $7, R9;                 \
	ADD  R7, R9, R9;                      \
	FMOVD (R7)(R8), F18;                  \
	VLD1 (R9), V18.D[1];                  \
	VSHL $45, V17.D2, V17.D2;             \
	VADD V17.D2, V18.D2, V18.D2;          \
	FMUL2D(17, 16, 16);                   \
	FMUL2D(19, 16, 6);                    \
	FADD2D(19, 19, 5);                    \
	FMUL2D(19, 17, 19);                   \
	FADD2D(19, 16, 19);                   \
	FMUL2D(19, 18, 19);                   \
	FADD2D(e, 18, 19)

// TOWARDS makes of a score S and e^-|S| the derivatives of the log loss, in their registers. Bit 61 of
// 1.0 is set, so label 1 turns the sign.
#define TOWARDS(S, s, E, e, LABEL, inv) \
	VSHL $2, LABEL.D2, LABEL.D2;            \
	VAND V0.B16, LABEL.B16, LABEL.B16;      \
	VEOR LABEL.B16, S.B16, S.B16;           \
	CMLTZERO2D(s, s);                       \
	VBSL V7.B16, E.B16, S.B16;              \
	VORR LABEL.B16, S.B16, S.B16;           \
	FADD2D(inv, 7, e);                      \
	FDIV2D(inv, 7, inv);                    \
	FMUL2D(s, s, inv);                      \
	FMUL2D(e, e, inv);                      \
	FMUL2D(e, e, inv)

// func squaredNEON(grad, hess *float32, scores, labels *float64, n uint64)
TEXT ·squaredNEON(SB), NOSPLIT, $0-40
	MOVD grad+0(FP), R0
	MOVD hess+8(FP), R1
	MOVD scores+16(FP), R2
	MOVD labels+24(FP), R3
	MOVD n+32(FP), R6
	FMOVS $1.0, F24
	VDUP V24.S[0], V24.S4

squaredRows:
	VLD1.P 32(R2), [V20.D2, V21.D2]
	VLD1.P 32(R3), [V22.D2, V23.D2]
	FSUB2D(20, 20, 22)
	FSUB2D(21, 21, 23)
	FCVTN2S(20, 20)
	FCVTN24S(20, 21)
	VST1.P [V20.S4], 16(R0)
	VST1.P [V24.S4], 16(R1)
	SUBS   $4, R6, R6
	BNE    squaredRows
	RET

// func squaredWeightedNEON(grad, hess *float32, scores, labels *float64, weights *float64, n uint64)
TEXT ·squaredWeightedNEON(SB), NOSPLIT, $0-48
	MOVD grad+0(FP), R0
	MOVD hess+8(FP), R1
	MOVD scores+16(FP), R2
	MOVD labels+24(FP), R3
	MOVD weights+32(FP), R4
	MOVD n+40(FP), R6

squaredWeightedRows:
	VLD1.P 32(R2), [V20.D2, V21.D2]
	VLD1.P 32(R3), [V22.D2, V23.D2]
	FSUB2D(20, 20, 22)
	FSUB2D(21, 21, 23)
	VLD1.P 32(R4), [V24.D2, V25.D2]
	FMUL2D(20, 20, 24)
	FMUL2D(21, 21, 25)
	FCVTN2S(24, 24)
	FCVTN24S(24, 25)
	FCVTN2S(20, 20)
	FCVTN24S(20, 21)
	VST1.P [V20.S4], 16(R0)
	VST1.P [V24.S4], 16(R1)
	SUBS   $4, R6, R6
	BNE    squaredWeightedRows
	RET

// func logisticNEON(grad, hess *float32, scores, labels *float64, n uint64, exp *[133]uint64)
TEXT ·logisticNEON(SB), NOSPLIT, $0-48
	MOVD grad+0(FP), R0
	MOVD hess+8(FP), R1
	MOVD scores+16(FP), R2
	MOVD labels+24(FP), R3
	MOVD n+32(FP), R6
	MOVD exp+40(FP), R7
	EXPCONSTANTS

logisticRows:
	VLD1.P 32(R2), [V20.D2, V21.D2]
	VLD1.P 32(R3), [V24.D2, V25.D2]
	EXP(20, V20, 22)
	EXP(21, V21, 23)
	TOWARDS(V20, 20, V22, 22, V24, 26)
	TOWARDS(V21, 21, V23, 23, V25, 27)
	FCVTN2S(20, 20)
	FCVTN24S(20, 21)
	FCVTN2S(22, 22)
	FCVTN24S(22, 23)
	VST1.P [V20.S4], 16(R0)
	VST1.P [V22.S4], 16(R1)
	SUBS   $4, R6, R6
	BNE    logisticRows
	RET

// func logisticWeightedNEON(grad, hess *float32, scores, labels *float64, weights *float64, n uint64, exp *[133]uint64)
TEXT ·logisticWeightedNEON(SB), NOSPLIT, $0-56
	MOVD grad+0(FP), R0
	MOVD hess+8(FP), R1
	MOVD scores+16(FP), R2
	MOVD labels+24(FP), R3
	MOVD weights+32(FP), R4
	MOVD n+40(FP), R6
	MOVD exp+48(FP), R7
	EXPCONSTANTS

logisticWeightedRows:
	VLD1.P 32(R2), [V20.D2, V21.D2]
	VLD1.P 32(R3), [V24.D2, V25.D2]
	EXP(20, V20, 22)
	EXP(21, V21, 23)
	TOWARDS(V20, 20, V22, 22, V24, 26)
	TOWARDS(V21, 21, V23, 23, V25, 27)
	VLD1.P 32(R4), [V24.D2, V25.D2]
	FMUL2D(20, 20, 24)
	FMUL2D(22, 22, 24)
	FMUL2D(21, 21, 25)
	FMUL2D(23, 23, 25)
	FCVTN2S(20, 20)
	FCVTN24S(20, 21)
	FCVTN2S(22, 22)
	FCVTN24S(22, 23)
	VST1.P [V20.S4], 16(R0)
	VST1.P [V22.S4], 16(R1)
	SUBS   $4, R6, R6
	BNE    logisticWeightedRows
	RET

// func peakNEON(peak, scores *float64, n uint64)
TEXT ·peakNEON(SB), NOSPLIT, $0-24
	MOVD peak+0(FP), R0
	MOVD scores+8(FP), R1
	MOVD n+16(FP), R6

peakRows:
	VLD1   (R0), [V20.D2, V21.D2]
	VLD1.P 32(R1), [V22.D2, V23.D2]
	FCMGT2D(16, 22, 20)
	FCMGT2D(17, 23, 21)
	VBIT   V16.B16, V22.B16, V20.B16 // of two that do not compare the peak stays
	VBIT   V17.B16, V23.B16, V21.B16
	VST1.P [V20.D2, V21.D2], 32(R0)
	SUBS   $4, R6, R6
	BNE    peakRows
	RET

// func expSumNEON(sum, scores, peak *float64, n uint64, exp *[133]uint64)
TEXT ·expSumNEON(SB), NOSPLIT, $0-40
	MOVD sum+0(FP), R0
	MOVD scores+8(FP), R2
	MOVD peak+16(FP), R3
	MOVD n+24(FP), R6
	MOVD exp+32(FP), R7
	EXPCONSTANTS

expSumRows:
	VLD1.P 32(R2), [V20.D2, V21.D2]
	VLD1.P 32(R3), [V22.D2, V23.D2]
	FSUB2D(20, 22, 20)
	FSUB2D(21, 23, 21)
	EXP(20, V20, 22)
	EXP(21, V21, 23)
	VLD1   (R0), [V20.D2, V21.D2]
	FADD2D(20, 20, 22)
	FADD2D(21, 21, 23)
	VST1.P [V20.D2, V21.D2], 32(R0)
	SUBS   $4, R6, R6
	BNE    expSumRows
	RET

// func inverseNEON(x *float64, n uint64)
TEXT ·inverseNEON(SB), NOSPLIT, $0-16
	MOVD  x+0(FP), R0
	MOVD  n+8(FP), R6
	FMOVD $1.0, F7
	VDUP  V7.D[0], V7.D2

inverseRows:
	VLD1   (R0), [V20.D2, V21.D2]
	FDIV2D(20, 7, 20)
	FDIV2D(21, 7, 21)
	VST1.P [V20.D2, V21.D2], 32(R0)
	SUBS   $4, R6, R6
	BNE    inverseRows
	RET

// func softmaxNEON(grad, hess *float32, scores, peak, inv, labels *float64, n uint64, class, factor float64, exp *[133]uint64)
TEXT ·softmaxNEON(SB), NOSPLIT, $0-80
	MOVD grad+0(FP), R0
	MOVD hess+8(FP), R1
	MOVD scores+16(FP), R2
	MOVD peak+24(FP), R3
	MOVD inv+32(FP), R4
	MOVD labels+40(FP), R5
	MOVD n+48(FP), R6
	MOVD class+56(FP), R8
	VDUP R8, V28.D2
	MOVD factor+64(FP), R8
	VDUP R8, V29.D2
	MOVD exp+72(FP), R7
	EXPCONSTANTS

softmaxRows:
	VLD1.P 32(R2), [V20.D2, V21.D2]
	VLD1.P 32(R3), [V22.D2, V23.D2]
	FSUB2D(20, 22, 20)
	FSUB2D(21, 23, 21)
	EXP(20, V20, 22)
	EXP(21, V21, 23)
	VLD1.P 32(R4), [V20.D2, V21.D2]
	FMUL2D(22, 22, 20)              // p
	FMUL2D(23, 23, 21)
	VLD1.P 32(R5), [V20.D2, V21.D2]
	FCMEQ2D(20, 20, 28)
	FCMEQ2D(21, 21, 28)
	VAND   V7.B16, V20.B16, V20.B16
	VAND   V7.B16, V21.B16, V21.B16
	FSUB2D(20, 22, 20)              // p - target
	FSUB2D(21, 23, 21)
	FSUB2D(24, 7, 22)
	FSUB2D(25, 7, 23)
	FMUL2D(22, 22, 24)
	FMUL2D(23, 23, 25)
	FMUL2D(22, 22, 29)
	FMUL2D(23, 23, 29)
	FCVTN2S(20, 20)
	FCVTN24S(20, 21)
	FCVTN2S(22, 22)
	FCVTN24S(22, 23)
	VST1.P [V20.S4], 16(R0)
	VST1.P [V22.S4], 16(R1)
	SUBS   $4, R6, R6
	BNE    softmaxRows
	RET

// func softmaxWeightedNEON(grad, hess *float32, scores, peak, inv, labels *float64, weights *float64, n uint64, class, factor float64, exp *[133]uint64)
TEXT ·softmaxWeightedNEON(SB), NOSPLIT, $0-88
	MOVD grad+0(FP), R0
	MOVD hess+8(FP), R1
	MOVD scores+16(FP), R2
	MOVD peak+24(FP), R3
	MOVD inv+32(FP), R4
	MOVD labels+40(FP), R5
	MOVD weights+48(FP), R10
	MOVD n+56(FP), R6
	MOVD class+64(FP), R8
	VDUP R8, V28.D2
	MOVD factor+72(FP), R8
	VDUP R8, V29.D2
	MOVD exp+80(FP), R7
	EXPCONSTANTS

softmaxWeightedRows:
	VLD1.P 32(R2), [V20.D2, V21.D2]
	VLD1.P 32(R3), [V22.D2, V23.D2]
	FSUB2D(20, 22, 20)
	FSUB2D(21, 23, 21)
	EXP(20, V20, 22)
	EXP(21, V21, 23)
	VLD1.P 32(R4), [V20.D2, V21.D2]
	FMUL2D(22, 22, 20)              // p
	FMUL2D(23, 23, 21)
	VLD1.P 32(R5), [V20.D2, V21.D2]
	FCMEQ2D(20, 20, 28)
	FCMEQ2D(21, 21, 28)
	VAND   V7.B16, V20.B16, V20.B16
	VAND   V7.B16, V21.B16, V21.B16
	FSUB2D(20, 22, 20)              // p - target
	FSUB2D(21, 23, 21)
	FSUB2D(24, 7, 22)
	FSUB2D(25, 7, 23)
	FMUL2D(22, 22, 24)
	FMUL2D(23, 23, 25)
	FMUL2D(22, 22, 29)
	FMUL2D(23, 23, 29)
	VLD1.P 32(R10), [V24.D2, V25.D2]
	FMUL2D(20, 20, 24)
	FMUL2D(22, 22, 24)
	FMUL2D(21, 21, 25)
	FMUL2D(23, 23, 25)
	FCVTN2S(20, 20)
	FCVTN24S(20, 21)
	FCVTN2S(22, 22)
	FCVTN24S(22, 23)
	VST1.P [V20.S4], 16(R0)
	VST1.P [V22.S4], 16(R1)
	SUBS   $4, R6, R6
	BNE    softmaxWeightedRows
	RET
