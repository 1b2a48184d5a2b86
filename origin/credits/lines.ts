import { Overloaded } from '../admission/event-loop-load.ts'

/** What waits in line stays in memory, its source and params with it. */
const PLACES_MAX = 512
const BYTES_MAX = 256 * 1024 * 1024

/** One account has a half of that at most. */
const SHARE = 2

export type Bytes = number

/** The room of those who wait for runs under way to end: bounded, and shared by accounts. */
export class Lines {
  readonly #all = { places: 0, bytes: 0 }
  readonly #accounts = new Map<string, { places: number; bytes: number }>()

  /** @throws {Overloaded} where there is no room; else what `wait` throws */
  async within<Result>(
    accountHash: string,
    bytes: Bytes,
    wait: () => Promise<Result>,
  ): Promise<Result> {
    const ofAccount = this.#accounts.get(accountHash) ?? { places: 0, bytes: 0 }
    if (!hasRoom(this.#all, bytes, 1) || !hasRoom(ofAccount, bytes, SHARE))
      throw new Overloaded('too many runs wait for others of their action', 1_000)
    this.#accounts.set(accountHash, ofAccount)
    const sums = [this.#all, ofAccount]
    for (const sum of sums) {
      sum.places += 1
      sum.bytes += bytes
    }
    try {
      return await wait()
    } finally {
      for (const sum of sums) {
        sum.places -= 1
        sum.bytes -= bytes
      }
      if (ofAccount.places === 0) this.#accounts.delete(accountHash)
    }
  }
}

function hasRoom(sum: { places: number; bytes: number }, bytes: Bytes, share: number): boolean {
  // A single one that is large has room where nothing else waits.
  if (sum.places === 0) return true
  return sum.places < PLACES_MAX / share && sum.bytes + bytes <= BYTES_MAX / share
}
