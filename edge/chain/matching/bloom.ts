import { type BloomBits, bloomBits, bloomHasBits } from '../../../shared/crypto/bloom.ts'

/** The hashes are computed once, so each check takes microseconds. */
export class BloomMatcher {
  /** The address is undefined for filters with a list of addresses, of which a block usually may have one. */
  readonly #events: readonly (readonly [BloomBits | undefined, readonly BloomBits[]])[]

  constructor(filters: Iterable<{ address: string | null; topic0: string }>) {
    const events = new Map<string | null, Set<string>>()
    for (const { address, topic0 } of filters) {
      const known = events.get(address)
      if (known) known.add(topic0)
      else events.set(address, new Set([topic0]))
    }
    const bitsOf = new Map<string, BloomBits>()
    const bits = (hex: string) => {
      const known = bitsOf.get(hex) ?? bloomBits(hex)
      bitsOf.set(hex, known)
      return known
    }
    this.#events = [...events].map(([address, topics]) => [
      address === null ? undefined : bits(address),
      [...topics].map((topic) => bits(topic)),
    ])
  }

  mayMatch(bloom: string): boolean {
    return this.#events.some(
      ([address, events]) =>
        (!address || bloomHasBits(bloom, address)) &&
        events.some((topic) => bloomHasBits(bloom, topic)),
    )
  }
}
