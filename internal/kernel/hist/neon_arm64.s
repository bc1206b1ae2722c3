//go:build arm64 && !purego

#include "textflag.h"
#include "neon_arm64.h"

// func totalNEON(entries *uint64, n uint64) uint64
TEXT ·totalNEON(SB), NOSPLIT, $0-24
	MOVD entries+0(FP), R0
	MOVD n+8(FP), R1
	MOVD $0xffffffff0000ffff, R2 // all but the row
	VDUP R2, V0.D2
	VEOR V1.B16, V1.B16, V1.B16
	VEOR V2.B16, V2.B16, V2.B16

totalWords:
	VLD1.P 64(R0), [V16.D2, V17.D2, V18.D2, V19.D2]
	VAND   V0.B16, V16.B16, V16.B16
	VAND   V0.B16, V17.B16, V17.B16
	VAND   V0.B16, V18.B16, V18.B16
	VAND   V0.B16, V19.B16, V19.B16
	VADD   V16.D2, V1.D2, V1.D2
	VADD   V17.D2, V2.D2, V2.D2
	VADD   V18.D2, V1.D2, V1.D2
	VADD   V19.D2, V2.D2, V2.D2
	SUBS   $8, R1, R1
	BNE    totalWords

	VADD  V2.D2, V1.D2, V1.D2
	VADDP V1.D2, V1.D2, V1.D2
	FMOVD F1, ret+16(FP)
	RET

// func unpackNEON(grad *int64, hess, sums *uint64, n uint64)
TEXT ·unpackNEON(SB), NOSPLIT, $0-32
	MOVD grad+0(FP), R0
	MOVD hess+8(FP), R1
	MOVD sums+16(FP), R2
	MOVD n+24(FP), R3
	VEOR V0.B16, V0.B16, V0.B16
	VEOR V1.B16, V1.B16, V1.B16
	VEOR V2.B16, V2.B16, V2.B16
	VEOR V3.B16, V3.B16, V3.B16

unpackWords:
	VLD1    (R2), [V16.D2, V17.D2, V18.D2, V19.D2]
	VLD1    (R0), [V20.D2, V21.D2, V22.D2, V23.D2]
	VLD1    (R1), [V24.D2, V25.D2, V26.D2, V27.D2]
	SSRA2D32(20, 16)
	SSRA2D32(21, 17)
	SSRA2D32(22, 18)
	SSRA2D32(23, 19)
	VUZP1   V17.S4, V16.S4, V16.S4 // lower halves
	VUZP1   V19.S4, V18.S4, V18.S4
	VUADDW  V16.S2, V24.D2, V24.D2
	VUADDW2 V16.S4, V25.D2, V25.D2
	VUADDW  V18.S2, V26.D2, V26.D2
	VUADDW2 V18.S4, V27.D2, V27.D2
	VST1.P  [V0.D2, V1.D2, V2.D2, V3.D2], 64(R2)
	VST1.P  [V20.D2, V21.D2, V22.D2, V23.D2], 64(R0)
	VST1.P  [V24.D2, V25.D2, V26.D2, V27.D2], 64(R1)
	SUBS    $8, R3, R3
	BNE     unpackWords
	RET

// HALVES puts the signed upper halves of V16 to V19 into V20 to V23, and the lower ones, by the mask V4, into V24 to V27.
#define HALVES \
	SSHR2D32(20, 16);               \
	SSHR2D32(21, 17);               \
	SSHR2D32(22, 18);               \
	SSHR2D32(23, 19);               \
	VAND V4.B16, V16.B16, V24.B16;  \
	VAND V4.B16, V17.B16, V25.B16;  \
	VAND V4.B16, V18.B16, V26.B16;  \
	VAND V4.B16, V19.B16, V27.B16

// func unpackToNEON(grad *int64, hess, sums *uint64, n uint64)
TEXT ·unpackToNEON(SB), NOSPLIT, $0-32
	MOVD grad+0(FP), R0
	MOVD hess+8(FP), R1
	MOVD sums+16(FP), R2
	MOVD n+24(FP), R3
	MOVD $0xffffffff, R4
	VDUP R4, V4.D2
	VEOR V0.B16, V0.B16, V0.B16
	VEOR V1.B16, V1.B16, V1.B16
	VEOR V2.B16, V2.B16, V2.B16
	VEOR V3.B16, V3.B16, V3.B16

unpackToWords:
	VLD1   (R2), [V16.D2, V17.D2, V18.D2, V19.D2]
	HALVES
	VST1.P [V0.D2, V1.D2, V2.D2, V3.D2], 64(R2)
	VST1.P [V20.D2, V21.D2, V22.D2, V23.D2], 64(R0)
	VST1.P [V24.D2, V25.D2, V26.D2, V27.D2], 64(R1)
	SUBS   $8, R3, R3
	BNE    unpackToWords
	RET

// func splitNEON(grad *int64, hess, sums *uint64, n uint64)
TEXT ·splitNEON(SB), NOSPLIT, $0-32
	MOVD grad+0(FP), R0
	MOVD hess+8(FP), R1
	MOVD sums+16(FP), R2
	MOVD n+24(FP), R3
	MOVD $0xffffffff, R4
	VDUP R4, V4.D2

splitWords:
	VLD1.P 64(R2), [V16.D2, V17.D2, V18.D2, V19.D2]
	HALVES
	VST1.P [V20.D2, V21.D2, V22.D2, V23.D2], 64(R0)
	VST1.P [V24.D2, V25.D2, V26.D2, V27.D2], 64(R1)
	SUBS   $8, R3, R3
	BNE    splitWords
	RET

// func mergeNEON(to, from *uint64, n uint64)
TEXT ·mergeNEON(SB), NOSPLIT, $0-24
	MOVD to+0(FP), R0
	MOVD from+8(FP), R1
	MOVD n+16(FP), R2
	VEOR V0.B16, V0.B16, V0.B16
	VEOR V1.B16, V1.B16, V1.B16
	VEOR V2.B16, V2.B16, V2.B16
	VEOR V3.B16, V3.B16, V3.B16

mergeWords:
	VLD1   (R0), [V16.D2, V17.D2, V18.D2, V19.D2]
	VLD1   (R1), [V20.D2, V21.D2, V22.D2, V23.D2]
	VADD   V20.D2, V16.D2, V16.D2
	VADD   V21.D2, V17.D2, V17.D2
	VADD   V22.D2, V18.D2, V18.D2
	VADD   V23.D2, V19.D2, V19.D2
	VST1.P [V0.D2, V1.D2, V2.D2, V3.D2], 64(R1)
	VST1.P [V16.D2, V17.D2, V18.D2, V19.D2], 64(R0)
	SUBS   $8, R2, R2
	BNE    mergeWords
	RET

// func subtractNEON(from, what unsafe.Pointer, n uint64)
TEXT ·subtractNEON(SB), NOSPLIT, $0-24
	MOVD from+0(FP), R0
	MOVD what+8(FP), R1
	MOVD n+16(FP), R2

subtractWords:
	VLD1   (R0), [V16.D2, V17.D2, V18.D2, V19.D2]
	VLD1.P 64(R1), [V20.D2, V21.D2, V22.D2, V23.D2]
	VSUB   V20.D2, V16.D2, V16.D2
	VSUB   V21.D2, V17.D2, V17.D2
	VSUB   V22.D2, V18.D2, V18.D2
	VSUB   V23.D2, V19.D2, V19.D2
	VST1.P [V16.D2, V17.D2, V18.D2, V19.D2], 64(R0)
	SUBS   $8, R2, R2
	BNE    subtractWords
	RET

DATA counting<>+0(SB)/8, $0x0003000200010000
DATA counting<>+8(SB)/8, $0x0007000600050004
GLOBL counting<>(SB), RODATA|NOPTR, $16

// ROWS puts the first eight rows into V0 and their number into all of V1.
#define ROWS \
	MOVD  $counting<>(SB), R8; \
	VLD1  (R8), [V0.H8];       \
	MOVD  $8, R8;              \
	VDUP  R8, V1.H8

// ENTRIES writes the entries of eight rows with hessian codes V16 and gradient codes V17 to R0, and goes on to the next rows.
#define ENTRIES \
	CMLTZERO8H(18, 17);              \
	VZIP1  V0.H8, V16.H8, V20.H8;    \
	VZIP2  V0.H8, V16.H8, V21.H8;    \
	VZIP1  V18.H8, V17.H8, V22.H8;   \
	VZIP2  V18.H8, V17.H8, V23.H8;   \
	VZIP1  V22.S4, V20.S4, V24.S4;   \
	VZIP2  V22.S4, V20.S4, V25.S4;   \
	VZIP1  V23.S4, V21.S4, V26.S4;   \
	VZIP2  V23.S4, V21.S4, V27.S4;   \
	VADD   V1.H8, V0.H8, V0.H8;      \
	VST1.P [V24.D2, V25.D2, V26.D2, V27.D2], 64(R0)

// func packNEON(entries *uint64, grad *int16, hess *uint16, n uint64)
TEXT ·packNEON(SB), NOSPLIT, $0-32
	MOVD entries+0(FP), R0
	MOVD grad+8(FP), R1
	MOVD hess+16(FP), R2
	MOVD n+24(FP), R3
	ROWS

packRows:
	VLD1.P 16(R1), [V17.H8]
	VLD1.P 16(R2), [V16.H8]
	ENTRIES
	SUBS   $8, R3, R3
	BNE    packRows
	RET

// func packEqualNEON(entries *uint64, grad *int16, hess, n uint64)
TEXT ·packEqualNEON(SB), NOSPLIT, $0-32
	MOVD entries+0(FP), R0
	MOVD grad+8(FP), R1
	MOVD hess+16(FP), R2
	MOVD n+24(FP), R3
	VDUP R2, V16.H8
	ROWS

packEqualRows:
	VLD1.P 16(R1), [V17.H8]
	ENTRIES
	SUBS   $8, R3, R3
	BNE    packEqualRows
	RET

// func pack8NEON(entries *uint64, packed *uint16, n uint64)
TEXT ·pack8NEON(SB), NOSPLIT, $0-24
	MOVD entries+0(FP), R0
	MOVD packed+8(FP), R1
	MOVD n+16(FP), R3
	ROWS

pack8Rows:
	VLD1.P 16(R1), [V16.H8]
	VSHL   $8, V16.H8, V17.H8
	SSHR8H8(17, 17)
	VUSHR  $8, V16.H8, V16.H8
	ENTRIES
	SUBS   $8, R3, R3
	BNE    pack8Rows
	RET

// func pack4NEON(entries *uint64, packed *uint8, n uint64)
TEXT ·pack4NEON(SB), NOSPLIT, $0-24
	MOVD entries+0(FP), R0
	MOVD packed+8(FP), R1
	MOVD n+16(FP), R3
	ROWS

pack4Rows:
	VLD1.P 8(R1), [V16.B8]
	VUXTL  V16.B8, V16.H8
	VSHL   $12, V16.H8, V17.H8
	SSHR8H12(17, 17)
	VUSHR  $4, V16.H8, V16.H8
	ENTRIES
	SUBS   $8, R3, R3
	BNE    pack4Rows
	RET
