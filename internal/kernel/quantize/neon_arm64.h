// Instructions that Go's assembler lacks, by the numbers of their vector registers. The line above
// each is what a disassembler makes of it; a test of internal/lint compares them.

// smax Vd.4s, Vn.4s, Vm.4s
#define SMAX4S(d, n, m) WORD $(0x4ea06400 | (m)<<16 | (n)<<5 | (d))

// smin Vd.4s, Vn.4s, Vm.4s
#define SMIN4S(d, n, m) WORD $(0x4ea06c00 | (m)<<16 | (n)<<5 | (d))

// umaxv Sd, Vn.4s
#define UMAXV4S(d, n) WORD $(0x6eb0a800 | (n)<<5 | (d))

// smaxv Sd, Vn.4s
#define SMAXV4S(d, n) WORD $(0x4eb0a800 | (n)<<5 | (d))

// sminv Sd, Vn.4s
#define SMINV4S(d, n) WORD $(0x4eb1a800 | (n)<<5 | (d))

// fabs Vd.4s, Vn.4s
#define FABS4S(d, n) WORD $(0x4ea0f800 | (n)<<5 | (d))

// fcvtl Vd.2d, Vn.2s
#define FCVTL2D(d, n) WORD $(0x0e617800 | (n)<<5 | (d))

// fcvtl2 Vd.2d, Vn.4s
#define FCVTL22D(d, n) WORD $(0x4e617800 | (n)<<5 | (d))

// fdiv Vd.2d, Vn.2d, Vm.2d
#define FDIV2D(d, n, m) WORD $(0x6e60fc00 | (m)<<16 | (n)<<5 | (d))

// fcvtzu Vd.2d, Vn.2d
#define FCVTZU2D(d, n) WORD $(0x6ee1b800 | (n)<<5 | (d))

// uqxtn Vd.2s, Vn.2d
#define UQXTN2S(d, n) WORD $(0x2ea14800 | (n)<<5 | (d))

// uqxtn2 Vd.4s, Vn.2d
#define UQXTN24S(d, n) WORD $(0x6ea14800 | (n)<<5 | (d))

// rshrn Vd.4h, Vn.4s, #16
#define RSHRN4H16(d, n) WORD $(0x0f108c00 | (n)<<5 | (d))

// rshrn2 Vd.8h, Vn.4s, #16
#define RSHRN28H16(d, n) WORD $(0x4f108c00 | (n)<<5 | (d))

// abs Vd.8h, Vn.8h
#define ABS8H(d, n) WORD $(0x4e60b800 | (n)<<5 | (d))

// uadalp Vd.4s, Vn.8h
#define UADALP4S(d, n) WORD $(0x6e606800 | (n)<<5 | (d))

// uadalp Vd.2d, Vn.4s
#define UADALP2D(d, n) WORD $(0x6ea06800 | (n)<<5 | (d))

// cmlt Vd.8h, Vn.8h, #0
#define CMLTZERO8H(d, n) WORD $(0x4e60a800 | (n)<<5 | (d))
