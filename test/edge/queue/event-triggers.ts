/** Triggers of a contract event, and logs delivered to them as the watcher of their chain would. */
import { BY_OPERATOR } from '../../../edge/audit-log/trigger-change.ts'
import type { ChainLog } from '../../../edge/chain/chain-log.ts'
import { logRunSuffix } from '../../../edge/chain/log-run-suffix.ts'
import type { DeliveryResponse, LogDelivery } from '../../../edge/chain/subscription.ts'
import { settingsOf } from '../../../edge/env.ts'
import { createTrigger as storeTrigger } from '../../../edge/triggers/create-trigger.ts'
import {
  createTriggerRequest,
  type RunRecord,
  type TriggerRecord,
} from '../../../shared/wire/trigger.ts'
import { db, env, type Owner, post, queueOf, random, script, success } from '../app.ts'

export const HEAD = 1_000
const CONTRACT = '0xdac17f958d2ee523a2206206994597c13d831ec7'
export const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
export const word = (value: number) => `0x${value.toString(16).padStart(64, '0')}`

/** Returns the log of a transfer of `value` in a block. */
export function transfer(value: number, block: number, over: Partial<ChainLog> = {}): ChainLog {
  return {
    address: CONTRACT,
    topics: [TRANSFER, word(1), word(2)],
    data: word(value),
    blockNumber: block,
    blockHash: word(block),
    blockTimestamp: 1_700_000_000 + block,
    transactionHash: word(0xabc000 + value),
    transactionIndex: 0,
    logIndex: value,
    ordinal: 0,
    ...over,
  }
}

export async function tell(
  id: string,
  logs: ChainLog[],
  over: Partial<LogDelivery> = {},
): Promise<DeliveryResponse> {
  return queueOf(id).deliverLogs({ generation: 1, lane: 'live', logs, ...over })
}
export const runIdOf = (id: string, log: ChainLog) => id + logRunSuffix(id, log)

type Transferred = { decoded: { arg2: string } }

/** Creates and controls such triggers for an owner, and reads their runs. */
export function eventTriggersOf(owner: Owner) {
  /** Creates an event trigger that starts after the head, with a stubbed watcher. */
  const begin = async (
    over: object = {},
    config: object = {},
    head = HEAD,
  ): Promise<TriggerRecord> => {
    const known = { head: async () => ({ state: 'known', head }) }
    const asked = { ...env, CHAIN_WATCHER: { getByName: () => known } } as unknown as typeof env
    const context = {
      ownerId: owner.id,
      db,
      settings: settingsOf(env),
      now: Date.now,
      random,
      by: BY_OPERATOR,
    }
    const body = createTriggerRequest.parse({
      name: 'an event',
      kind: 'chain_event',
      action_code: script(success()),
      usage_api_key: 'usage-key',
      config: {
        chain: 'arbitrum',
        contract_address: CONTRACT,
        event_signature: 'Transfer(address,address,uint256)',
        ...config,
      },
      ...over,
    })
    return storeTrigger(asked, context, body)
  }
  const runs = async (id: string): Promise<RunRecord[]> => {
    const page: { runs: RunRecord[] } = await (await owner.api(`/api/triggers/${id}/runs`)).json()
    return page.runs
  }
  const send = (path: string, body: object, method = 'POST') =>
    owner.api(path, { ...post('', body).init, method })
  const patch = (id: string, body: object) => send(`/api/triggers/${id}`, body, 'PATCH')
  /** Returns the values of transfers with runs, newest first. */
  const values = async (id: string) =>
    (await runs(id)).map(({ input }) =>
      Number((input as { event: Transferred }).event.decoded.arg2),
    )
  const marks = async (id: string) => (await runs(id)).map(({ reorged }) => reorged)
  return { begin, runs, send, patch, values, marks }
}
