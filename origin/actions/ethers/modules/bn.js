/* Replacement for bn.js. Implements the part that ethers' BigNumber uses, with BigInt. */
const mask = (width) => (1n << BigInt(width)) - 1n

/* Maximum size of a BigInt in the engine, in bits. */
const MAX_BITS = 2 ** 20

function assert(holds, message) {
  if (!holds) throw new Error(message || 'Assertion failed')
}

/* Converts the width of a shift or a mask to a BigInt. Like bn.js, accepts any non-negative number and truncates it. */
function widthOf(bits) {
  assert(typeof bits === 'number' && bits >= 0)
  return BigInt(Math.trunc(bits))
}

function parsed(text, base) {
  if (base === 16) return hexadecimal(text)
  if (base === 10) return BigInt(text)
  let value = 0n
  for (let i = 0; i < text.length; i++) {
    const digit = parseInt(text[i], base)
    assert(digit === digit, 'Invalid character')
    value = value * BigInt(base) + BigInt(digit)
  }
  return value
}

function hexadecimal(text) {
  try {
    return BigInt('0x' + (text || '0'))
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    // oxlint-disable-next-line preserve-caught-error -- bn.js throws this error without a cause
    throw new Error('Invalid character in ' + text)
  }
}

function wrap(value) {
  return new BN(value)
}

export class BN {
  constructor(value, base = 10) {
    if (typeof value === 'string') {
      const negative = value[0] === '-'
      const magnitude = parsed(negative ? value.substring(1) : value, base)
      this.value = negative ? -magnitude : magnitude
    } else {
      this.value = value
    }
  }
  add(other) {
    return wrap(this.value + other.value)
  }
  sub(other) {
    return wrap(this.value - other.value)
  }
  mul(other) {
    return wrap(this.value * other.value)
  }
  div(other) {
    assert(other.value !== 0n)
    return wrap(this.value / other.value)
  }
  umod(other) {
    assert(other.value !== 0n)
    const rest = this.value % other.value
    if (rest >= 0n) return wrap(rest)
    return wrap(other.value < 0n ? rest - other.value : rest + other.value)
  }
  pow(other) {
    return wrap(this.value ** other.value)
  }
  and(other) {
    return wrap(this.value & other.value)
  }
  or(other) {
    return wrap(this.value | other.value)
  }
  xor(other) {
    return wrap(this.value ^ other.value)
  }
  maskn(bits) {
    const width = widthOf(bits)
    return bits > MAX_BITS ? this : wrap(this.value & mask(width))
  }
  shln(bits) {
    return wrap(this.value << widthOf(bits))
  }
  shrn(bits) {
    return wrap(this.value >> widthOf(bits))
  }
  eq(other) {
    return this.value === other.value
  }
  lt(other) {
    return this.value < other.value
  }
  lte(other) {
    return this.value <= other.value
  }
  gt(other) {
    return this.value > other.value
  }
  gte(other) {
    return this.value >= other.value
  }
  isZero() {
    return this.value === 0n
  }
  isNeg() {
    return this.value < 0n
  }
  abs() {
    return this.value < 0n ? -this.value : this.value
  }
  /* Returns the value with all bits below `width` inverted and all others cleared. */
  notn(width) {
    assert(typeof width === 'number' && width >= 0)
    return ~this.abs() & mask(Math.ceil(width))
  }
  toTwos(width) {
    return this.value < 0n ? wrap(this.notn(width) + 1n) : this
  }
  fromTwos(width) {
    const sign = widthOf(width - 1)
    if (((this.abs() >> sign) & 1n) === 0n) return this
    const turned = this.notn(width)
    return wrap(-((this.value < 0n ? -turned : turned) + 1n))
  }
  toNumber() {
    const number = Number(this.value)
    assert(Number.isSafeInteger(number), 'Number can only safely store up to 53 bits')
    return number
  }
  toString(base) {
    return this.value.toString(base)
  }
}

BN.BN = BN
export default BN
