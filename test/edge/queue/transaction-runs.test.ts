import { afterAll, describe, expect, it } from 'vitest'
import { type TransactionReceipt, transactionMark } from '../../../edge/chain/transaction-mark.ts'
import { TRANSACTION_START_BLOCKS_MAX } from '../../../shared/limits.ts'
import type { TriggerRecord } from '../../../shared/wire/trigger.ts'
import { deleteTriggers, kill, runOnce, seen, someOwner } from '../app.ts'
import { eventTriggersOf, HEAD, runIdOf, tell, word } from './event-triggers.ts'

const owner = await someOwner()
afterAll(() => deleteTriggers(owner))
const { begin, marks, patch, runs } = eventTriggersOf(owner)

const SENDER = '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed'
const TO = '0xfb6916095ca1df60bb79ce92ce3ea74c37c5d359'
const INPUT = '0xa9059cbb0000'

const sent = (hash: number, block = 1_100, over: Partial<TransactionReceipt> = {}) =>
  transactionMark(
    { number: block, hash: word(block), timestamp: 1_700_000_000 + block },
    { hash: word(hash), index: 3, from: SENDER, to: TO, value: '1000', input: INPUT },
    { status: 'success', gasUsed: 51_000, ...over },
  )
const config = { chain: 'arbitrum', transactions: { to: TO, status: 'any' } }
const beginTransactions = (over: object = {}) => begin({ config, ...over })

describe('a delivered transaction', () => {
  it('creates a run with the transaction, which overrides default params', async () => {
    const { id } = await beginTransactions({ default_params: { mine: 1, event: 'mine' } })
    expect(await tell(id, [sent(7)])).toEqual({ state: 'taken', count: 1 })
    const run = await runOnce(owner, runIdOf(id, sent(7)))
    const { params } = (await seen(run.id))[0]!
    expect(params).toEqual(run.input)
    expect(params).toEqual({
      mine: 1,
      source: 'chain_event',
      event: {
        chain: 'arbitrum',
        chain_id: 42_161,
        transaction_hash: word(7),
        transaction_index: 3,
        from: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
        to: '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
        value: '1000',
        input: INPUT,
        selector: '0xa9059cbb',
        status: 'success',
        gas_used: 51_000,
        block_number: 1_100,
        block_hash: word(1_100),
        block_timestamp: 1_700_001_100,
        removed: false,
      },
    })
  })

  it('creates one run if repeated, even concurrently or after the object was killed', async () => {
    const { id } = await beginTransactions()
    const both = [sent(7), sent(8)]
    await Promise.all([tell(id, both), tell(id, both), tell(id, both.slice(1))])
    await kill(id)
    expect(await tell(id, both)).toEqual({ state: 'taken', count: 2 })
    expect(await runs(id)).toHaveLength(2)
  })

  it('keeps its run when a reorganization moves it, unless its status changes', async () => {
    const { id } = await beginTransactions()
    await tell(id, [sent(7), sent(8)])
    const moved = [sent(7, 1_101, { gasUsed: 60_000 }), sent(8, 1_101, { status: 'reverted' })]
    await tell(id, moved, { reorgedAbove: 1_050 })
    const states = await marks(id)
    expect(states.toSorted((a, b) => Number(a) - Number(b))).toEqual([false, false, true])
  })

  it('is filtered by an expression on its fields', async () => {
    const { id } = await beginTransactions({
      options: { filter: 'event.gas_used > 55000' },
    })
    expect(await tell(id, [sent(7), sent(8, 1_100, { gasUsed: 56_000 })])).toMatchObject({
      count: 2,
    })
    expect(await runs(id)).toHaveLength(1)
  })
})

describe('a trigger on transactions', () => {
  it('has its config and finality in its record, but no event', async () => {
    const { id } = await beginTransactions()
    const record = await (await owner.api(`/api/triggers/${id}`)).json<TriggerRecord>()
    expect(record.config).toEqual(config)
    expect(record.finality).toBeTypeOf('number')
    expect(record).not.toHaveProperty('topic0')
  })

  it('cannot be changed to other parties that the service rejects', async () => {
    const { id } = await beginTransactions({ enabled: false })
    const changed = await patch(id, { config: { chain: 'arbitrum', transactions: { to: [] } } })
    expect(changed.status).toBe(422)
    expect(await changed.text()).toContain('config.transactions.to')
  })

  it('reading the whole chain for one trigger: rejects a start block far before the head', async () => {
    const head = HEAD + 2 * TRANSACTION_START_BLOCKS_MAX
    const from = (start_block: number) => begin({ config: { ...config, start_block } }, {}, head)
    const earliest = head - TRANSACTION_START_BLOCKS_MAX
    await expect(from(earliest - 1)).rejects.toMatchObject({
      failure: { field: 'config.start_block', fix: expect.stringContaining(String(earliest)) },
    })
    const { backfill } = await from(earliest)
    expect(backfill).toMatchObject({ from: earliest, to: head })
  })
})
