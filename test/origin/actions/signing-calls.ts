/** Random input for signing operations, in all forms that ethers v5 accepts. */

type Random = () => number

/** Input of a signing operation. Values that JSON cannot represent are objects that `REVIVE` converts. */
export type SigningCall = {
  name: 'signMessage' | 'signTypedData' | 'signTransaction' | 'signDigest'
  given: Record<string, unknown>
}

/** Source of a function that converts the input within an action. */
export const REVIVE = `
  const revive = (value) => {
    if (typeof value !== 'object' || value === null) return value
    if (Array.isArray(value)) return value.map(revive)
    if ('$bigint' in value) return BigInt(value.$bigint)
    if ('$number' in value) return ethers.BigNumber.from(value.$number)
    if ('$bytes' in value) return ethers.utils.arrayify(value.$bytes)
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, revive(inner)]))
  }`

export function signingCalls(random: Random, count: number): SigningCall[] {
  const draw = new Draw(random)
  return Array.from({ length: count }, () =>
    draw.oneOf<() => SigningCall>([
      () => ({ name: 'signMessage', given: { message: draw.message() } }),
      () => ({ name: 'signTypedData', given: draw.typedData() }),
      () => ({ name: 'signTypedData', given: draw.typedData() }),
      () => ({ name: 'signTransaction', given: { transaction: draw.transaction() } }),
      () => ({ name: 'signTransaction', given: { transaction: draw.transaction() } }),
      () => ({ name: 'signDigest', given: { digest: draw.bytes(32) } }),
    ])(),
  )
}

type Field = { name: string; type: string }

class Draw {
  readonly #random: Random
  #names = 0

  constructor(random: Random) {
    this.#random = random
  }

  below(end: number): number {
    return Math.floor(this.#random() * end)
  }

  oneOf<T>(values: readonly T[]): T {
    return values[this.below(values.length)] as T
  }

  hex(bytes: number): string {
    return `0x${Array.from({ length: bytes }, () => this.below(256).toString(16).padStart(2, '0')).join('')}`
  }

  bytes(length: number): unknown {
    const hex = this.hex(length)
    return this.oneOf([hex, hex.toUpperCase().replace('0X', '0x'), { $bytes: hex }])
  }

  message(): unknown {
    const text = this.oneOf(['', 'hello', '0x1234', 'grüße 😀', '\0\u2028', 'a'.repeat(200)])
    return this.oneOf([text, { $bytes: this.hex(this.below(300)) }, [0, 255, this.below(256)]])
  }

  /** Returns a quantity in one of the forms that BigNumber.from accepts. */
  integer(bits: number, { signed = false, decimal = true } = {}): unknown {
    const limit = 1n << BigInt(signed ? bits - 1 : bits)
    const magnitude =
      BigInt(this.hex(32)) % this.oneOf([limit, limit, 1n << 40n < limit ? 1n << 40n : limit])
    const value = signed && this.below(2) === 0 ? -magnitude : magnitude
    const sign = value < 0n ? '-' : ''
    const hex = `${sign}0x${evenHex(magnitude)}`
    const forms: unknown[] = [{ $bigint: String(value) }, { $number: String(value) }, hex]
    if (decimal) forms.push(String(value))
    if (BigInt(Number(value)) === value && Number.isSafeInteger(Number(value)))
      forms.push(Number(value))
    return this.oneOf(forms)
  }

  address(): string {
    return this.oneOf([this.hex(20), '0x000000000000000000000000000000000000dEaD'])
  }

  typedData(): Record<string, unknown> {
    const types: Record<string, Field[]> = {}
    const type = this.#struct(types, 0)
    return { domain: this.#domain(), types, value: this.#value(types, type) }
  }

  #domain(): Record<string, unknown> {
    const all = {
      name: 'grüße',
      version: '1',
      chainId: this.integer(40),
      verifyingContract: this.address(),
      salt: this.bytes(32),
    }
    return Object.fromEntries(Object.entries(all).filter(() => this.below(3) > 0))
  }

  /** Adds a struct type, and the types to which it refers. Returns its name. */
  #struct(types: Record<string, Field[]>, depth: number): string {
    const name = `${this.oneOf(['Order', 'a', '$_'])}${++this.#names}`
    types[name] = Array.from({ length: 1 + this.below(4) }, (_, at) => ({
      name: `f${at}`,
      type: this.#type(types, depth),
    }))
    return name
  }

  #type(types: Record<string, Field[]>, depth: number): string {
    const isStruct = depth < 3 && this.below(4) === 0
    const base = isStruct ? this.#struct(types, depth + 1) : this.#atomic()
    return base + this.oneOf(['', '', '', '[]', '[2]', '[][]', '[1][]'])
  }

  #atomic(): string {
    const bits = 8 * (1 + this.below(32))
    const fixed = `bytes${1 + this.below(32)}`
    return this.oneOf(['address', 'bool', 'string', 'bytes', fixed, `uint${bits}`, `int${bits}`])
  }

  #value(types: Record<string, Field[]>, type: string): unknown {
    const [, items, length] = /^(.*)\[([0-9]*)\]$/.exec(type) ?? []
    if (items !== undefined)
      return Array.from({ length: length ? Number(length) : this.below(3) }, () =>
        this.#value(types, items),
      )
    const fields = types[type]
    if (fields !== undefined)
      return Object.fromEntries(fields.map((field) => [field.name, this.#value(types, field.type)]))
    const [, kind = '', size = ''] = /^([a-z]+)([0-9]*)$/.exec(type) ?? []
    switch (kind) {
      case 'address':
        return this.address()
      case 'bool':
        return this.below(2) === 0
      case 'string':
        return this.oneOf(['', 'x', 'grüße 😀', '{"__proto__":1}', 'y'.repeat(150)])
      case 'bytes':
        return this.bytes(size === '' ? this.below(100) : Number(size))
      default:
        return this.integer(Number(size), { signed: kind === 'int' })
    }
  }

  transaction(): Record<string, unknown> {
    const type = this.oneOf([undefined, 0, 1, 2])
    const isLegacy = type === undefined || type === 0
    // For a legacy transaction, ethers v5 accepts no decimal strings, and only a number as chain ID.
    const amount = (bits: number) => this.integer(bits, { decimal: !isLegacy })
    const all: Record<string, unknown> = {
      chainId: this.oneOf([1, 5, 11155111]),
      nonce: amount(32),
      gasLimit: amount(40),
      to: this.oneOf([this.address(), null]),
      value: amount(256),
      data: this.bytes(this.below(200)),
    }
    if (type === 2) {
      const fee = BigInt(this.hex(5))
      all.maxFeePerGas = this.oneOf<unknown>([`0x${evenHex(fee)}`, { $number: String(fee) }])
      all.maxPriorityFeePerGas = String(fee / 2n)
    } else all.gasPrice = amount(60)
    if (!isLegacy) all.accessList = this.#accessList()
    const kept = Object.entries(all).filter(
      ([name]) => name === 'maxFeePerGas' || this.below(5) > 0,
    )
    return { ...(type === undefined ? {} : { type }), ...Object.fromEntries(kept) }
  }

  #accessList(): unknown[] {
    return Array.from({ length: this.below(3) }, () => {
      const address = this.address()
      const storageKeys = Array.from({ length: this.below(3) }, () => this.hex(32))
      return this.oneOf<unknown>([{ address, storageKeys }, [address, storageKeys]])
    })
  }
}

function evenHex(value: bigint): string {
  const hex = value.toString(16)
  return hex.length % 2 === 0 ? hex : `0${hex}`
}
