export const { TextEncoder, TextDecoder } = globalThis

export function promisify(callable) {
  return function (...args) {
    return new Promise((resolve, reject) => {
      callable.call(this, ...args, (error, value) => (error ? reject(error) : resolve(value)))
    })
  }
}

export function inherits(constructor, parent) {
  constructor.super_ = parent
  Object.setPrototypeOf(constructor.prototype, parent.prototype)
}

export const deprecate = (callable) => callable

/* Packages use it for messages. Strings, errors and functions are not JSON. */
export function inspect(value) {
  if (typeof value === 'string') return `'${value}'`
  if (value instanceof Error) return value.stack || String(value)
  if (typeof value !== 'object' || value === null) return String(value)
  try {
    return JSON.stringify(value, (_key, item) => (typeof item === 'bigint' ? `${item}n` : item))
  } catch {
    return Object.prototype.toString.call(value)
  }
}

const shown = (value) => (typeof value === 'string' ? value : inspect(value))

const FORMATS = {
  s: String,
  d: Number,
  i: Number.parseInt,
  f: Number.parseFloat,
  j: JSON.stringify,
  o: inspect,
  O: inspect,
}

export function format(first, ...rest) {
  const values = [...rest]
  if (typeof first !== 'string') return [first, ...values].map(shown).join(' ')
  const text = first.replace(/%([sdifjoO%])/g, (found, letter) => {
    if (letter === '%') return '%'
    return values.length === 0 ? found : String(FORMATS[letter](values.shift()))
  })
  return [text, ...values.map(shown)].join(' ')
}

const isA = (name) => (value) => Object.prototype.toString.call(value) === `[object ${name}]`

export const types = {
  isDate: isA('Date'),
  isMap: isA('Map'),
  isPromise: isA('Promise'),
  isRegExp: isA('RegExp'),
  isSet: isA('Set'),
  isTypedArray: (value) => ArrayBuffer.isView(value) && !(value instanceof DataView),
  isUint8Array: (value) => value instanceof Uint8Array,
}

export default {
  TextDecoder,
  TextEncoder,
  deprecate,
  format,
  inherits,
  inspect,
  promisify,
  types,
}
