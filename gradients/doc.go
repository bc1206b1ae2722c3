// Package gradients holds a round's gradients and hessians: the float32 Buffer
// that an objective fills, and the quantized Storage that histograms read.
//
// In: float32 gradients per row and output, the rows in the bag. Out: integer
// codes with their scales, made anew once a round (S2). It must not know bins.
package gradients
