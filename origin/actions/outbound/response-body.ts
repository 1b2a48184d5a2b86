import { OUTBOUND_RESPONSE_MAX_BYTES } from '../../../shared/limits.ts'
import { OutboundError } from './outbound-error.ts'

const INITIAL_BYTES = 16_384

/**
 * Collects a response body in a single buffer. For a million one-byte chunks, separate views would take a hundred times
 * the memory.
 */
export class ResponseBody {
  readonly #max: number
  readonly #named: string
  #bytes: Uint8Array = new Uint8Array(0)
  #length = 0

  constructor(max: number, named: string) {
    this.#max = max
    this.#named = named
  }

  /** @throws {OutboundError} if the body becomes too large */
  add(part: Uint8Array): void {
    const length = this.#length + part.length
    if (length > this.#max) throw responseTooLarge(this.#named)
    if (length > this.#bytes.length) {
      const room = Math.min(this.#max, Math.max(INITIAL_BYTES, length, this.#bytes.length * 2))
      const grown = new Uint8Array(room)
      grown.set(this.#bytes.subarray(0, this.#length))
      this.#bytes = grown
    }
    this.#bytes.set(part, this.#length)
    this.#length = length
  }

  bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#length)
  }
}

export function responseTooLarge(named: string): OutboundError {
  return new OutboundError(
    `the response of ${named} is longer than ${OUTBOUND_RESPONSE_MAX_BYTES} bytes; request less data`,
    'outbound_response_too_large',
  )
}
