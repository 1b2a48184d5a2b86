import { ruleFor } from './header-rules.ts'
import { signedHeaderNames } from './signed-headers.ts'

/** Limits on the headers of a webhook request, so that they fit in a database row. Real senders stay far below them. */
const HEADERS_MAX = 64
const VALUE_MAX_CHARACTERS = 8 * 1024
const TOTAL_MAX_CHARACTERS = 32 * 1024

export type SelectedHeaders = {
  /** Headers to pass to the action, by lower-case name. */
  headers: Record<string, string>
  /** True if headers for the action were omitted because they exceeded the limits. */
  truncated: boolean
  /**
   * Headers that are neither passed nor denied. The trigger's options may name them (`dedup.header`, `pass_headers`).
   */
  withheld: Record<string, string>
  withheldTruncated: boolean
  /** Only for `options.source`: some senders send their secret in this header. Never passed to the action. */
  authorization?: string
}

export function selectHeaders(received: Headers): SelectedHeaders {
  // Reads the headers only once, because each entry is copied from the platform's native code.
  const entries = [...received]
  const named = signedHeaderNames(entries)
  const passed = new BoundedHeaders()
  const withheld = new BoundedHeaders()
  let authorization: string | undefined
  for (const [name, value] of entries) {
    const rule = ruleFor(name)
    if (rule === 'deny') {
      if (name === 'authorization' && value.length <= VALUE_MAX_CHARACTERS) authorization = value
      continue
    }
    if (rule === 'allow' || named?.has(name)) passed.add(name, value)
    else withheld.add(name, value)
  }
  return {
    headers: passed.headers,
    truncated: passed.truncated,
    withheld: withheld.headers,
    withheldTruncated: withheld.truncated,
    ...(authorization === undefined ? {} : { authorization }),
  }
}

/**
 * Collects headers up to the limits. A header that exceeds a limit is omitted, but smaller headers after it may still
 * fit.
 */
class BoundedHeaders {
  // The object has no prototype, because a header may be named `__proto__`.
  readonly headers: Record<string, string> = Object.create(null)
  truncated = false
  #count = 0
  #characters = 0

  add(name: string, value: string): void {
    const characters = this.#characters + name.length + value.length
    const fits =
      this.#count < HEADERS_MAX &&
      value.length <= VALUE_MAX_CHARACTERS &&
      characters <= TOTAL_MAX_CHARACTERS
    if (!fits) {
      this.truncated = true
      return
    }
    this.headers[name] = value
    this.#count++
    this.#characters = characters
  }
}
