// Instructions that Go's assembler lacks, by the numbers of their vector registers. The line above
// each is what a disassembler makes of it; a test of internal/lint compares them.

// sshr Vd.2d, Vn.2d, #32
#define SSHR2D32(d, n) WORD $(0x4f600400 | (n)<<5 | (d))

// ssra Vd.2d, Vn.2d, #32
#define SSRA2D32(d, n) WORD $(0x4f601400 | (n)<<5 | (d))

// uadalp Vd.8h, Vn.16b
#define UADALP8H(d, n) WORD $(0x6e206800 | (n)<<5 | (d))

// sadalp Vd.8h, Vn.16b
#define SADALP8H(d, n) WORD $(0x4e206800 | (n)<<5 | (d))

// uadalp Vd.4s, Vn.8h
#define UADALP4S(d, n) WORD $(0x6e606800 | (n)<<5 | (d))

// sadalp Vd.4s, Vn.8h
#define SADALP4S(d, n) WORD $(0x4e606800 | (n)<<5 | (d))

// cmlt Vd.8h, Vn.8h, #0
#define CMLTZERO8H(d, n) WORD $(0x4e60a800 | (n)<<5 | (d))

// sshr Vd.8h, Vn.8h, #8
#define SSHR8H8(d, n) WORD $(0x4f180400 | (n)<<5 | (d))

// sshr Vd.8h, Vn.8h, #12
#define SSHR8H12(d, n) WORD $(0x4f140400 | (n)<<5 | (d))
