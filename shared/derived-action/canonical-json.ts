/**
 * Canonical JSON, in which each value has exactly one text. Members are sorted by the UTF-16 code units of their names,
 * there is no whitespace, numbers are safe integers, and strings are written as by `JSON.stringify`. The format is RFC
 * 8785 without fractions.
 */
import { JSON_DEPTH_MAX, SOURCE_MAX_BYTES } from '../limits.ts'

/**
 * A value has no canonical form. The error message names the path and the kind of the value, but does not contain the
 * value.
 */
export class NotCanonical extends Error {
  /** Path of the invalid value, for example `manifest.a[2].b`. */
  readonly path: string
  constructor(path: string, reason: string) {
    super(`${path}: ${reason}`)
    this.name = 'NotCanonical'
    this.path = path
  }
}

type CanonicalOptions = {
  /**
   * Name of the root in the paths of error messages.
   * @default 'value'
   */
  name?: string
  /** Returns an error text for a forbidden member name, or `undefined`. */
  refuseKey?: (key: string) => string | undefined
}

/**
 * Serializes a value as canonical JSON.
 *
 * Negative zero is written as `0`, as in `JSON.stringify` and RFC 8785 (3.2.2.3): it equals 0, and not every language
 * has a negative zero integer. An object that is referenced several times is written once per reference. Texts longer
 * than `SOURCE_MAX_BYTES` characters are rejected, so that a few shared objects cannot expand without bound.
 * @throws {NotCanonical} for everything that JSON would omit, alter or fail to write: fractions, NaN, integers beyond
 *   2^53 - 1, bigints, `undefined`, functions, symbols, lone surrogates, cycles, sparse arrays, accessors,
 *   non-enumerable members, class instances, and values nested deeper than `JSON_DEPTH_MAX`
 */
export function canonicalJson(value: unknown, options: CanonicalOptions = {}): string {
  const writer = new Writer(options)
  writer.write(value)
  return writer.text
}

class Writer {
  text = ''
  readonly #options: CanonicalOptions
  /** Path of the value being written. `#open` contains the objects on the path, to detect cycles. */
  readonly #path: (string | number)[] = []
  readonly #ancestors = new Set<object>()

  constructor(options: CanonicalOptions) {
    this.#options = options
  }

  write(value: unknown): void {
    switch (typeof value) {
      case 'string':
        return this.#put(this.#quoted(value))
      case 'number':
        if (!Number.isSafeInteger(value)) throw this.#refused(unsafeNumberReason(value))
        return this.#put(JSON.stringify(value))
      case 'boolean':
        return this.#put(String(value))
      case 'object':
        return value === null ? this.#put('null') : this.#writeNested(value)
      case 'bigint':
      case 'function':
      case 'symbol':
      case 'undefined':
        throw this.#refused(`JSON cannot represent a value of type ${typeof value}`)
    }
  }

  #writeNested(value: object): void {
    if (this.#ancestors.has(value)) throw this.#refused('cyclic reference')
    if (this.#ancestors.size === JSON_DEPTH_MAX)
      throw this.#refused(`nested deeper than ${JSON_DEPTH_MAX} levels`)
    this.#ancestors.add(value)
    if (Array.isArray(value)) this.#writeItems(value)
    else this.#writeMembers(value)
    this.#ancestors.delete(value)
  }

  #writeItems(array: readonly unknown[]): void {
    if (Object.getPrototypeOf(array) !== Array.prototype)
      throw this.#refused('an instance of a class, or an array from another realm')
    const properties = Reflect.ownKeys(array).length
    const length = Number(Object.getOwnPropertyDescriptor(array, 'length')?.value)
    this.#put('[')
    // The loop stops at the first hole, because a sparse array can have a length of four billion.
    for (let index = 0; index < length; index++) {
      if (index > 0) this.#put(',')
      this.#path.push(index)
      this.write(this.#read(array, index, 'sparse array'))
      this.#path.pop()
    }
    if (properties !== length + 1) throw this.#refused('an array with additional properties')
    this.#put(']')
  }

  #writeMembers(object: object): void {
    const prototype: unknown = Object.getPrototypeOf(object)
    if (prototype !== null && prototype !== Object.prototype)
      throw this.#refused('an instance of a class, or an object from another realm')
    const keys = Reflect.ownKeys(object).map((key) => {
      if (typeof key === 'string') return key
      throw this.#refused('a member with a symbol key')
    })
    let separator = '{'
    // `toSorted` without a comparator sorts by UTF-16 code units on every machine.
    for (const key of keys.toSorted()) {
      this.#path.push(key)
      const refused = this.#options.refuseKey?.(key)
      if (refused !== undefined) throw this.#refused(refused)
      this.#put(`${separator}${this.#quoted(key)}:`)
      this.write(this.#read(object, key, 'a member that disappeared while being read'))
      this.#path.pop()
      separator = ','
    }
    this.#put(keys.length === 0 ? '{}' : '}')
  }

  /**
   * Reads a member once, through its descriptor, so that no getter runs and a proxy cannot return two different values.
   */
  #read(of: object, key: string | number, absent: string): unknown {
    const property = Object.getOwnPropertyDescriptor(of, key)
    if (!property) throw this.#refused(absent)
    if (!('value' in property))
      throw this.#refused('an accessor, which may return a different value each time')
    if (!property.enumerable) throw this.#refused('a member that is not enumerable')
    return property.value
  }

  #quoted(text: string): string {
    if (!text.isWellFormed()) throw this.#refused('a lone surrogate, which UTF-8 cannot encode')
    return JSON.stringify(text)
  }

  #put(text: string): void {
    this.text += text
    if (this.text.length > SOURCE_MAX_BYTES)
      throw this.#refused(`the JSON is longer than ${SOURCE_MAX_BYTES} characters at this point`)
  }

  #refused(reason: string): NotCanonical {
    const places = this.#path.map((step) => {
      if (typeof step === 'number') return `[${step}]`
      return /^[A-Za-z_$][\w$]*$/.test(step) ? `.${step}` : `[${JSON.stringify(step)}]`
    })
    return new NotCanonical(`${this.#options.name ?? 'value'}${places.join('')}`, reason)
  }
}

function unsafeNumberReason(value: number): string {
  if (!Number.isFinite(value)) return 'a number that is not finite'
  if (Number.isInteger(value))
    return 'an integer beyond 2^53 - 1, which parsers read differently; use a string'
  return 'a fraction, which serializers write differently; use a string or a smaller unit'
}
