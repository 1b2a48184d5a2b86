/* console for actions. Formats the values as text, which the host stores and limits. */
export default function consoleFor(host, base, { errors }) {
  const { String, slice, stringify, define, freeze, Error } = base
  let full = false

  const isError = (value) => {
    try {
      return value instanceof Error
    } catch {
      return false
    }
  }

  const errorText = (value) => {
    const { name, message, frames } = errors.describe(value)
    return name + ': ' + message + (frames ? '\n' + frames : '')
  }

  const objectText = (value) => {
    const seen = []
    const show = function (_key, item) {
      if (typeof item === 'bigint') return String(item) + 'n'
      if (typeof item === 'function') return '[function]'
      if (typeof item === 'symbol') return String(item)
      if (typeof item !== 'object' || item === null) return item
      while (seen.length > 0 && seen[seen.length - 1] !== this) seen.length--
      for (let at = 0; at < seen.length; at++) if (seen[at] === item) return '[circular]'
      seen[seen.length] = item
      return item
    }
    return stringify(value, show)
  }

  const textOf = (value) => {
    if (typeof value === 'string') return value
    if (typeof value === 'bigint') return String(value) + 'n'
    if (typeof value === 'function') return '[function]'
    if (typeof value !== 'object' || value === null) return String(value)
    try {
      return isError(value) ? errorText(value) : (objectText(value) ?? 'undefined')
    } catch {
      return '[object that cannot be shown]'
    }
  }

  const write = (level, values, heading = '', ending = '') => {
    if (full) return
    let text = heading
    if (heading !== '' && values.length > 0) text += ': '
    for (let at = 0; at < values.length && text.length <= host.logsMaxBytes; at++) {
      text += at === 0 ? textOf(values[at]) : ' ' + textOf(values[at])
    }
    text += ending
    full = host.log(level, stringify(slice(text, 0, host.logsMaxBytes + 1)))
  }

  const console = freeze({
    log: (...values) => write('log', values),
    info: (...values) => write('info', values),
    warn: (...values) => write('warn', values),
    error: (...values) => write('error', values),
    debug: (...values) => write('debug', values),
    /* Ignores the display options, which are the second argument. */
    dir: (value) => write('log', [value]),
    assert: (condition = false, ...values) => {
      if (!condition) write('error', values, 'Assertion failed')
    },
    trace: (...values) => {
      write('debug', values, 'Trace', '\n' + errors.ownFrames(new Error('').stack))
    },
  })
  define(globalThis, 'console', { value: console, writable: true, configurable: true })
}
