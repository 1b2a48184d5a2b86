import { type BloomBits, bloomBits, bloomHasBits } from '../../../shared/crypto/bloom.ts'

/** The hashes are computed once, so each check takes microseconds. */
export class BloomMatcher {
  readonly #events: readonly (readonly [BloomBits, readonly BloomBits[]])[]

  constructor(filters: Iterable<{ address: string; topic0: string }>) {
    const events = new Map<string, Set<string>>()
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
      bits(address),
      [...topics].map((topic) => bits(topic)),
    ])
  }

  mayMatch(bloom: string): boolean {
    return this.#events.some(
      ([address, events]) =>
        bloomHasBits(bloom, address) && events.some((topic) => bloomHasBits(bloom, topic)),
    )
  }
}
