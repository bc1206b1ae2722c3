// Instructions that Go's assembler lacks, by the numbers of their vector registers. The line above
// each is what a disassembler makes of it; a test of internal/lint compares them.

// umaxp Vd.4s, Vn.4s, Vm.4s
#define UMAXP4S(d, n, m) WORD $(0x6ea0a400 | (m)<<16 | (n)<<5 | (d))

// cmgt Vd.2d, Vn.2d, Vm.2d
#define CMGT2D(d, n, m) WORD $(0x4ee03400 | (m)<<16 | (n)<<5 | (d))

// scvtf Vd.2d, Vn.2d
#define SCVTF2D(d, n) WORD $(0x4e61d800 | (n)<<5 | (d))

// fadd Vd.2d, Vn.2d, Vm.2d
#define FADD2D(d, n, m) WORD $(0x4e60d400 | (m)<<16 | (n)<<5 | (d))

// fmul Vd.2d, Vn.2d, Vm.2d
#define FMUL2D(d, n, m) WORD $(0x6e60dc00 | (m)<<16 | (n)<<5 | (d))

// fdiv Vd.2d, Vn.2d, Vm.2d
#define FDIV2D(d, n, m) WORD $(0x6e60fc00 | (m)<<16 | (n)<<5 | (d))

// fcmgt Vd.2d, Vn.2d, Vm.2d
#define FCMGT2D(d, n, m) WORD $(0x6ee0e400 | (m)<<16 | (n)<<5 | (d))
