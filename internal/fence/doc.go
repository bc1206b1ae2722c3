// Package fence gives tests memory between pages that may not be touched: a read or a
// write past either end kills the test. Only tests import it, and on Linux only.
package fence
