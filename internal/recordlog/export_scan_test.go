package recordlog

// ScanBuffer is the size of the pieces that a log is read and searched in.
const ScanBuffer = scanBuffer
