"""Reads packed trees, for tests of boost's package tree/pack.

    python interop_trees.py FILE...

A file is one of tree/pack/testdata: JSON with features (number of codes, and 1 if categorical),
outputs, packed trees in hexadecimal and the trees that they are. The trees that are read are
printed, one a line, as feature, code, missing_left, left, right and sets; the exit status is 1 where
they are not those of the file.

Only the standard library is used. The format is that of docs/format.md, from "The range coder"
on: nothing here comes from the Go code.
"""

import json
import sys

MASK = (1 << 64) - 1
A, B = 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9

KNOTS = [32768, 40793, 47911, 53581, 57724, 60565, 62428, 63615, 64357,
         64816, 65097, 65269, 65374, 65438, 65476, 65500, 65514]


def chance(u):
    if u < 0:
        return 65536 - chance(-u)
    k = min(u >> 7, 15)
    r = u - 128 * k
    return (KNOTS[k] * (128 - r) + KNOTS[k + 1] * r + 64) // 128


CHANCES = {u: chance(u) for u in range(-2047, 2048)}

ODDS = [-2047]  # for each of 4,096 parts of the chances, the first odds of at least its middle
for part in range(4096):
    while ODDS[part] < 2047 and CHANCES[ODDS[part]] < 16 * part + 8:
        ODDS[part] += 1
    ODDS.append(ODDS[part])


class Damaged(Exception):
    pass


class Coder:
    def __init__(self, data):
        self.data, self.at = data, 0
        self.width, self.low = 2**32 - 1, 0
        for _ in range(4):
            self.fetch()

    def fetch(self):
        if self.at >= len(self.data) + 4:
            raise Damaged("too few bytes")
        byte = self.data[self.at] if self.at < len(self.data) else 0
        self.at += 1
        self.low = (256 * self.low + byte) % 2**32

    def widen(self):
        while self.width < 2**24:
            self.width *= 256
            self.fetch()

    def bit(self, p):
        split = self.width * p // 65536
        if self.low < split:
            self.width, b = split, 1
        else:
            self.width, self.low, b = self.width - split, self.low - split, 0
        self.widen()
        return b

    def one_of(self, n):
        step = self.width // n
        v = min(self.low // step, n - 1)
        self.low -= v * step
        self.width = self.width - v * step if v == n - 1 else step
        self.widen()
        return v


class Estimate:
    def __init__(self, p=32768, seen=0):
        self.p, self.seen = p, seen

    def learn(self, b):
        gain = (10 * 65536 + 5 * self.seen + 9) // (10 * self.seen + 18)
        self.p += (65520 * b + 16 * (1 - b) - self.p) * gain // 65536
        self.seen = min(self.seen + 1, 250)

    def bit(self, coder):
        b = coder.bit(self.p)
        self.learn(b)
        return b


class Mixer:
    def __init__(self):
        self.weights = [26000, 26000, 26000]

    def bit(self, coder, estimates):
        odds = [ODDS[e.p >> 4] for e in estimates]
        mixed = sum(w * o for w, o in zip(self.weights, odds)) // 65536
        p = CHANCES[max(-2047, min(2047, mixed))]
        b = coder.bit(p)
        self.weights = [w + 2 * o * (65536 * b - p) // 65536 for w, o in zip(self.weights, odds)]
        for e in estimates:
            e.learn(b)
        return b


class Made(dict):
    """A dictionary that makes what it lacks."""

    def __init__(self, make):
        self.make = make

    def __missing__(self, key):
        self[key] = self.make()
        return self[key]


class Number:
    def __init__(self):
        self.lengths, self.tops = Made(Estimate), Made(Estimate)

    def read(self, coder):
        node = 1
        for _ in range(7):
            node = 2 * node + self.lengths[node].bit(coder)
        length = min(node - 128, 64)
        if length <= 1:
            return length
        node = 1
        for _ in range(min(length - 1, 2)):
            node = 2 * node + self.tops[length, node].bit(coder)
        value, left = node, length - node.bit_length()
        while left:
            part = min(left, 16)
            value = value << part | coder.one_of(1 << part)
            left -= part
        return value


class Reader:
    def __init__(self, data, features, outputs):
        self.coder, self.features, self.outputs = Coder(data), features, outputs
        self.nodes = Number().read(self.coder)
        if self.nodes > 16 * len(data):
            raise Damaged("too many nodes")
        estimate = Estimate()
        self.symbols = [f for f in range(len(features)) if estimate.bit(self.coder)]
        self.strict = self.coder.bit(32768)
        self.size = min(max(self.nodes.bit_length() + 3, 10), 17)
        self.table, self.mixers = Made(Estimate), Made(Mixer)
        self.same, self.count, self.before, self.index = Estimate(), Number(), 0, 0
        self.left, self.work = self.nodes, 256 * len(data)
        sets = [s for s, f in enumerate(self.symbols) if features[f][1]]
        numbers = [(Number(), Number()) for _ in range(64)]
        self.numbers = {s: numbers[i % 64] for i, s in enumerate(sets)}

    def estimate(self, use, a, b, decision):
        a, b = a % 2**32, b % 2**32
        g = ((use << 32) + a) * A & MASK ^ b * B & MASK
        h = g ^ g >> 32
        return self.table[((h * A & MASK) >> 64 - self.size) + decision & (1 << self.size) - 1]

    def value(self, kind, low, high, bits, contexts):
        d, v = 1, 0
        for i in range(bits - 1, -1, -1):
            if v + 2**i > high:
                bit = 0
            elif v + 2**i <= low:
                bit = 1
            else:
                bit = self.mixers[kind, i].bit(self.coder, [self.estimate(*c, d) for c in contexts])
            d, v = 2 * d + bit, v + bit * 2**i
        return v

    def tree(self):
        if not self.same.bit(self.coder):
            self.before = self.count.read(self.coder)
        nodes = self.before
        if nodes > self.left:
            raise Damaged("more nodes than there are")
        self.left -= nodes
        self.output = self.index % self.outputs
        self.index += 1
        t = {k: [] for k in ("feature", "code", "missing_left", "left", "right", "sets")}
        unmade, opened, leaves = nodes - 1, 2, 0
        # Children to walk: parent, side, symbols above, and what reaches it: codes or levels by symbol.
        waiting = [(None, 0, (), {})] if nodes else []
        while waiting:
            parent, side, above, reach = waiting.pop()
            if parent is not None:
                children = t["right" if side else "left"]
                if above is None:
                    children[parent] = ~leaves
                    leaves += 1
                    continue
                children[parent] = len(t["feature"])
            n, depth = len(t["feature"]), len(above)
            up = [s + 1 for s in above[::-1][:2]] + [0, 0]
            last = len(self.symbols) - 1
            if last < 0:
                raise Damaged("no feature")
            symbol = self.value("feature", 0, last, last.bit_length(), [
                (3, min(depth, 7), self.output), (4, up[0], 0), (5, up[0], up[1])])
            feature = self.symbols[symbol]
            regular, categorical = self.features[feature]
            t["feature"].append(feature)
            part = 0
            if categorical:
                levels = reach.get(symbol, range(regular))
                inside = self.set(symbol, regular, levels)
                t["code"].append(len(t["sets"]))
                t["sets"].append(inside)
                chosen = set(inside)
                to = inside, [level for level in levels if level not in chosen] if regular <= 1024 else None
            else:
                low, high = reach.get(symbol, (0, regular - 1))
                known = 32 * self.output + 4 * min(depth, 5) + 2 * (low > 0) + (high < regular - 1)
                code = self.value("code", low, high, (regular - 1).bit_length(), [
                    (6, symbol, 0), (7, symbol, up[0]), (8, symbol, known)])
                t["code"].append(code)
                part = 1 + 15 * (code - low) % 2**32 // max(high - low, 1)
                to = (low, code), (min(code + 1, high), high)
            is_leaf = []
            for side in (0, 1):
                kind = side + (side == 1 and is_leaf[0])
                opened -= 1
                if unmade == 0 or opened == 0:
                    leaf = unmade == 0
                else:
                    q = min(256 * unmade // (opened + 1), 2**30 - 1)
                    length = q.bit_length()
                    share = 2 * length + (q >> length - 2 & 1 if length > 1 else 0)
                    leaf = self.mixers["leaf", kind].bit(self.coder, [
                        self.estimate(0, kind, min(depth, 15), share), self.estimate(1, symbol, part, kind),
                        self.estimate(2, kind, self.output, share)]) == 1
                is_leaf.append(leaf)
                if not leaf:
                    unmade, opened = unmade - 1, opened + 2
            flags = is_leaf[0] + 2 * is_leaf[1]
            t["missing_left"].append(self.mixers["direction"].bit(self.coder, [
                self.estimate(9, symbol, 0, part), self.estimate(10, flags, 0, part), self.estimate(11, symbol, 0, flags)]))
            t["left"].append(None)
            t["right"].append(None)
            for side in (1, 0):
                reached = {**reach, symbol: to[side]} if self.strict and to[1] is not None else reach
                waiting.append((n, side, None if is_leaf[side] else above + (symbol,), reached))
        return t

    def set(self, symbol, regular, levels):
        lengths, gaps = self.numbers[symbol]
        missing = lengths.read(self.coder)
        if missing > regular:
            raise Damaged("a set of more codes than there are")
        self.work -= regular if regular <= 1024 else 8 * missing
        if self.work < 0:
            raise Damaged("sets too large for the bytes")
        codes = []
        if regular > 1024:
            following = 0
            for _ in range(missing):
                codes.append(following + gaps.read(self.coder))
                following = codes[-1] + 1
            if following > regular:
                raise Damaged("a code beyond its feature")
            return codes
        free = len(levels)
        if missing > free:
            raise Damaged("a set of more levels than reach it")
        for level in levels:
            if not missing:
                break
            inside = 1
            if missing < free:
                q = 65536 * missing // free
                size = q.bit_length()
                inside = self.mixers["level", size].bit(self.coder, [
                    self.estimate(12, symbol, 0, level), self.estimate(13, size, 0, q >> max(size - 3, 0)),
                    self.estimate(14, symbol, size, level)])
            free -= 1
            if inside:
                missing -= 1
                codes.append(level)
        return codes


def main(paths):
    same = True
    for path in paths:
        with open(path, encoding="utf-8") as f:
            kept = json.load(f)
        reader = Reader(bytes.fromhex(kept["packed"]), kept["features"], kept["outputs"])
        trees = [reader.tree() for _ in kept["trees"]]
        for t in trees:
            print(json.dumps(t))
        if reader.left or trees != kept["trees"]:
            print(f"{path}: these are not the trees of the file", file=sys.stderr)
            same = False
    return 0 if same else 1


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1:]))
