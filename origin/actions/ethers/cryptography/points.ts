/**
 * secp256k1 arithmetic with the behavior of the elliptic package, for inputs that libsecp256k1 rejects. Numbers above
 * the field's order are reduced, and uncompressed points are not checked to be on the curve. Use only for public
 * values, because this code is slow and not constant-time.
 */

/** Orders of the field (`P`) and of the group (`N`) of secp256k1 (SEC 2, 2.4.1). */
export const P = 0xfffffffffffffffffffffffffffffffffffffffffffffffffffffffefffffc2fn
export const N = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

/** Curve point in affine coordinates; undefined stands for the point at infinity. */
export type Point = { x: bigint; y: bigint } | undefined

const COORDINATE_BYTES = 32

export function bytesToBigInt(bytes: Uint8Array): bigint {
  return bytes.length === 0 ? 0n : BigInt(`0x${Buffer.from(bytes).toString('hex')}`)
}

/** Encodes a number as 32 bytes, big-endian. */
export function toBytes(value: bigint): Buffer {
  return Buffer.from(hexOf(value), 'hex')
}

export function modulo(value: bigint, order: bigint): bigint {
  const rest = value % order
  return rest < 0n ? rest + order : rest
}

/** Returns 0 if the value has no inverse. */
export function inverse(value: bigint, order: bigint): bigint {
  let [a, b, x, y] = [modulo(value, order), order, 1n, 0n]
  while (a > 1n) {
    const quotient = b / a
    ;[a, b, x, y] = [b - quotient * a, a, y - quotient * x, x]
  }
  return a === 0n ? 0n : modulo(x, order)
}

/**
 * Finds the curve point with the given x coordinate and parity of y.
 * @throws Error 'invalid point', like elliptic, if no such point exists
 */
export function lift(x: bigint, odd: boolean): NonNullable<Point> {
  const reduced = modulo(x, P)
  const square = modulo(reduced ** 3n + 7n, P)
  const root = power(square, (P + 1n) / 4n)
  if (modulo(root * root, P) !== square) throw new Error('invalid point')
  const isOdd = (root & 1n) === 1n
  return { x: reduced, y: isOdd === odd ? root : modulo(-root, P) }
}

/**
 * Decodes a point of 33 or 65 bytes. Does not check that a 65-byte point is on the curve.
 * @throws Error with the same messages as elliptic
 */
export function decode(bytes: Uint8Array): NonNullable<Point> {
  const [kind] = bytes
  const x = bytesToBigInt(bytes.subarray(1, 1 + COORDINATE_BYTES))
  if (bytes.length === 1 + 2 * COORDINATE_BYTES && (kind === 4 || kind === 6 || kind === 7)) {
    const y = bytesToBigInt(bytes.subarray(1 + COORDINATE_BYTES))
    if (kind !== 4 && Number(y & 1n) !== kind - 6) throw new Error('Assertion failed')
    return { x: modulo(x, P), y: modulo(y, P) }
  }
  if (bytes.length === 1 + COORDINATE_BYTES && (kind === 2 || kind === 3))
    return lift(x, kind === 3)
  throw new Error('Unknown point format')
}

/** Returns '' for the point at infinity. */
export function encode(point: Point, compressed: boolean): string {
  if (point === undefined) return ''
  if (!compressed) return `04${hexOf(point.x)}${hexOf(point.y)}`
  return ((point.y & 1n) === 1n ? '03' : '02') + hexOf(point.x)
}

export function isOnCurve({ x, y }: NonNullable<Point>): boolean {
  return modulo(y * y - x ** 3n - 7n, P) === 0n
}

export function add(a: Point, b: Point): Point {
  if (a === undefined) return b
  if (b === undefined) return a
  if (a.x === b.x && (a.y !== b.y || a.y === 0n)) return undefined
  const slope =
    a.x === b.x
      ? 3n * a.x * a.x * inverse(2n * a.y, P)
      : a.y === b.y
        ? 0n
        : (a.y - b.y) * inverse(a.x - b.x, P)
  const x = modulo(slope * slope - a.x - b.x, P)
  return { x, y: modulo(slope * (a.x - x) - a.y, P) }
}

function power(base: bigint, exponent: bigint): bigint {
  let [result, square] = [1n, base]
  for (let left = exponent; left > 0n; left >>= 1n) {
    if ((left & 1n) === 1n) result = modulo(result * square, P)
    square = modulo(square * square, P)
  }
  return result
}

function hexOf(value: bigint): string {
  return value.toString(16).padStart(2 * COORDINATE_BYTES, '0')
}
