package quantize

// gathered is the number of listed rows that are brought together at a time: enough that a
// call is nothing beside them, few enough that they stay in the first cache.
const gathered = 1024

// rows16 is the number of rows that 16 bits count. An index of 16 bits into as many needs no
// check of bounds.
const rows16 = 1 << 16

// gather brings together the listed gradients and hessians, at most gathered.
//
// Bound: 8 instructions a row, of which 5 load or store.
func gather(g, h *[gathered]float32, grad, hess []float32, rows []uint16) {
	n := 0
	if len(grad) >= rows16 && len(hess) >= rows16 {
		grad, hess, rows := (*[rows16]float32)(grad), (*[rows16]float32)(hess), rows[:min(len(rows), gathered)]
		for ; n+4 <= len(rows); n += 4 {
			r, g, h := (*[4]uint16)(rows[n:n+4]), (*[4]float32)(g[n:n+4]), (*[4]float32)(h[n:n+4])
			g[0], h[0] = grad[r[0]], hess[r[0]]
			g[1], h[1] = grad[r[1]], hess[r[1]]
			g[2], h[2] = grad[r[2]], hess[r[2]]
			g[3], h[3] = grad[r[3]], hess[r[3]]
		}
	}
	for ; n < len(rows); n++ {
		g[n], h[n] = grad[rows[n]], hess[rows[n]]
	}
}

// gatherOne is gather of gradients alone, 5 instructions a row.
func gatherOne(g *[gathered]float32, grad []float32, rows []uint16) {
	n := 0
	if len(grad) >= rows16 {
		grad, rows := (*[rows16]float32)(grad), rows[:min(len(rows), gathered)]
		for ; n+4 <= len(rows); n += 4 {
			r, g := (*[4]uint16)(rows[n:n+4]), (*[4]float32)(g[n:n+4])
			g[0], g[1], g[2], g[3] = grad[r[0]], grad[r[1]], grad[r[2]], grad[r[3]]
		}
	}
	for ; n < len(rows); n++ {
		g[n] = grad[rows[n]]
	}
}

// scatter writes codes to where they are listed, at most gathered.
//
// Bound: 6 instructions a code, of which 3 load or store.
func scatter[C int16 | int32 | uint8 | uint16 | uint32](codes []C, some *[gathered]C, rows []uint16) {
	n := 0
	if len(codes) >= rows16 {
		codes, rows := (*[rows16]C)(codes), rows[:min(len(rows), gathered)]
		for ; n+4 <= len(rows); n += 4 {
			r, c := (*[4]uint16)(rows[n:n+4]), (*[4]C)(some[n:n+4])
			codes[r[0]], codes[r[1]], codes[r[2]], codes[r[3]] = c[0], c[1], c[2], c[3]
		}
	}
	for ; n < len(rows); n++ {
		codes[rows[n]] = some[n]
	}
}
