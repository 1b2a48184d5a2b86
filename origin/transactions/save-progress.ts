import { sql } from 'drizzle-orm'
import type { TransactionState, WaitingReason } from '../../shared/wire/transaction-states.ts'
import { transactionLanes, transactions } from '../db/schema.ts'
import { isLaneHeldBy, type LaneId, laneKey } from './lane-leases.ts'
import type { StoreOptions } from './types.ts'

/** Members of a row that change while a transaction is followed on the chain. Written together. */
export type Progress = {
  state: TransactionState
  waitingFor: WaitingReason | null
  waitingMessage: string | null
  minedHash: string | null
  minedBlock: number | null
  minedBlockHash: string | null
  gasUsed: bigint | null
  effectiveGasPrice: bigint | null
  replacedBy: string | null
  failureCode: string | null
  failureMessage: string | null
  /** True if nothing can change any more. */
  hasEnded: boolean
}

export type ProgressUpdate = LaneId & { id: string; progress: Progress }

/** `stale` if the row has ended before, or was signed since the update; `lane_lost` if another process may hold the lane. */
export type SaveResult = 'saved' | 'stale' | 'lane_lost'

/** Writes updates of transactions in any lanes by one statement. Only the latest update of a transaction counts. */
export async function saveProgress(
  { db, processId, now }: StoreOptions,
  batch: readonly ProgressUpdate[],
): Promise<SaveResult[]> {
  const latest = new Map(batch.map((update) => [update.id, update]))
  const lanes = new Map([...latest.values()].map((update) => [laneKey(update), update]))
  const held = [...lanes.values()].map(
    ({ chainId, address }) => sql`(${chainId}::bigint, ${address}::text)`,
  )
  const at = sql`${new Date(now()).toISOString()}::timestamptz`
  // What a crash of the database loses is found out again, but not that a transaction was rejected before it was signed.
  const isLasting = [...latest.values()].some(({ progress }) => progress.hasEnded)
  const setting = isLasting ? sql`null` : sql`set_config('synchronous_commit', 'off', true)`
  const saved = await db.execute(sql`
    with held as (
      select chain_id, address from ${transactionLanes}
      where (chain_id, address) in (${sql.join(held, sql`, `)}) and ${isLaneHeldBy(processId)}
      order by chain_id, address
      for share of ${transactionLanes}
    ), saved as (
    update ${transactions} t set
      state = v.state,
      waiting_for = v.waiting_for,
      waiting_message = v.waiting_message,
      mined_hash = v.mined_hash,
      mined_block = v.mined_block,
      mined_block_hash = v.mined_block_hash,
      gas_used = v.gas_used,
      effective_gas_price = v.effective_gas_price,
      replaced_by = v.replaced_by,
      failure_code = v.failure_code,
      failure_message = v.failure_message,
      updated_at = ${at},
      ended_at = case when v.ended then ${at} end
    from held, jsonb_to_recordset(${JSON.stringify([...latest.values()].map(updateJson))}::jsonb) as v(
      id text, state text, waiting_for text, waiting_message text, mined_hash text, mined_block bigint,
      mined_block_hash text, gas_used numeric, effective_gas_price numeric, replaced_by text, failure_code text, failure_message text,
      ended boolean, unsigned boolean
    )
    where t.id = v.id and t.chain_id = held.chain_id and t.address = held.address and t.ended_at is null
      -- An update from before the signature must not undo it.
      and (not v.unsigned or t.nonce is null)
    returning t.id
    )
    select id, null as setting from saved
    union all select chain_id || '/' || address, ${setting} from held`)
  const ids = idsOf(saved)
  return batch.map((update) => {
    if (!ids.has(laneKey(update))) return 'lane_lost'
    return ids.has(update.id) ? 'saved' : 'stale'
  })
}

/** @param result of a statement that returns IDs */
function idsOf(result: unknown): Set<string> {
  return new Set((result as { rows: { id: string }[] }).rows.map(({ id }) => id))
}

function updateJson({ id, progress }: ProgressUpdate): object {
  return {
    id,
    state: progress.state,
    waiting_for: progress.waitingFor,
    waiting_message: progress.waitingMessage,
    mined_hash: progress.minedHash,
    mined_block: progress.minedBlock,
    mined_block_hash: progress.minedBlockHash,
    gas_used: progress.gasUsed?.toString() ?? null,
    effective_gas_price: progress.effectiveGasPrice?.toString() ?? null,
    replaced_by: progress.replacedBy,
    failure_code: progress.failureCode,
    failure_message: progress.failureMessage,
    ended: progress.hasEnded,
    unsigned: progress.state === 'queued',
  }
}
