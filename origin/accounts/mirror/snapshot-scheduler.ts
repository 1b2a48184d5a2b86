import type { Branch } from './branch.ts'
import type { Snapshot, SnapshotFile } from './snapshot-file.ts'

type SnapshotSchedulerOptions = {
  file: SnapshotFile
  /** Returns milliseconds of any clock, because only differences are used. */
  now: () => number
  onFailure: (error: unknown) => void
}

/** If the process is killed, the next process must read all blocks since the last snapshot again. */
const SNAPSHOT_INTERVAL_MS = 5 * 60_000

/** Applies even if no account has changed. The next start can read this many blocks in one request. */
const SNAPSHOT_INTERVAL_BLOCKS = 4_000

export class SnapshotScheduler {
  readonly #options: SnapshotSchedulerOptions
  #last: { at: number; block: number; changes: number } | undefined
  #writing: Promise<void> | undefined

  constructor(options: SnapshotSchedulerOptions) {
    this.#options = options
  }

  async read(): Promise<Snapshot | undefined> {
    const found = await this.#options.file.read()
    if (found) this.#last = { at: this.#options.now(), block: found.block.number, changes: 0 }
    return found
  }

  writeIfDue(branch: Branch): void {
    const { now } = this.#options
    this.#last ??= { at: now(), block: branch.base.number, changes: -1 }
    if (this.#writing || now() - this.#last.at < SNAPSHOT_INTERVAL_MS) return
    this.#writing = this.#write(branch).finally(() => {
      this.#writing = undefined
    })
  }

  async close(branch: Branch | undefined): Promise<void> {
    await this.#writing
    if (branch) await this.#write(branch)
  }

  async #write(branch: Branch): Promise<void> {
    const { file, now, onFailure } = this.#options
    const final = branch.finalState()
    if (!final) return
    const { changes } = branch.state
    try {
      if (!this.#isDue(final.block.number, changes)) return
      this.#last = { at: now(), block: final.block.number, changes }
      await file.write(final.block, final.accounts)
    } catch (error) {
      onFailure(error)
    } finally {
      final.accounts.close()
    }
  }

  /**
   * Changes above the final block also count, although the snapshot does not contain them yet. The next start reads
   * them from the chain.
   */
  #isDue(block: number, changes: number): boolean {
    const last = this.#last
    if (!last || changes !== last.changes) return true
    return Math.abs(block - last.block) >= SNAPSHOT_INTERVAL_BLOCKS
  }
}
