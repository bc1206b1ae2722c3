package histogram

import "boost/internal/kernel/hist"

// maxMemberCodes is the most codes of a column of a packed group.
const maxMemberCodes = 256

// nGroups returns how many groups a place has the sums of.
func (p *place) nGroups() int { return max(len(p.members), 1) }

// groupAt returns the i-th of them.
func (p *place) groupAt(i int) int {
	if p.members == nil {
		return p.group
	}
	return p.members[i]
}

// nextMember splits the packed sums of a place's groups from the i-th on: into the sums of the i-th group, and those
// of the groups after it. In the codes of a packed group those of the first member vary fastest. The caller
// clears what is returned; all else is 0 then. The sums overflow no earlier than the sum of all rows.
func (b *Builder) nextMember(p *place, i int, sums, part []uint64) (own, others []uint64) {
	if i == p.nGroups()-1 {
		return sums, nil
	}
	own = part[:b.size(p.members[i])]
	n := hist.Margins(own, sums)
	clear(sums[n:])
	return own, sums[:n]
}

// nextMemberSlots is nextMember for sums of two words.
func (b *Builder) nextMemberSlots(p *place, i int, all, part sums[hist.Slot[int64, uint64]]) (own, others sums[hist.Slot[int64, uint64]]) {
	if i == p.nGroups()-1 {
		return all, others
	}
	size := b.size(p.members[i])
	own, n := part.part(0, size), 0
	for at := 0; at < len(all.slots); at += size {
		var sum hist.Slot[int64, uint64]
		for code, slot := range all.slots[at : at+size] {
			own.slots[code].Grad += slot.Grad
			own.slots[code].Hess += slot.Hess
			sum.Grad += slot.Grad
			sum.Hess += slot.Hess
		}
		all.slots[n] = sum
		if all.counts != nil {
			rows := uint32(0)
			for code, count := range all.counts[at : at+size] {
				own.counts[code] += count
				rows += count
			}
			all.counts[n] = rows
		}
		n++
	}
	clear(all.slots[n:])
	if all.counts != nil {
		clear(all.counts[n:])
	}
	return own, all.part(0, n)
}
