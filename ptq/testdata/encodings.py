"""Writes encodings.json, what the tests of ptq compare codes with, from NumPy and ml_dtypes.

    pip install ml_dtypes==0.6.0 numpy==2.4.6
    python encodings.py > encodings.json

For each floating-point type of at most 16 bits:

decode   sha256 of the values of all codes, as float64 (little-endian), NaN and infinities
         as the bits 7ff8000000000000.
encode   sha256 of the codes (little-endian) of numbers around every value and every middle
         between two neighbours: for each magnitude but the largest, with the next above
         it, low, the float64 after low, the one before the middle, the middle, the one
         after it, the one before high; then the largest; then the negatives of all that.

For each integer type of at most 16 bits, whose codes are made by rounding halves away from
zero and clamping:

codes    sha256 of the codes, as int64, of numbers around every code and beyond: for each
         whole number from two below the smallest code to two above the largest, the
         float64 before its upper middle, the middle, the float64 after, the number itself.
packed   sha256 of the bytes of 0, 1, … 65 codes, one after the other, first code in the
         high bits; code i of a run is the one numbered (7i² + 3i) modulo the number of
         codes, counted from the smallest.

ml_dtypes turns float64 into its types by way of float32, which rounds twice. What it is
given is therefore first rounded to float32 to odd, which keeps the second rounding right.
"""

import hashlib
import json

import ml_dtypes
import numpy as np

FLOATS = {
    "F16": (np.float16, 16),
    "BF16": (ml_dtypes.bfloat16, 16),
    "FP8E4M3": (ml_dtypes.float8_e4m3fn, 8),
    "FP8E5M2": (ml_dtypes.float8_e5m2, 8),
    "FP4": (ml_dtypes.float4_e2m1fn, 4),
}

# Smallest and largest code, bits, and the type that packs it.
INTEGERS = {
    "I16": (-(2**15), 2**15 - 1, 16),
    "U16": (0, 2**16 - 1, 16),
    "I8": (-128, 127, 8),
    "U8": (0, 255, 8),
    "I4": (-8, 7, 4),
    "U4": (0, 15, 4),
    "I2": (-2, 1, 2),
    "U2": (0, 3, 2),
    "Ternary": (-1, 1, 2),
}


def sha(array):
    return hashlib.sha256(array.tobytes()).hexdigest()


def to_odd(x):
    """float64 to float32, towards zero, with the last bit set where that was inexact."""
    f = x.astype(np.float32)
    above = np.abs(f.astype(np.float64)) > np.abs(x)
    f = np.where(above, np.nextafter(f, np.float32(0)), f)
    bits = f.view(np.uint32)
    return np.where(f.astype(np.float64) != x, bits | 1, bits).astype(np.uint32).view(np.float32)


def unsigned(bits):
    return np.uint16 if bits == 16 else np.uint8


def floats(dtype, bits):
    codes = np.arange(2**bits, dtype=unsigned(bits))
    with np.errstate(invalid="ignore"):
        values = codes.view(dtype).astype(np.float64)
    finite = np.isfinite(values)
    table = np.where(finite, values, 0).view(np.uint64)
    table = np.where(finite, table, np.uint64(0x7FF8000000000000))

    magnitudes = values[: 2 ** (bits - 1)]
    magnitudes = magnitudes[np.isfinite(magnitudes)]
    low, high = magnitudes[:-1], magnitudes[1:]
    assert (low < high).all()
    middle = (low + high) / 2
    cases = np.stack(
        [
            low,
            np.nextafter(low, high),
            np.nextafter(middle, low),
            middle,
            np.nextafter(middle, high),
            np.nextafter(high, low),
        ],
        axis=1,
    ).ravel()
    cases = np.append(cases, magnitudes[-1])
    cases = np.append(cases, -cases)
    if dtype is np.float16:
        encoded = cases.astype(dtype)
    else:
        encoded = to_odd(cases).astype(dtype)
    return {"decode": sha(table), "encode": sha(encoded.view(unsigned(bits)))}


def integers(low, high, bits):
    whole = np.arange(low - 2, high + 3, dtype=np.float64)
    middle = whole + 0.5
    cases = np.stack(
        [np.nextafter(middle, -np.inf), middle, np.nextafter(middle, np.inf), whole], axis=1
    ).ravel()
    # Halves away from zero: exact, since the middles are.
    down = np.floor(np.abs(cases))
    rounded = np.sign(cases) * (down + (np.abs(cases) - down >= 0.5))
    codes = np.clip(rounded, low, high).astype(np.int64)
    return {"codes": sha(codes), "packed": packed(low, high, bits)}


def packed(low, high, bits):
    digest = hashlib.sha256()
    for n in range(66):
        i = np.arange(n, dtype=np.int64)
        codes = low + (7 * i * i + 3 * i) % (high - low + 1)
        if bits == 16:
            digest.update(codes.astype("<i2" if low < 0 else "<u2").tobytes())
            continue
        # The last bits of a byte in two's complement, highest first.
        each = np.unpackbits(codes.astype(np.int64).astype(np.uint8)[:, None], axis=1)[:, 8 - bits :]
        digest.update(np.packbits(each.ravel()).tobytes())
    return digest.hexdigest()


def binary():
    digest = hashlib.sha256()
    for n in range(66):
        i = np.arange(n, dtype=np.int64)
        digest.update(np.packbits(((7 * i * i + 3 * i) % 2).astype(np.uint8)).tobytes())
    return {"packed": digest.hexdigest()}


def check_four_bits():
    """ml_dtypes' own integers of 4 and 2 bits agree with two's complement."""
    for name in ["int4", "uint4", "int2", "uint2"]:
        low, high, bits = INTEGERS[{"i": "I", "u": "U"}[name[0]] + name[-1]]
        codes = np.arange(low, high + 1)
        raw = codes.astype(getattr(ml_dtypes, name)).view(np.uint8) & (2**bits - 1)
        assert (raw == codes.astype(np.uint8) & (2**bits - 1)).all(), name


def main():
    check_four_bits()
    golden = {name: floats(*of) for name, of in FLOATS.items()}
    golden["FP4"]["packed"] = packed(0, 15, 4)
    golden.update({name: integers(*of) for name, of in INTEGERS.items()})
    golden["Binary"] = binary()
    print(json.dumps(golden, indent=1))


main()
