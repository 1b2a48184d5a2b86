import { Overloaded } from '../admission/event-loop-load.ts'

/** Limits for waiting runs, which stay in memory with their source and params. */
const PLACES_MAX = 512
const BYTES_MAX = 256 * 1024 * 1024

/** One account may use at most half of the limits. */
const SHARE = 2

export type Bytes = number

/** Bounds the runs that wait for runs in flight to finish, in total and per account. */
export class Lines {
  readonly #all = { places: 0, bytes: 0 }
  readonly #accounts = new Map<string, { places: number; bytes: number }>()

  /** @throws {Overloaded} if there is no room; otherwise any error of `wait` */
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
  // A single large run is accepted if no other run is waiting.
  if (sum.places === 0) return true
  return sum.places < PLACES_MAX / share && sum.bytes + bytes <= BYTES_MAX / share
}
