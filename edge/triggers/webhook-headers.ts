import { ruleFor } from './header-rules.ts'
import { namedInSignatures } from './signed-headers.ts'

/** Limits on the stored headers. Real senders stay far below them, and a row has to hold the headers. */
const HEADERS_MAX = 64
const VALUE_MAX_CHARACTERS = 8 * 1024
const TOTAL_MAX_CHARACTERS = 32 * 1024

export type SafeHeaders = {
  /** Passed to the action; names in lower case. */
  headers: Record<string, string>
  /** True if the limits left out any of the passed headers. */
  truncated: boolean
  /** Neither passed nor denied. The trigger's options may name them (`dedup.header`, `pass_headers`). */
  withheld: Record<string, string>
  withheldTruncated: boolean
}

/** Classifies the headers of a webhook by the header rules, in one pass. */
export function safeHeaders(received: Headers): SafeHeaders {
  // Read once, because each entry crosses the boundary to the platform.
  const entries = [...received]
  const named = namedInSignatures(entries)
  const passed = new Bounded()
  const withheld = new Bounded()
  for (const [name, value] of entries) {
    const rule = ruleFor(name)
    if (rule === 'deny') continue
    if (rule === 'allow' || named?.has(name)) passed.add(name, value)
    else withheld.add(name, value)
  }
  return {
    headers: passed.headers,
    truncated: passed.truncated,
    withheld: withheld.headers,
    withheldTruncated: withheld.truncated,
  }
}

/** Collects headers up to the limits. A header that is too large is left out, and later ones may still fit. */
class Bounded {
  // No prototype: a header may be called `__proto__`.
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
