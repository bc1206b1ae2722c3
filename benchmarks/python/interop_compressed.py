"""Reads compressed models whole and predicts with them, for tests of boost.

    python interop_compressed.py MODEL TABLE
    python interop_compressed.py MODEL TABLE SCORES JSON ...

MODEL is a file of `boost quantize`, TABLE a CSV file with a header line. With these two, the raw
scores of each row are printed in the shortest form that gives the same bits back. With SCORES, what
`boost predict MODEL TABLE --kind raw` writes, and JSON, the model by `boost convert`, for any number
of models, nothing is printed but what differs; the exit status is 1 if anything does, to the last bit.

Only the standard library is used. The format is that of docs/format.md: nothing here comes from the
Go code.
"""

import csv
import functools
import json
import math
import struct
import sys
from decimal import Decimal
from pathlib import Path

from interop_trees import A, B, Coder, Damaged, Estimate, Made, MASK, Mixer, Number, Reader

CRC = []
for i in range(256):
    c = i
    for _ in range(8):
        c = c >> 1 ^ (0x82F63B78 if c & 1 else 0)
    CRC.append(c)


def crc32c(data):
    c = 0xFFFFFFFF
    for b in data:
        c = CRC[(c ^ b) & 255] ^ c >> 8
    return c ^ 0xFFFFFFFF


def need(condition, what):
    if not condition:
        raise Damaged(what)


def f32(x):
    try:
        return struct.unpack("<f", struct.pack("<f", x))[0]
    except OverflowError:
        return math.copysign(math.inf, x)


# --- the frame

ORDER = ["about", "cuts", "dictionaries", "structure", "scales", "leaves", "packed_leaves", "statistics"]


def sections(data):
    """The parts of a file of version 2, by name."""
    need(len(data) >= 36, "too short")
    magic, version, flags, count, size, length = struct.unpack("<8sHHIQQ", data[:32])
    need(magic == b"BOOST\r\n\x1a", "not a .boost file")
    need(version == 2, "not a compressed model")
    need(flags == 0, "flags")
    need(length == len(data), "another length")
    need(crc32c(data[:-4]) == struct.unpack("<I", data[-4:])[0], "the checksum of the file")
    need(32 + size <= len(data) - 4, "the manifest is too long")
    text = data[32:32 + size]
    manifest = json.loads(text)
    need(list(manifest) == ["sections"] and len(manifest["sections"]) == count, "the manifest")
    at, found = 32 + size, {}
    for s in manifest["sections"]:
        start = -(-at // 64) * 64
        need(s["offset"] == start and start + s["length"] <= len(data) - 4, f"section {s['name']}: its place")
        need(not any(data[at:start]), "the gap between sections")
        at = start + s["length"]
        found[s["name"]] = data[start:at]
        need("%08x" % crc32c(found[s["name"]]) == s["crc32c"], f"section {s['name']}: its checksum")
    need(at == len(data) - 4, "bytes behind the sections")
    need(list(found) == ["packed"], "the section")
    lengths, at, data = [], 0, found["packed"]
    for _ in ORDER:
        n, more = 0, 0
        while True:
            need(at < len(data) and more < 64, "the lengths of the parts")
            n |= (data[at] & 127) << more
            at, more = at + 1, more + 7
            if data[at - 1] < 128:
                break
        need(more == 7 or data[at - 1] > 0, "a length of too many bytes")
        lengths.append(n)
    need(at + sum(lengths) == len(data), "the parts do not make up the section")
    parts = {}
    for name, n in zip(ORDER, lengths):
        if n:
            parts[name] = data[at:at + n]
        at += n
    return parts


# --- packed texts and cuts

class Text:
    """The estimates of bytes of text, by those before them."""

    def __init__(self):
        self.table, self.mixers, self.last = Made(Estimate), [Mixer() for _ in range(8)], 0

    def copy(self):
        other = Text()
        other.last = self.last
        for place, e in self.table.items():
            other.table[place] = Estimate(e.p, e.seen)
        for mine, its in zip(self.mixers, other.mixers):
            its.weights = mine.weights
        return other

    def byte(self, coder):
        places = []
        for k, mask in ((1, 0xFF), (2, 0xFFFF), (3, 0xFFFFFFFF)):
            h = ((self.last & mask) * 4 + k) * A & MASK
            places.append(((h ^ h >> 32) * B & MASK) >> 48)
        node = 1
        for i in range(8):
            node = 2 * node + self.mixers[i].bit(coder, [self.table[p + node & 0xFFFF] for p in places])
        self.last = (self.last << 8 | node & 255) & 0xFFFFFFFF
        return node & 255


class Known:
    """Stands for a coder where the bits are known: those of a text, from which estimates learn."""

    def __init__(self, text):
        self.bits = [b >> i & 1 for b in text for i in range(7, -1, -1)][::-1]

    def bit(self, chance):
        return self.bits.pop()


def about_before():
    """The text after which that of about is packed: docs/format.md has it, byte for byte."""
    page = Path(__file__).parents[2] / "docs" / "format.md"
    text = page.read_bytes().split(b"begin as they are after this text")[1]
    return text.split(b"```json\n")[1].split(b"\n```")[0]


@functools.cache
def text_after(before):
    """The estimates that a text leaves, the same for every file."""
    text, known = Text(), Known(before)
    for _ in before:
        text.byte(known)
    return text


def packed_text(data, before=b""):
    if not data:
        return b""
    coder = Coder(data)
    length = Number().read(coder)
    need(length <= max(64 * len(data), 4096), "a text that is too long")
    text = text_after(before).copy()
    return bytes(text.byte(coder) for _ in range(length))


def tree_bits(coder, estimates, bits):
    """A number of a few bits, each with the estimate of the bits before it."""
    node = 1
    for _ in range(bits):
        node = 2 * node + estimates[node].bit(coder)
    return node - (1 << bits)


def plain_bits(coder, count, value=0):
    """Bits as they are, 16 at a time, behind those of value."""
    while count:
        part = min(count, 16)
        value = value << part | coder.one_of(1 << part)
        count -= part
    return value


def from_position(position, double):
    bits = 64 if double else 32
    sign = 1 << bits - 1
    raw = position ^ sign if position & sign else position ^ (1 << bits) - 1
    return struct.unpack("<d" if double else "<f", raw.to_bytes(bits // 8, "little"))[0]


def from_decimal(m, g, d, double):
    rounded = float if double else f32
    if g == 0:
        return rounded(m / (2 * 10**d))
    low, high = rounded((m - g) // 2 / 10**d), rounded((m + g) // 2 / 10**d)
    return rounded((low + high) / 2)


def read_cuts(data, features):
    """The features: dictionaries with missing, and cuts, or codes and the code of each level."""
    coder = Coder(data)
    missing, following, others = Estimate(), Estimate(), Made(Estimate)
    codes, code, count, first, factor, apart, marks, between = (Number() for _ in range(8))
    ways, spreads, lengths = Made(lambda: Made(Estimate)), Made(Estimate), Made(lambda: Made(Estimate))
    left = max(64 * len(data), 4096)
    for f in features:
        f["missing"] = missing.bit(coder)
        if f["kind"] == "category":
            f["codes"], f["code"], before = codes.read(coder), [], -1
            flags, f["marks"] = tree_bits(coder, others, 2), []
            f["unnamed"] = flags & 1
            if flags & 2:
                n, mark = marks.read(coder), 0
                left -= n
                need(left >= 0, "too many marks")
                for _ in range(n):
                    mark += between.read(coder)
                    f["marks"].append(mark)
                need(0 < n <= 2**19 and mark < n << 12, "marks that cannot be")
            for _ in f["levels"]:
                if following.bit(coder):
                    before += 1
                else:
                    before = (code.read(coder) - 1) % 2**32
                f["code"].append(before)
            continue
        double = f["kind"] == "float64"
        n = count.read(coder)
        left -= n
        need(left >= 0, "too many cuts")
        f["cuts"] = []
        if n == 0:
            continue
        way = tree_bits(coder, ways[double], 5)
        need(way <= 16, "an unknown way to keep cuts")
        whole = [first.read(coder)]
        if way < 16:
            whole[0] = -(whole[0] + 1 >> 1) if whole[0] & 1 else whole[0] >> 1
        if n > 1:
            common, s = factor.read(coder), tree_bits(coder, spreads, 6)
            for _ in range(n - 1):
                length = tree_bits(coder, lengths[s], 6)
                if length == 63:
                    d = plain_bits(coder, 64)
                elif length == 0:
                    d = 0
                else:
                    d = plain_bits(coder, length - 1, 1)
                whole.append(whole[-1] + d * common)
        if way == 16:
            f["cuts"] = [from_position(w, double) for w in whole]
        else:
            for m in whole:
                i = apart.read(coder)
                f["cuts"].append(from_decimal(m, 2 * i - m % 2 if i else 0, way, double))
        need(all(x < y for x, y in zip(f["cuts"], f["cuts"][1:])), "cuts that do not ascend")


def read_dictionaries(text, columns):
    """The levels of each category column, bytes."""
    lines, line, escaped = [], bytearray(), False
    for b in text:
        if escaped or b not in b"\\\n":
            line.append(b)
            escaped = False
        elif b == 0x5C:
            escaped = True
        else:
            lines.append(bytes(line))
            line = bytearray()
    need(not line and not escaped, "a dictionary's last line has no end")
    at = 0
    for c in columns:
        if c["kind"] == "category":
            n = int(lines[at])
            c["levels"] = lines[at + 1:at + 1 + n]
            need(len(c["levels"]) == n, "too few levels")
            at += 1 + n
    need(at == len(lines), "lines behind the dictionaries")


# --- leaf values

INTEGERS = {"I64": "q", "I32": "i", "I16": "h", "I8": "b", "U64": "Q", "U32": "I", "U16": "H", "U8": "B"}
NARROW = {"I4": 4, "U4": 4, "FP4": 4, "I2": 2, "U2": 2, "Ternary": 2, "Binary": 1}
TIERS = {"hot": 8, "warm": 7, "warm5": 5, "cold": 3, "cold2": 3}
E2M1 = [0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0]


def small_float(byte, exponent, mantissa):
    """A float of 8 bits without infinities in use."""
    e, m = byte >> mantissa & (1 << exponent) - 1, byte & (1 << mantissa) - 1
    bias = (1 << exponent - 1) - 1
    value = math.ldexp(m, 1 - bias - mantissa) if e == 0 else math.ldexp(m + (1 << mantissa), e - bias - mantissa)
    return -value if byte & 128 else value


def plain_codes(form, data, n):
    """n codes of a data type as the numbers that they stand for before the scale."""
    if form in NARROW:
        bits = NARROW[form]
        need(len(data) == -(-n * bits // 8), "the length of leaves")
        per, mask = 8 // bits, (1 << bits) - 1
        raw = [data[i // per] >> 8 - bits * (i % per + 1) & mask for i in range(n)]
        need(all(data[i // per] >> 8 - bits * (i % per + 1) & mask == 0 for i in range(n, per * len(data))), "spare bits")
        if form == "Binary":
            return [1 if v else -1 for v in raw]
        if form == "FP4":
            return [-E2M1[v & 7] if v & 8 else E2M1[v] for v in raw]
        if form[0] == "U":
            return raw
        return [v - (1 << bits) if v >> bits - 1 else v for v in raw]
    size = 8 if form[1:] == "64" else 4 if form[1:] == "32" else 1 if form.endswith("8") or form[:3] == "FP8" else 2
    need(len(data) == size * n, "the length of leaves")
    if form == "BF16":
        return [struct.unpack("<f", b"\0\0" + data[2 * i:2 * i + 2])[0] for i in range(n)]
    if form == "FP8E4M3":
        return [small_float(b, 4, 3) for b in data]
    if form == "FP8E5M2":
        return [small_float(b, 5, 2) for b in data]
    letter = INTEGERS.get(form) or {"F64": "d", "F32": "f", "F16": "e"}[form]
    return list(struct.unpack(f"<{n}{letter}", data))


def packed_codes(data, counts, outputs):
    coder = Coder(data)
    need(sum(counts) <= 8 * len(data), "too few bytes for the leaves")
    fives, mixers = Made(Estimate), [Mixer() for _ in range(5)]
    tops, signs = Made(Estimate), Made(Estimate)
    level, codes = [0] * outputs, []
    for t, count in enumerate(counts):
        before, of_sign = 0, 0
        for _ in range(count):
            a = min(level[t % outputs] // 8, 31)
            contexts = [(0, a), (1, min(before, 15)), (2, 3 * (a // 2) + min(before, 2))]
            node = 1
            for i in range(5):
                node = 2 * node + mixers[i].bit(coder, [fives[c, node] for c in contexts])
            n, magnitude, sign = node - 32, 0, 0
            if n:
                top = 1
                for _ in range(min(n - 1, 2)):
                    top = 2 * top + tops[n, top].bit(coder)
                magnitude = plain_bits(coder, n - top.bit_length(), top)
                sign = signs[of_sign].bit(coder)
            codes.append(-magnitude if sign else magnitude)
            before, of_sign = n, 0 if n == 0 else 1 + sign
            step = 16 * n - level[t % outputs]
            level[t % outputs] += int(step / 8)
    return codes


def block_values(form, data, counts):
    """Values of Q4_0 and of the tiers, in blocks that begin anew with each tree."""
    size = 32 if form == "Q4_0" else 64
    blocks = [min(size, count - at) for count in counts for at in range(0, count, size)]
    at, second, values = 0, [0] * len(blocks), []
    if form == "cold2":
        at = -(-len(blocks) // 8)
        second = [data[i // 8] >> i % 8 & 1 for i in range(len(blocks))]
    for n, two in zip(blocks, second):
        scales = struct.unpack_from("<ff" if two else "<f", data, at)
        at += 4 * len(scales)
        if form == "Q4_0":
            codes = [data[at + i // 2] >> 4 * (i % 2) & 15 for i in range(n)]
            codes, which = [c - 16 if c > 7 else c for c in codes], [0] * n
            at += 16
        else:
            bits = TIERS[form]
            which = [0] * n
            if two:
                which = [data[at + i // 8] >> i % 8 & 1 for i in range(n)]
                at += -(-n // 8)
            long = -(-n * bits // 8)
            need(at + long <= len(data), "too few bytes for the leaves")
            if bits == 8:
                codes = struct.unpack_from(f"<{n}b", data, at)
            else:
                stream = int.from_bytes(data[at:at + long], "little")
                codes = [(stream >> i * bits & (1 << bits) - 1) - ((1 << bits - 1) - 1) for i in range(n)]
            at += long
        values += [f32(c * scales[w]) for c, w in zip(codes, which)]
    need(at == len(data), "bytes behind the leaves")
    return values


def leaf_values(found, how, counts, outputs):
    form, total = how["form"], sum(counts)
    if form == "Q4_0" or form in TIERS:
        return block_values(form, found.get("leaves", b""), counts)
    if "packed_leaves" in found:
        codes = packed_codes(found["packed_leaves"], counts, outputs)
    else:
        codes = plain_codes(form, found.get("leaves", b""), total)
    if form in ("F64", "F32", "F16", "BF16"):
        return [float(c) for c in codes]
    group, groups = [], 0
    for t, count in enumerate(counts):
        if how["grouping"] == "block":
            group += [groups + i // 64 for i in range(count)]
            groups += -(-count // 64)
        else:
            group += [{"model": 0, "output": t % outputs, "tree": t}[how["grouping"]]] * count
            groups = {"model": 1, "output": outputs, "tree": t + 1}[how["grouping"]]
    letter, size = ("f", 4) if how.get("float32_scales") else ("d", 8)
    data = found.get("scales", b"")
    unsigned = form[0] == "U"
    need(len(data) == groups * (size + 8 * unsigned), "the length of scales")
    scales = struct.unpack_from(f"<{groups}{letter}", data)
    offsets = struct.unpack_from(f"<{groups}d", data, groups * size) if unsigned else None
    if unsigned:
        return [c * scales[g] + offsets[g] for c, g in zip(codes, group)]
    return [c * scales[g] for c, g in zip(codes, group)]


# --- a model

class Model:
    def __init__(self, data):
        found = sections(data)
        self.about = json.loads(packed_text(found["about"], about_before()))
        self.how = self.about["compression"]
        self.outputs = self.about["outputs"]
        columns = self.columns = [dict(c) for c in self.about["columns"]]
        self.features = [c for c in columns if c["role"] == "feature"]
        read_dictionaries(packed_text(found.get("dictionaries", b"")), columns)
        read_cuts(found.get("cuts", b""), self.features)
        shapes = []
        ordered = self.about.get("ordered", [])
        for f in self.features:
            f["by_sets"] = f["kind"] == "category" and f["name"] not in ordered
            shapes.append([f["codes"] if f["kind"] == "category" else len(f["cuts"]) + 1, int(f["by_sets"])])
        count = self.about["best_round"] * self.outputs
        if "structure" in found:
            reader = Reader(found["structure"], shapes, self.outputs)
            self.trees = [reader.tree() for _ in range(count)]
            need(reader.left == 0, "nodes that belong to no tree")
        counts = [len(t["feature"]) + 1 for t in self.trees]
        values = leaf_values(found, self.how, counts, self.outputs)
        at = 0
        for t, n in zip(self.trees, counts):
            t["leaf"] = values[at:at + n]
            at += n
            t["chosen"] = [set(s) for s in t["sets"]]
        self.read_statistics(found)
        for f in self.features:
            if f["kind"] == "category":
                f["of"] = {k: c for k, c in zip(f["levels"], f["code"]) if c != 2**32 - 1}

    def read_statistics(self, found):
        data = found.get("statistics", b"")
        if not self.how["statistics"]:
            need(not data, "statistics that should not be there")
            return
        nodes = sum(len(t["feature"]) for t in self.trees)
        leaves = nodes + len(self.trees)
        need(len(data) == 12 * nodes + 8 * leaves, "the length of statistics")
        covers = list(struct.unpack_from(f"<{nodes}d", data))
        of_leaves = list(struct.unpack_from(f"<{leaves}d", data, 8 * nodes))
        gains = list(struct.unpack_from(f"<{nodes}f", data, 8 * (nodes + leaves)))
        for t in self.trees:
            n = len(t["feature"])
            t["cover"], covers = covers[:n], covers[n:]
            t["gain"], gains = gains[:n], gains[n:]
            t["leaf_cover"], of_leaves = of_leaves[:n + 1], of_leaves[n + 1:]

    def crossed_text(self, name, row):
        """What the cell of a column is in the name of a pair."""
        f = next(f for f in self.features if f["name"] == name)
        cell = row[name]
        if f["kind"] != "category":
            value = number(cell)
            return CROSS if value is None else shortest(value).encode()
        text = level(cell, f)
        bare = text and text.strip(b" \t")
        if text not in f["levels"]:
            if bare in f["levels"]:
                text = bare
            elif cell in MISSING:
                return CROSS
        return text.replace(CROSS, CROSS + CROSS)

    def cells(self, row):
        """The cells of the features of a row, which tables hold or which are made of others."""
        for f in self.features:
            if "crossed" in f:
                yield (b" " + CROSS + b" ").join(self.crossed_text(name, row) for name in f["crossed"]).decode()
            else:
                yield row[f["name"]]

    def codes(self, cells):
        """Codes of a row, None where a value is missing, or a level unknown that goes with those."""
        codes = []
        for f, cell in zip(self.features, cells):
            if f["kind"] == "category":
                # A level goes before a word for missing.
                name = level(cell, f)
                bare = name and name.strip(b" \t")
                marked = cell not in MISSING and any(mark_of(n, len(f["marks"])) in f["marks"] for n in (name, bare))
                if name not in f["of"] and bare in f["of"]:
                    name = bare
                codes.append(f["of"].get(name, f["codes"] - 1 if marked else None))
                continue
            value = number(cell)
            codes.append(None if value is None else next((i for i, c in enumerate(f["cuts"]) if value <= c), len(f["cuts"])))
        return codes

    def raw(self, cells, start):
        """The raw scores of a row that has these cells of features and these init scores."""
        codes = self.codes(cells)
        scores = list(self.about["base_score"])
        for i, cell in enumerate(start):
            scores[i] += float(cell)
        for i, t in enumerate(self.trees):
            node = 0 if t["feature"] else ~0
            while node >= 0:
                feature, split = t["feature"][node], t["code"][node]
                code = codes[feature]
                if code is None:
                    left = t["missing_left"][node]
                elif self.features[feature]["by_sets"]:
                    left = code in t["chosen"][split]
                else:
                    left = code <= split
                node = t["left" if left else "right"][node]
            scores[i % self.outputs] += t["leaf"][~node]
        return scores


CROSS = "×".encode()
MISSING = {"", "NA", "NaN", "nan", "null", "None", "?", "N/A"}


def number(cell):
    return None if cell in MISSING else float(cell)


def shortest(value):
    """The shortest decimal, with an exponent below 1e-6 and from 1e21 on."""
    text = repr(value)
    if 1e-6 <= abs(value) < 1e21:
        text = format(Decimal(text), "f")
        return text[:-2] if text.endswith(".0") else text
    return "0" if value == 0 else text[:-2] if text.endswith(".0") else text


def mark_of(name, count):
    """The mark of a level among so many."""
    h = 0xCBF29CE484222325
    for b in name or b"":
        h = (h ^ b) * 0x100000001B3 & MASK
    h = (h ^ h >> 32) * A & MASK
    return h * (count << 12) >> 64


def level(cell, f):
    """The name of a cell's level."""
    if f["numeric_levels"]:
        if cell in MISSING:
            return None
        return shortest(float(cell)).encode()
    return cell.encode()


def read_model(path):
    with open(path, "rb") as f:
        return Model(f.read())


def scores(model, table):
    """The raw scores of each row."""
    with open(table, encoding="utf-8", newline="") as f:
        rows = csv.reader(f)
        header = next(rows)
        starts = [c["name"] for c in model.columns if c["role"] == "init_score"]
        for cells in rows:
            row = dict(zip(header, cells))
            yield model.raw(model.cells(row), [row[name] for name in starts])


def differences(model, table, kept, text):
    """What is not as boost has it: in a file of raw scores, and in the model as JSON."""
    with open(kept, encoding="utf-8", newline="") as f:
        rows = list(csv.reader(f))[1:]
    count = 0
    for i, mine in enumerate(scores(model, table)):
        count += 1
        if i >= len(rows) or mine != [float(x) for x in rows[i]]:
            yield f"row {i}: {mine}, and {rows[i:i + 1]} by boost"
            break
    if count != len(rows):
        yield f"{count} rows, and {len(rows)} by boost"
    with open(text, encoding="utf-8") as f:
        other = json.load(f)
    for key, value in model.about.items():
        theirs = {k: other[key].get(k) for k in value} if key == "compression" else other.get(key)
        if theirs != value:
            yield f"{key}: {value}, and {theirs} by boost"
    for i, (f, theirs) in enumerate(zip(model.features, other["features"])):
        mine = {"cuts": f["cuts"]} if "cuts" in f else {"codes": [c if c != 2**32 - 1 else None for c in f["code"]], "regular": f["codes"]}
        if f.get("unnamed"):
            mine["unnamed"] = True
        if f.get("marks"):
            mine["marks"] = f["marks"]
        mine |= {"name": f["name"], "missing": bool(f["missing"])}
        if mine != theirs:
            yield f"feature {i}: {mine}, and {theirs} by boost"
    levels = [[name(v) for v in c["levels"]] for c in model.columns if c["kind"] == "category"]
    if levels != other["levels"]:
        yield f"levels: {levels}, and {other['levels']} by boost"
    if len(model.trees) != len(other["trees"]):
        yield "another number of trees"
    for i, (t, theirs) in enumerate(zip(model.trees, other["trees"])):
        split = [t["sets"][c] if model.features[f]["by_sets"] else c for f, c in zip(t["feature"], t["code"])]
        mine = {"split": split, "missing_left": list(map(bool, t["missing_left"]))}
        for key in ("feature", "left", "right", "leaf", "cover", "leaf_cover", "gain"):
            if key in t:
                mine[key] = t[key]
        if mine != theirs:
            yield f"tree {i}: {mine}, and {theirs} by boost"


def name(level):
    try:
        return level.decode()
    except UnicodeDecodeError:
        return {"hex": level.hex()}


def main(arguments):
    if len(arguments) == 2:
        model = read_model(arguments[0])
        print(",".join(f"raw_{i}" for i in range(model.outputs)))
        for row in scores(model, arguments[1]):
            print(",".join(map(repr, row)))
        return 0
    same = True
    for at in range(0, len(arguments), 4):
        try:
            for what in differences(read_model(arguments[at]), *arguments[at + 1:at + 4]):
                print(f"{arguments[at]}: {what[:600]}", file=sys.stderr)
                same = False
        except Damaged as e:
            print(f"{arguments[at]}: damaged: {e}", file=sys.stderr)
            same = False
    return 0 if same else 1


if __name__ == "__main__":
    if len(sys.argv) != 3 and (len(sys.argv) < 5 or len(sys.argv) % 4 != 1):
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1:]))
