import { type MustStop, requireTimeLeft } from './digests.ts'

/** Number of 32-bit words in a Salsa20 block. */
const WORDS = 16

/** Number of Salsa20 blocks computed between two clock checks; about 1 ms. */
const BLOCKS_PER_CHECK = 8_192

/**
 * Computes scryptROMix (RFC 7914, 5) in place.
 * @param lane 32 r words, little-endian
 * @param N a power of two
 * @param table scratch space, N times as large as the lane; its previous contents do not matter
 * @throws Error if the run is out of time
 */
export function mixLane(lane: Int32Array, N: number, table: Int32Array, mustStop: MustStop): void {
  const width = lane.length
  const mixesPerCheck = Math.max(1, Math.floor((BLOCKS_PER_CHECK * WORDS) / width))
  let from: Int32Array = lane
  let to: Int32Array = new Int32Array(width)
  for (let step = 0; step < 2 * N; step++) {
    if (step % mixesPerCheck === 0) requireTimeLeft(mustStop)
    if (step < N) table.set(from, step * width)
    else {
      const row = (((from[width - WORDS] ?? 0) & (N - 1)) >>> 0) * width
      for (let at = 0; at < width; at++)
        from[at] = (from[at] as number) ^ (table[row + at] as number)
    }
    mixBlocks(from, to)
    ;[from, to] = [to, from]
  }
  // The buffers are swapped an even number of times, so the result is in `lane`.
}

/**
 * Computes scryptBlockMix (RFC 7914, 4). Even blocks go to the first half of `to`, and odd blocks to the second half.
 */
function mixBlocks(from: Int32Array, to: Int32Array): void {
  const half = from.length / 2
  let last = from.length - WORDS
  let lastIn = from
  for (let at = 0; at < from.length; at += WORDS) {
    const index = at / WORDS
    const target = (index >> 1) * WORDS + (index & 1) * half
    salsa(lastIn, last, from, at, to, target)
    lastIn = to
    last = target
  }
}

const rotateLeft = (value: number, by: number): number => (value << by) | (value >>> (32 - by))

/**
 * Computes Salsa20/8 of the XOR of two blocks (RFC 7914, 3). Uses local variables, because an array would take twice as
 * long.
 */
// prettier-ignore
function salsa(a: Int32Array, i: number, b: Int32Array, j: number, to: Int32Array, k: number): void {
  const s0 = (a[i + 0] as number) ^ (b[j + 0] as number); const s1 = (a[i + 1] as number) ^ (b[j + 1] as number)
  const s2 = (a[i + 2] as number) ^ (b[j + 2] as number); const s3 = (a[i + 3] as number) ^ (b[j + 3] as number)
  const s4 = (a[i + 4] as number) ^ (b[j + 4] as number); const s5 = (a[i + 5] as number) ^ (b[j + 5] as number)
  const s6 = (a[i + 6] as number) ^ (b[j + 6] as number); const s7 = (a[i + 7] as number) ^ (b[j + 7] as number)
  const s8 = (a[i + 8] as number) ^ (b[j + 8] as number); const s9 = (a[i + 9] as number) ^ (b[j + 9] as number)
  const s10 = (a[i + 10] as number) ^ (b[j + 10] as number); const s11 = (a[i + 11] as number) ^ (b[j + 11] as number)
  const s12 = (a[i + 12] as number) ^ (b[j + 12] as number); const s13 = (a[i + 13] as number) ^ (b[j + 13] as number)
  const s14 = (a[i + 14] as number) ^ (b[j + 14] as number); const s15 = (a[i + 15] as number) ^ (b[j + 15] as number)
  let x0 = s0, x1 = s1, x2 = s2, x3 = s3, x4 = s4, x5 = s5, x6 = s6, x7 = s7
  let x8 = s8, x9 = s9, x10 = s10, x11 = s11, x12 = s12, x13 = s13, x14 = s14, x15 = s15
  for (let round = 0; round < 8; round += 2) {
    x4 ^= rotateLeft((x0 + x12) | 0, 7); x8 ^= rotateLeft((x4 + x0) | 0, 9)
    x12 ^= rotateLeft((x8 + x4) | 0, 13); x0 ^= rotateLeft((x12 + x8) | 0, 18)
    x9 ^= rotateLeft((x5 + x1) | 0, 7); x13 ^= rotateLeft((x9 + x5) | 0, 9)
    x1 ^= rotateLeft((x13 + x9) | 0, 13); x5 ^= rotateLeft((x1 + x13) | 0, 18)
    x14 ^= rotateLeft((x10 + x6) | 0, 7); x2 ^= rotateLeft((x14 + x10) | 0, 9)
    x6 ^= rotateLeft((x2 + x14) | 0, 13); x10 ^= rotateLeft((x6 + x2) | 0, 18)
    x3 ^= rotateLeft((x15 + x11) | 0, 7); x7 ^= rotateLeft((x3 + x15) | 0, 9)
    x11 ^= rotateLeft((x7 + x3) | 0, 13); x15 ^= rotateLeft((x11 + x7) | 0, 18)
    x1 ^= rotateLeft((x0 + x3) | 0, 7); x2 ^= rotateLeft((x1 + x0) | 0, 9)
    x3 ^= rotateLeft((x2 + x1) | 0, 13); x0 ^= rotateLeft((x3 + x2) | 0, 18)
    x6 ^= rotateLeft((x5 + x4) | 0, 7); x7 ^= rotateLeft((x6 + x5) | 0, 9)
    x4 ^= rotateLeft((x7 + x6) | 0, 13); x5 ^= rotateLeft((x4 + x7) | 0, 18)
    x11 ^= rotateLeft((x10 + x9) | 0, 7); x8 ^= rotateLeft((x11 + x10) | 0, 9)
    x9 ^= rotateLeft((x8 + x11) | 0, 13); x10 ^= rotateLeft((x9 + x8) | 0, 18)
    x12 ^= rotateLeft((x15 + x14) | 0, 7); x13 ^= rotateLeft((x12 + x15) | 0, 9)
    x14 ^= rotateLeft((x13 + x12) | 0, 13); x15 ^= rotateLeft((x14 + x13) | 0, 18)
  }
  to[k] = x0 + s0; to[k + 1] = x1 + s1; to[k + 2] = x2 + s2; to[k + 3] = x3 + s3
  to[k + 4] = x4 + s4; to[k + 5] = x5 + s5; to[k + 6] = x6 + s6; to[k + 7] = x7 + s7
  to[k + 8] = x8 + s8; to[k + 9] = x9 + s9; to[k + 10] = x10 + s10; to[k + 11] = x11 + s11
  to[k + 12] = x12 + s12; to[k + 13] = x13 + s13; to[k + 14] = x14 + s14; to[k + 15] = x15 + s15
}
