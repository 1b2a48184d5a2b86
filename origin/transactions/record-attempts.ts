import { sql } from 'drizzle-orm'
import type { WaitingReason } from '../../shared/wire/transaction-states.ts'
import { transactionAttempts, transactionLanes, transactions } from '../db/schema.ts'
import { isLaneHeldBy, type LaneId } from './lane-leases.ts'
import type { AttemptRow } from './transaction-record.ts'
import type { StoreOptions } from './types.ts'

/** An attempt to record, with the members of the transaction's row that change with it. */
export type NewAttempt = Omit<AttemptRow, 'createdAt'> & {
  /** True if the transaction is queued, and this is its first attempt. */
  isFirst: boolean
  /** Nonce of the attempts before this one. Null for the first one. */
  knownNonce: number | null
  gasLimit: bigint
  waitingFor: WaitingReason | null
  policyHash: string | null
  policyRule: string | null
}

/**
 * Records attempts, all of them or none. Must succeed before their bytes are sent to a node.
 * @param rejected queued transactions that this process has rejected, but whose rows may not say so yet
 * @returns `lane_lost` if another process may hold the lane, `changed` if a transaction is not in the expected state,
 *   for example because it was cancelled, or if there are earlier transactions that this process does not know;
 *   nothing was recorded in both cases
 * @throws if it is unknown whether the attempts were recorded
 */
export async function recordAttempts(
  { db, processId, now }: StoreOptions,
  lane: LaneId,
  attempts: readonly NewAttempt[],
  rejected: readonly string[],
): Promise<'recorded' | 'lane_lost' | 'changed'> {
  const at = sql`${new Date(now()).toISOString()}::timestamptz`
  const known = [...attempts.map(({ transactionId }) => transactionId), ...rejected]
  const result = await db.execute(sql`
    with v as materialized (
      select * from jsonb_to_recordset(${JSON.stringify(attempts.map(attemptJson))}::jsonb) as v(
        id text, first boolean, hash text, kind text, nonce bigint, raw text, gas_limit numeric, max_fee numeric,
        tip numeric, waiting_for text, policy_hash text, policy_rule text, known_nonce bigint
      )
    ), held as materialized (
      -- The lock prevents other processes from acquiring the lane before the commit.
      select 1 from ${transactionLanes}
      where chain_id = ${lane.chainId} and address = ${lane.address} and ${isLaneHeldBy(processId)}
      for share of ${transactionLanes}
    ), expected as materialized (
      select t.id from ${transactions} t, v
      where t.id = v.id and t.ended_at is null and (t.state = 'queued') = v.first
        -- Otherwise an attempt with another nonce was recorded unnoticed, and both could be mined.
        and t.nonce is not distinct from v.known_nonce
      order by t.id
      for update of t
    ), verdict as materialized (
      select
        exists (select 1 from held) as is_held,
        (select count(*) from expected) = (select count(*) from v) and not exists (
          select 1 from ${transactions} earlier
          where earlier.chain_id = ${lane.chainId} and earlier.address = ${lane.address}
            and earlier.ended_at is null and earlier.state = 'queued'
            and earlier.sequence < (select max(t.sequence) from ${transactions} t, v where t.id = v.id and v.first)
            and earlier.id not in (select jsonb_array_elements_text(${JSON.stringify(known)}::jsonb))
        ) as is_expected,
        -- The bytes are sent next, so a crash of the database must not lose them.
        case when current_setting('synchronous_commit') = 'off'
          then set_config('synchronous_commit', 'on', true) end
    ), updated as (
      update ${transactions} t set
        state = case when v.first then 'signed' else t.state end,
        nonce = v.nonce,
        gas_limit = v.gas_limit,
        waiting_for = v.waiting_for,
        waiting_message = null,
        policy_hash = v.policy_hash,
        policy_rule = v.policy_rule,
        updated_at = ${at}
      from v, verdict
      where is_held and is_expected and t.id = v.id
    ), outdated as (
      -- Only the latest attempt is sent again. All of them have the same nonce, or one that cannot be used any more.
      update ${transactionAttempts} a set raw = ''
      from v, verdict
      where is_held and is_expected and not v.first and a.transaction_id = v.id and a.hash <> v.hash
    ), inserted as (
      insert into ${transactionAttempts}
        (hash, transaction_id, kind, nonce, raw, max_fee_per_gas, max_priority_fee_per_gas, created_at)
      select hash, id, kind, nonce, raw, max_fee, tip, ${at} from v, verdict where is_held and is_expected
      -- Signatures are deterministic, so an attempt that was signed again has the same hash.
      on conflict (hash) do update set raw = excluded.raw
    )
    select is_held, is_expected from verdict`)
  const [verdict] = (result as { rows: { is_held: boolean; is_expected: boolean }[] }).rows
  if (!verdict?.is_held) return 'lane_lost'
  return verdict.is_expected ? 'recorded' : 'changed'
}

function attemptJson(attempt: NewAttempt): object {
  const { transactionId, isFirst, hash, kind, nonce, raw } = attempt
  return {
    id: transactionId,
    first: isFirst,
    hash,
    kind,
    nonce,
    raw,
    gas_limit: String(attempt.gasLimit),
    max_fee: String(attempt.maxFeePerGas),
    tip: String(attempt.maxPriorityFeePerGas),
    waiting_for: attempt.waitingFor,
    policy_hash: attempt.policyHash,
    policy_rule: attempt.policyRule,
    known_nonce: attempt.knownNonce,
  }
}
