"""Writes and reads tensor segments and blocks of 4 bits, for tests of boost's package tensorq.

    python interop_segments.py FOLDER
    python interop_segments.py decode SEGMENT OUT
    python interop_segments.py q4_0 BLOCKS N OUT
    python interop_segments.py gguf_q4_0 BLOCKS N OUT

The first writes some tensors as files CASE.segment, CASE.q4_0 and CASE.gguf_q4_0: N, a 32-bit
number, N float32 values, the N values that they are decoded to, and the segment or blocks. The
others decode a file of one segment, of either version, or of the blocks of N values into float32
values. A case of segments is called
v<version>_bits<width>_block<values>_two<0 or 1>_len<values>_frames<count>.

Only the standard library is used. The formats are those of docs/format.md, written down
again from the requirements S3.17 to S3.40, S4.22 and S4.40: nothing here comes from the Go code.
"""

import math
import os
import random
import struct
import sys

HEADROOM = 26 / 256


def f32(x):
    return struct.unpack("<f", struct.pack("<f", x))[0]


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def half_away(x):
    return math.copysign(math.floor(abs(x) + 0.5), x)


def code_of(x, scale, qmax):
    if scale == 0:
        return 0
    return int(half_away(max(-qmax, min(qmax, x / scale))))


def pack(codes, bits):
    qmax = (1 << bits - 1) - 1
    number = sum(c + qmax << i * bits for i, c in enumerate(codes))
    return number.to_bytes((len(codes) * bits + 7) // 8, "little")


def unpack(data, count, bits):
    qmax = (1 << bits - 1) - 1
    number = int.from_bytes(data, "little")
    assert number >> count * bits == 0, "spare bits"
    codes = [number >> i * bits & (1 << bits) - 1 for i in range(count)]
    assert all(u < (1 << bits) - 1 for u in codes), "a code that is never written"
    return [u - qmax for u in codes]


def flags_to_bytes(flags):
    return sum(f << i for i, f in enumerate(flags)).to_bytes((len(flags) + 7) // 8, "little")


def flags_of(data, count):
    number = int.from_bytes(data, "little")
    assert number >> count == 0, "spare flags"
    return [number >> i & 1 for i in range(count)]


def encode_block(values, bits, two_level, threshold, fraction):
    """The bytes of a block, and whether it has two scales."""
    qmax, n = (1 << bits - 1) - 1, len(values)
    magnitudes = sorted(abs(x) for x in values)
    largest = magnitudes[-1]
    second = f32(largest / qmax)
    if bits == 3 and two_level and largest > threshold * magnitudes[(n - 1) // 2]:
        k = min(math.ceil(n * fraction), n - 1)
        first = f32(magnitudes[n - 1 - k] / qmax)
        flags, codes = [], []
        for x in values:
            a, b = code_of(x, first, qmax), code_of(x, second, qmax)
            flags.append(int(abs(x - b * second) < abs(x - a * first)))
            codes.append(b if flags[-1] else a)
        return struct.pack("<ff", first, second) + flags_to_bytes(flags) + pack(codes, bits), True
    codes = [code_of(x, second, qmax) for x in values]
    data = struct.pack(f"<{n}b", *codes) if bits == 8 else pack(codes, bits)
    return struct.pack("<f", second) + data, False


def encode_blocks(values, bits, size, two_level, threshold=5.0, fraction=0.05):
    blocks = [encode_block(values[i:i + size], bits, two_level, threshold, fraction)
              for i in range(0, len(values), size)]
    data = b"".join(b for b, _ in blocks)
    segment = b"TQTC" + struct.pack("<BBIII", 2, bits, size, len(values), len(blocks))
    segment += flags_to_bytes([int(two) for _, two in blocks]) + struct.pack("<I", len(data)) + data
    return segment + struct.pack("<I", crc32c(segment))


def half_up(x):
    """The bits of the smallest half-precision number that is not below x."""
    bits = struct.unpack("<H", struct.pack("<e", x))[0]
    return bits + 1 if struct.unpack("<e", struct.pack("<H", bits))[0] < x else bits


def encode_frames(frames, bits, size):
    qmax, length = (1 << bits - 1) - 1, len(frames[0])
    halves = [half_up(max(abs(x) for x in frames[0][i:i + size]) * (1 + HEADROOM) / qmax)
              for i in range(0, length, size)]
    scales = [struct.unpack("<e", struct.pack("<H", h))[0] for h in halves]
    data = b"".join(pack([code_of(x, scales[i // size], qmax) for i, x in enumerate(f)], bits) for f in frames)
    segment = b"TQTC" + struct.pack("<BBIIII", 1, bits, size, length, len(frames), len(halves))
    return segment + struct.pack(f"<{len(halves)}H", *halves) + struct.pack("<I", len(data)) + data


def decode(segment):
    """The values of a segment of either version."""
    assert segment[:4] == b"TQTC", "no segment"
    version, bits, size, length = struct.unpack("<BBII", segment[4:14])
    assert version in (1, 2), "unknown version"
    count = -(-length // size)
    if version == 1:
        frames, scale_count = struct.unpack("<II", segment[14:22])
        assert scale_count == count and size % 8 == 0
        scales = struct.unpack(f"<{count}e", segment[22:22 + 2 * count])
        assert all(0 <= s < math.inf for s in scales)
        at, per_frame = 26 + 2 * count, (length * bits + 7) // 8
        assert struct.unpack("<I", segment[at - 4:at])[0] == frames * per_frame == len(segment) - at
        return [f32(c * scales[i // size]) for f in range(frames)
                for i, c in enumerate(unpack(segment[at + f * per_frame:at + (f + 1) * per_frame], length, bits))]
    assert struct.unpack("<I", segment[14:18])[0] == count
    assert crc32c(segment[:-4]) == struct.unpack("<I", segment[-4:])[0], "checksum"
    at = 18 + (count + 7) // 8
    modes = flags_of(segment[18:at], count)
    assert struct.unpack("<I", segment[at:at + 4])[0] == len(segment) - at - 8
    at += 4
    values = []
    for b, two in enumerate(modes):
        n = min(size, length - b * size)
        scales = struct.unpack("<ff" if two else "<f", segment[at:at + 4 + 4 * two])
        assert all(0 <= s < math.inf for s in scales)
        at += 4 + 4 * two
        flags = [0] * n
        if two:
            flags = flags_of(segment[at:at + (n + 7) // 8], n)
            at += (n + 7) // 8
        width = (n * bits + 7) // 8
        part = segment[at:at + width]
        codes = struct.unpack(f"<{n}b", part) if bits == 8 else unpack(part, n, bits)
        at += width
        values += [f32(c * scales[f]) for c, f in zip(codes, flags)]
    assert at == len(segment) - 4
    return values


def padded(values):
    """The values in runs of 32, the last filled up with zeros."""
    return [list(values[i:i + 32]) + [0.0] * (i + 32 - len(values)) for i in range(0, len(values), 32)]


def encode_q4_0(values):
    data = b""
    for block in padded(values):
        scale = f32(max(abs(x) for x in block) / 7)
        codes = [int(max(-8, min(7, half_away(x / scale)))) if scale else 0 for x in block]
        data += struct.pack("<f", scale) + bytes(a & 15 | (b & 15) << 4 for a, b in zip(codes[::2], codes[1::2]))
    return data


def decode_q4_0(data, count):
    assert len(data) == -(-count // 32) * 20, "wrong number of blocks"
    values = []
    for at in range(0, len(data), 20):
        scale = struct.unpack("<f", data[at:at + 4])[0]
        assert scale >= 0 and math.copysign(1, scale) > 0 and scale < math.inf, "scale"
        codes = [nibble for byte in data[at + 4:at + 20] for nibble in (byte & 15, byte >> 4)]
        values += [f32((c - 16 if c > 7 else c) * scale) for c in codes]
        assert not any(codes[max(count - at // 20 * 32, 0):]), "codes beyond the last value"
    return values[:count]


def encode_gguf_q4_0(values):
    data = b""
    for block in padded(values):
        scale = max(block, key=abs) / -8 if any(block) else -0.0  # max takes the first of several
        scale = f32(scale)
        times = f32(1 / scale) if abs(scale) > 2.0 ** -128 else 0.0
        codes = [min(15, int(f32(f32(x * times) + 8.5))) for x in block]
        data += struct.pack("<e", scale) + bytes(a | b << 4 for a, b in zip(codes[:16], codes[16:]))
    return data


def decode_gguf_q4_0(data, count):
    assert len(data) == -(-count // 32) * 18, "wrong number of blocks"
    values = []
    for at in range(0, len(data), 18):
        scale = struct.unpack("<e", data[at:at + 2])[0]
        assert abs(scale) < math.inf, "scale"
        codes = [byte & 15 for byte in data[at + 2:at + 18]] + [byte >> 4 for byte in data[at + 2:at + 18]]
        values += [(c - 8.0) * scale for c in codes]
    return values[:count]


def floats_to_bytes(values):
    return struct.pack(f"<{len(values)}f", *values)


def save(folder, name, values, decoded, data):
    with open(os.path.join(folder, name), "wb") as f:
        f.write(struct.pack("<I", len(values)) + floats_to_bytes(values) + floats_to_bytes(decoded) + data)


def save_segment(folder, name, values, segment):
    save(folder, name + ".segment", values, decode(segment), segment)


def save_blocks(folder, name, values):
    data = encode_q4_0(values)
    save(folder, name + ".q4_0", values, decode_q4_0(data, len(values)), data)
    data = encode_gguf_q4_0(values)
    save(folder, name + ".gguf_q4_0", values, decode_gguf_q4_0(data, len(values)), data)


def main(folder):
    os.makedirs(folder, exist_ok=True)
    # Student's t with 2 degrees of freedom, scaled by powers of two so that scales differ.
    def tensor(n, seed):
        r = random.Random(seed)
        return [f32(r.gauss(0, 1) / math.sqrt(r.expovariate(1)) * 2.0 ** (i // 50 % 5 - 2)) for i in range(n)]

    for bits in (8, 7, 5, 3):
        for size, length in ((64, 200), (128, 129), (1, 5), (64, 0)):
            save_segment(folder, f"v2_bits{bits}_block{size}_two0_len{length}_frames1", tensor(length, bits),
                 encode_blocks(tensor(length, bits), bits, size, False))
        for size, length, frames in ((64, 150, 4), (8, 13, 3)):
            # Each frame lies 1 % above the one before, which the headroom allows.
            values = [[f32(x * (1 + 0.01 * k)) for x in tensor(length, bits)] for k in range(frames)]
            save_segment(folder, f"v1_bits{bits}_block{size}_two0_len{length}_frames{frames}", sum(values, []),
                 encode_frames(values, bits, size))
    for size, length in ((64, 300), (9, 77)):
        save_segment(folder, f"v2_bits3_block{size}_two1_len{length}_frames1", tensor(length, size),
             encode_blocks(tensor(length, size), 3, size, True))
    for length in (0, 1, 31, 32, 33, 500):
        save_blocks(folder, f"len{length}", tensor(length, length))
    # Halves of the scale 3 and numbers next to them, in a block each with 21, its largest value.
    halves = [f32(s * (k + 0.5) * 3 * (1 + e * 2.0 ** -22)) for k in range(7) for s in (1, -1) for e in (-1, 0, 1)]
    save_blocks(folder, "halves", [x for i in range(0, len(halves), 14) for x in [21.0] + halves[i:i + 14] + [0.0] * 17])


if __name__ == "__main__":
    readers = {"q4_0": decode_q4_0, "gguf_q4_0": decode_gguf_q4_0}
    if len(sys.argv) == 4 and sys.argv[1] == "decode" or len(sys.argv) == 5 and sys.argv[1] in readers:
        with open(sys.argv[2], "rb") as f:
            read = f.read()
        decoded = decode(read) if len(sys.argv) == 4 else readers[sys.argv[1]](read, int(sys.argv[3]))
        with open(sys.argv[-1], "wb") as f:
            f.write(floats_to_bytes(decoded))
    elif len(sys.argv) == 2:
        main(sys.argv[1])
    else:
        sys.exit(__doc__)
