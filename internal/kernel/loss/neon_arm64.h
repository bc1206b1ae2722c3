// Instructions that Go's assembler lacks, by the numbers of their vector registers. The line above
// each is what a disassembler makes of it; a test of internal/lint compares them.

// fadd Vd.2d, Vn.2d, Vm.2d
#define FADD2D(d, n, m) WORD $(0x4e60d400 | (m)<<16 | (n)<<5 | (d))

// fsub Vd.2d, Vn.2d, Vm.2d
#define FSUB2D(d, n, m) WORD $(0x4ee0d400 | (m)<<16 | (n)<<5 | (d))

// fmul Vd.2d, Vn.2d, Vm.2d
#define FMUL2D(d, n, m) WORD $(0x6e60dc00 | (m)<<16 | (n)<<5 | (d))

// fdiv Vd.2d, Vn.2d, Vm.2d
#define FDIV2D(d, n, m) WORD $(0x6e60fc00 | (m)<<16 | (n)<<5 | (d))

// facgt Vd.2d, Vn.2d, Vm.2d
#define FACGT2D(d, n, m) WORD $(0x6ee0ec00 | (m)<<16 | (n)<<5 | (d))

// fcmgt Vd.2d, Vn.2d, Vm.2d
#define FCMGT2D(d, n, m) WORD $(0x6ee0e400 | (m)<<16 | (n)<<5 | (d))

// fcmeq Vd.2d, Vn.2d, Vm.2d
#define FCMEQ2D(d, n, m) WORD $(0x4e60e400 | (m)<<16 | (n)<<5 | (d))

// cmlt Vd.2d, Vn.2d, #0
#define CMLTZERO2D(d, n) WORD $(0x4ee0a800 | (n)<<5 | (d))

// fcvtn Vd.2s, Vn.2d
#define FCVTN2S(d, n) WORD $(0x0e616800 | (n)<<5 | (d))

// fcvtn2 Vd.4s, Vn.2d
#define FCVTN24S(d, n) WORD $(0x4e616800 | (n)<<5 | (d))
