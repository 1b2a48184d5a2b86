import { OverloadedError } from '../admission/event-loop-load.ts'

/** A waiting run stays in memory with its source and params. */
const WAITING_RUNS_MAX = 4_096
const WAITING_BYTES_MAX = 256 * 1024 * 1024

/** Divisor of the limits for a single account, which may use at most half of them. */
const ACCOUNT_SHARE = 2

export class WaitLimiter {
  readonly #total = { places: 0, bytes: 0 }
  readonly #accounts = new Map<string, { places: number; bytes: number }>()

  /**
   * Counts a run as waiting until `wait` settles.
   * @throws {OverloadedError} if a limit is exceeded; otherwise any error of `wait`
   */
  async run<Result>(
    accountHash: string,
    bytes: number,
    wait: () => Promise<Result>,
  ): Promise<Result> {
    const ofAccount = this.#accounts.get(accountHash) ?? { places: 0, bytes: 0 }
    if (!hasRoom(this.#total, bytes, 1) || !hasRoom(ofAccount, bytes, ACCOUNT_SHARE))
      throw new OverloadedError('too many runs are queued behind others of the same action', 1_000)
    this.#accounts.set(accountHash, ofAccount)
    const sums = [this.#total, ofAccount]
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

function hasRoom(sum: { places: number; bytes: number }, bytes: number, share: number): boolean {
  // Accepts a run of any size if no other run is waiting.
  if (sum.places === 0) return true
  return sum.places < WAITING_RUNS_MAX / share && sum.bytes + bytes <= WAITING_BYTES_MAX / share
}
