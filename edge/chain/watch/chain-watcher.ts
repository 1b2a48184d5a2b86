import { DurableObject } from 'cloudflare:workers'
import { drizzle } from 'drizzle-orm/durable-sqlite'
import { migrate } from 'drizzle-orm/durable-sqlite/migrator'
import migrations from '../../../drizzle/chain-watcher/migrations.js'
import type { Env } from '../../env.ts'
import type { ChainLog } from '../chain-log.ts'
import type { Finality } from '../finality.ts'
import type { LogFilter } from '../matching/log-filter.ts'
import type { BlockRange, Subscription } from '../subscription.ts'
import type { ChainStub, ContractStub } from './contract-stub.ts'
import type { Away, ChainStatus } from './watcher.ts'

/**
 * What watches one chain for all of its triggers; its name is the chain's. This class puts the parts together.
 */
export class ChainWatcher extends DurableObject<Env> implements ChainStub {
  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    void ctx.blockConcurrencyWhile(() => this.#open())
  }

  async head(
    _: Finality,
  ): Promise<{ state: 'known'; head: number } | Away | { state: 'no_such_finality' }> {
    return { state: 'away' }
  }

  async watch(_: Subscription): Promise<void> {}

  async unwatch(_: string, __: number): Promise<void> {}

  async roomFor(_: string): Promise<void> {}

  async recent(
    _: LogFilter,
    __: Finality,
    ___: number,
  ): Promise<
    | { state: 'found'; logs: ChainLog[]; searched: BlockRange }
    | Away
    | { state: 'busy'; retryAfterS: number }
    | { state: 'no_such_finality' }
  > {
    return { state: 'away' }
  }

  /** By `lookAtContract`, once there is a reader. */
  async contractAt(_: string, __: BlockRange): ReturnType<ContractStub['contractAt']> {
    return { state: 'away' }
  }

  async status(): Promise<ChainStatus> {
    return {
      watching: false,
      head: null,
      headTimestamp: null,
      answeredAt: null,
      lookedThrough: null,
      safe: null,
      finalized: null,
      triggers: 0,
      backfills: 0,
      behind: 0,
      endpoints: [],
    }
  }

  async wake(): Promise<void> {}

  async #open(): Promise<void> {
    await migrate(drizzle(this.ctx.storage), migrations)
  }
}
