import type { Branch } from './branch.ts'
import type { Snapshot, SnapshotFile } from './snapshot-file.ts'

export type SnapshotKeeperOptions = {
  file: SnapshotFile
  /** Returns a time in milliseconds. Only differences are used. */
  now: () => number
  onFailure: (error: unknown) => void
}

/**
 * Minimum time between two snapshots. After a kill, the next process must read all blocks since the last snapshot
 * again.
 */
export const SNAPSHOT_EVERY_MS = 5 * 60_000

/**
 * Number of blocks after which a snapshot is written even without changes. The next start can read this many blocks in
 * one request.
 */
const SNAPSHOT_EVERY_BLOCKS = 4_000

/** Stores the state at a final block, both periodically and on shutdown. */
export class SnapshotKeeper {
  readonly #options: SnapshotKeeperOptions
  #last: { at: number; block: number; changes: number } | undefined
  #writing: Promise<void> | undefined

  constructor(options: SnapshotKeeperOptions) {
    this.#options = options
  }

  async read(): Promise<Snapshot | undefined> {
    const found = await this.#options.file.read()
    if (found) this.#last = { at: this.#options.now(), block: found.block.number, changes: 0 }
    return found
  }

  /** Called after each poll of the chain. Writes a snapshot in the background if one is due. */
  consider(branch: Branch): void {
    const { now } = this.#options
    this.#last ??= { at: now(), block: branch.base.number, changes: -1 }
    if (this.#writing || now() - this.#last.at < SNAPSHOT_EVERY_MS) return
    this.#writing = this.#write(branch).finally(() => {
      this.#writing = undefined
    })
  }

  /** Waits for a write in progress, and then stores the state if a snapshot is due. */
  async close(branch: Branch | undefined): Promise<void> {
    await this.#writing
    if (branch) await this.#write(branch)
  }

  async #write(branch: Branch): Promise<void> {
    const { file, now, onFailure } = this.#options
    const final = branch.final()
    const { changes } = branch.state
    if (!final || !this.#isDue(final.block.number, changes)) return
    this.#last = { at: now(), block: final.block.number, changes }
    try {
      await file.write(final.block, final.accounts)
    } catch (error) {
      onFailure(error)
    }
  }

  /**
   * Returns true if a snapshot is due. A change above the final block also counts, although the snapshot does not
   * contain it yet. The next start will read that block from the chain.
   */
  #isDue(block: number, changes: number): boolean {
    const last = this.#last
    if (!last || changes !== last.changes) return true
    return Math.abs(block - last.block) >= SNAPSHOT_EVERY_BLOCKS
  }
}
