import { afterAll, describe, expect, it } from 'vitest'
import { blockMark } from '../../../edge/chain/block-mark.ts'
import type { TriggerRecord } from '../../../shared/wire/trigger.ts'
import { deleteTriggers, kill, readRun, runOnce, seen, someOwner } from '../app.ts'
import { eventTriggersOf, runIdOf, tell, word } from './event-triggers.ts'

const owner = await someOwner()
afterAll(() => deleteTriggers(owner))
const { begin, marks, patch, runs } = eventTriggersOf(owner)

const block = (number: number, hash = number) =>
  blockMark({ number, hash: word(hash), timestamp: 1_700_000_000 + number })
const beginBlocks = (over: object = {}) =>
  begin({ ...over, config: { chain: 'arbitrum', blocks: { every: 100 } } })

describe('a delivered block', () => {
  it('creates a run with the block, which overrides default params', async () => {
    const { id } = await beginBlocks({ default_params: { mine: 1, event: 'mine' } })
    expect(await tell(id, [block(1_100)])).toEqual({ state: 'taken', count: 1 })
    const run = await runOnce(owner, runIdOf(id, block(1_100)))
    const { params } = (await seen(run.id))[0]!
    expect(params).toEqual(run.input)
    expect(params).toEqual({
      mine: 1,
      source: 'chain_event',
      event: {
        chain: 'arbitrum',
        chain_id: 42_161,
        every: 100,
        block_number: 1_100,
        block_hash: word(1_100),
        block_timestamp: 1_700_001_100,
        removed: false,
      },
    })
  })

  it('creates one run if repeated, even concurrently or after the object was killed', async () => {
    const { id } = await beginBlocks()
    const blocks = [block(1_100), block(1_200)]
    await Promise.all([tell(id, blocks), tell(id, blocks), tell(id, blocks.slice(1))])
    await kill(id)
    expect(await tell(id, blocks)).toEqual({ state: 'taken', count: 2 })
    expect(await runs(id)).toHaveLength(2)
  })

  it('that a reorganization replaced marks its run, and the replacing block creates another', async () => {
    const { id } = await beginBlocks()
    await tell(id, [block(1_100)])
    await tell(id, [block(1_100, 7)], { reorgedAbove: 1_050 })
    expect(await marks(id)).toEqual([false, true])
    // The old branch returns.
    await tell(id, [block(1_100)], { reorgedAbove: 1_050 })
    expect(await marks(id)).toEqual([true, false])
  })

  it('keeps its interval in the input of the run when the trigger changes', async () => {
    const { id } = await beginBlocks()
    await tell(id, [block(1_100)])
    const before = await runOnce(owner, runIdOf(id, block(1_100)))
    await patch(id, { enabled: false })
    const changed = await patch(id, { config: { chain: 'arbitrum', blocks: { every: 50 } } })
    expect(changed.status).toBe(200)
    expect((await readRun(owner, before.id)).input).toEqual(before.input)
  })
})

describe('the record of a trigger on blocks', () => {
  it('has its config and finality, but no event', async () => {
    const { id } = await beginBlocks()
    const record = await (await owner.api(`/api/triggers/${id}`)).json<TriggerRecord>()
    expect(record.config).toEqual({ chain: 'arbitrum', blocks: { every: 100 } })
    expect(record.finality).toBeTypeOf('number')
    expect(record).not.toHaveProperty('topic0')
    expect(record).not.toHaveProperty('canonical_signature')
  })
})
