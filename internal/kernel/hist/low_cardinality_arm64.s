//go:build arm64 && !purego

#include "textflag.h"
#include "neon_arm64.h"

// The distance between planes, and between the parts of two sums.
#define PLANE $1024
#define PARTS $64

// FOLD adds parts of a sum of 16 bits to four of 32 bits at R0, and goes on to the next; FOLDSIGNED does so
// with signs.
#define FOLD(acc) \
	VLD1 (R0), [V16.S4];  \
	UADALP4S(16, acc);    \
	VST1 [V16.S4], (R0);  \
	ADD  PARTS, R0, R0

#define FOLDSIGNED(acc) \
	VLD1 (R0), [V16.S4];  \
	SADALP4S(16, acc);    \
	VST1 [V16.S4], (R0);  \
	ADD  PARTS, R0, R0

// func planesNEON(planes *[4][compareBlock]uint8, entries *uint64, n uint64, sums *[4][16]uint32)
// A structure of four words of 16 bits is an entry. Parts of sums are of 16 bits: a tile is 64 steps, and
// each adds two bytes, 64 × 510 < 2¹⁵.
TEXT ·planesNEON(SB), NOSPLIT, $0-32
	MOVD planes+0(FP), R4
	MOVD entries+8(FP), R1
	MOVD n+16(FP), R2
	MOVD sums+24(FP), R0
	ADD  PLANE, R4, R5
	ADD  PLANE, R5, R6
	ADD  PLANE, R6, R7
	VEOR V0.B16, V0.B16, V0.B16
	VEOR V1.B16, V1.B16, V1.B16
	VEOR V2.B16, V2.B16, V2.B16
	VEOR V3.B16, V3.B16, V3.B16

planesRows:
	VLD4.P 64(R1), [V16.H8, V17.H8, V18.H8, V19.H8]
	VLD4.P 64(R1), [V20.H8, V21.H8, V22.H8, V23.H8]
	VUZP1  V20.B16, V16.B16, V24.B16
	VUZP2  V20.B16, V16.B16, V25.B16
	VUZP1  V22.B16, V18.B16, V26.B16
	VUZP2  V22.B16, V18.B16, V27.B16
	UADALP8H(0, 24)
	UADALP8H(1, 25)
	UADALP8H(2, 26)
	SADALP8H(3, 27)
	VST1.P [V24.B16], 16(R4)
	VST1.P [V25.B16], 16(R5)
	VST1.P [V26.B16], 16(R6)
	VST1.P [V27.B16], 16(R7)
	SUBS   $16, R2, R2
	BNE    planesRows

	FOLD(0)
	FOLD(1)
	FOLD(2)
	FOLDSIGNED(3)
	RET

// CODE puts the next code into all bytes of a vector, and 0 into the parts of its sums.
#define CODE(V, A, B, C, D) \
	VDUP R8, V.B16;           \
	ADD  $1, R8, R8;          \
	VEOR A.B16, A.B16, A.B16; \
	VEOR B.B16, B.B16, B.B16; \
	VEOR C.B16, C.B16, C.B16; \
	VEOR D.B16, D.B16, D.B16

// ROWS loads the codes and the planes of 16 rows.
#define ROWS \
	VLD1.P 16(R1), [V20.B16]; \
	VLD1.P 16(R4), [V16.B16]; \
	VLD1.P 16(R5), [V17.B16]; \
	VLD1.P 16(R6), [V18.B16]; \
	VLD1.P 16(R7), [V19.B16]

// ADDEQUAL adds the rows with a code to the parts of its sums.
#define ADDEQUAL(V, a, b, c, d) \
	VCMEQ V.B16, V20.B16, V21.B16;   \
	VAND  V21.B16, V16.B16, V22.B16; \
	VAND  V21.B16, V17.B16, V23.B16; \
	VAND  V21.B16, V18.B16, V24.B16; \
	VAND  V21.B16, V19.B16, V25.B16; \
	UADALP8H(a, 22);                 \
	UADALP8H(b, 23);                 \
	UADALP8H(c, 24);                 \
	SADALP8H(d, 25)

// func compareNEON1(sums *[4][16]uint32, codes *uint8, planes *[4][compareBlock]uint8, n uint64, first uint64)
TEXT ·compareNEON1(SB), NOSPLIT, $0-40
	MOVD sums+0(FP), R0
	MOVD codes+8(FP), R1
	MOVD planes+16(FP), R4
	MOVD n+24(FP), R2
	MOVD first+32(FP), R8
	ADD  PLANE, R4, R5
	ADD  PLANE, R5, R6
	ADD  PLANE, R6, R7
	CODE(V26, V0, V1, V2, V3)

compare1Rows:
	ROWS
	ADDEQUAL(V26, 0, 1, 2, 3)
	SUBS $16, R2, R2
	BNE  compare1Rows

	FOLD(0)
	FOLD(1)
	FOLD(2)
	FOLDSIGNED(3)
	RET

// func compareNEON2(sums *[4][16]uint32, codes *uint8, planes *[4][compareBlock]uint8, n uint64, first uint64)
TEXT ·compareNEON2(SB), NOSPLIT, $0-40
	MOVD sums+0(FP), R0
	MOVD codes+8(FP), R1
	MOVD planes+16(FP), R4
	MOVD n+24(FP), R2
	MOVD first+32(FP), R8
	ADD  PLANE, R4, R5
	ADD  PLANE, R5, R6
	ADD  PLANE, R6, R7
	CODE(V26, V0, V1, V2, V3)
	CODE(V27, V4, V5, V6, V7)

compare2Rows:
	ROWS
	ADDEQUAL(V26, 0, 1, 2, 3)
	ADDEQUAL(V27, 4, 5, 6, 7)
	SUBS $16, R2, R2
	BNE  compare2Rows

	FOLD(0)
	FOLD(1)
	FOLD(2)
	FOLDSIGNED(3)
	FOLD(4)
	FOLD(5)
	FOLD(6)
	FOLDSIGNED(7)
	RET

// func compareNEON3(sums *[4][16]uint32, codes *uint8, planes *[4][compareBlock]uint8, n uint64, first uint64)
TEXT ·compareNEON3(SB), NOSPLIT, $0-40
	MOVD sums+0(FP), R0
	MOVD codes+8(FP), R1
	MOVD planes+16(FP), R4
	MOVD n+24(FP), R2
	MOVD first+32(FP), R8
	ADD  PLANE, R4, R5
	ADD  PLANE, R5, R6
	ADD  PLANE, R6, R7
	CODE(V26, V0, V1, V2, V3)
	CODE(V27, V4, V5, V6, V7)
	CODE(V28, V8, V9, V10, V11)

compare3Rows:
	ROWS
	ADDEQUAL(V26, 0, 1, 2, 3)
	ADDEQUAL(V27, 4, 5, 6, 7)
	ADDEQUAL(V28, 8, 9, 10, 11)
	SUBS $16, R2, R2
	BNE  compare3Rows

	FOLD(0)
	FOLD(1)
	FOLD(2)
	FOLDSIGNED(3)
	FOLD(4)
	FOLD(5)
	FOLD(6)
	FOLDSIGNED(7)
	FOLD(8)
	FOLD(9)
	FOLD(10)
	FOLDSIGNED(11)
	RET

// func compareNEON4(sums *[4][16]uint32, codes *uint8, planes *[4][compareBlock]uint8, n uint64, first uint64)
TEXT ·compareNEON4(SB), NOSPLIT, $0-40
	MOVD sums+0(FP), R0
	MOVD codes+8(FP), R1
	MOVD planes+16(FP), R4
	MOVD n+24(FP), R2
	MOVD first+32(FP), R8
	ADD  PLANE, R4, R5
	ADD  PLANE, R5, R6
	ADD  PLANE, R6, R7
	CODE(V26, V0, V1, V2, V3)
	CODE(V27, V4, V5, V6, V7)
	CODE(V28, V8, V9, V10, V11)
	CODE(V29, V12, V13, V14, V15)

compare4Rows:
	ROWS
	ADDEQUAL(V26, 0, 1, 2, 3)
	ADDEQUAL(V27, 4, 5, 6, 7)
	ADDEQUAL(V28, 8, 9, 10, 11)
	ADDEQUAL(V29, 12, 13, 14, 15)
	SUBS $16, R2, R2
	BNE  compare4Rows

	FOLD(0)
	FOLD(1)
	FOLD(2)
	FOLDSIGNED(3)
	FOLD(4)
	FOLD(5)
	FOLD(6)
	FOLDSIGNED(7)
	FOLD(8)
	FOLD(9)
	FOLD(10)
	FOLDSIGNED(11)
	FOLD(12)
	FOLD(13)
	FOLD(14)
	FOLDSIGNED(15)
	RET

// func nibblesNEON(codes *uint8, packed *uint8, n uint64)
TEXT ·nibblesNEON(SB), NOSPLIT, $0-24
	MOVD  codes+0(FP), R0
	MOVD  packed+8(FP), R1
	MOVD  n+16(FP), R2
	VMOVI $15, V0.B16

nibblesRows:
	VLD1.P 16(R1), [V1.B16]
	VUSHR  $4, V1.B16, V2.B16
	VAND   V0.B16, V1.B16, V1.B16
	VZIP1  V2.B16, V1.B16, V3.B16
	VZIP2  V2.B16, V1.B16, V4.B16
	VST1.P [V3.B16, V4.B16], 32(R0)
	SUBS   $32, R2, R2
	BNE    nibblesRows
	RET
