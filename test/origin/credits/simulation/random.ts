/**
 * Deterministic random numbers from a seed: xoshiro128** 1.1 (Blackman and Vigna), with its state filled by splitmix32.
 * Independent of the platform, because a failed seed must still be replayable after years.
 */
export class Random {
  readonly #state: [number, number, number, number]

  constructor(seed: number) {
    let mixed = seed >>> 0
    const split = () => {
      mixed = (mixed + 0x9e3779b9) >>> 0
      let word = mixed
      word = Math.imul(word ^ (word >>> 16), 0x21f0aaad)
      word = Math.imul(word ^ (word >>> 15), 0x735a2d97)
      return (word ^ (word >>> 15)) >>> 0
    }
    this.#state = [split(), split(), split(), split()]
  }

  /** Returns 32 random bits. */
  next(): number {
    const state = this.#state
    const product = Math.imul(state[1], 5)
    const result = Math.imul((product << 7) | (product >>> 25), 9) >>> 0
    const shifted = state[1] << 9
    state[2] ^= state[0]
    state[3] ^= state[1]
    state[1] ^= state[2]
    state[0] ^= state[3]
    state[2] ^= shifted
    state[3] = (state[3] << 11) | (state[3] >>> 21)
    return result
  }

  /** Returns a number in [0, 1). */
  fraction(): number {
    return this.next() / 2 ** 32
  }

  /** Returns an integer from `min` to `max`, both included. */
  integer(min: number, max: number): number {
    return min + Math.floor(this.fraction() * (max - min + 1))
  }

  chance(probability: number): boolean {
    return this.fraction() < probability
  }

  pick<Item>(items: readonly Item[]): Item {
    return items[Math.floor(this.fraction() * items.length)]!
  }

  /** Returns a separate stream, so that draws in one part do not affect another. */
  stream(): Random {
    return new Random(this.next())
  }

  hex(bytes: number): string {
    return Array.from({ length: bytes }, () =>
      this.integer(0, 255).toString(16).padStart(2, '0'),
    ).join('')
  }
}
