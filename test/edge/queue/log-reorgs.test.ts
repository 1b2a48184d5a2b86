import { afterAll, describe, expect, it } from 'vitest'
import { deleteTriggers, runOnce, someOwner, sql } from '../app.ts'
import { eventTriggersOf, runIdOf, tell, transfer, word } from './event-triggers.ts'

const owner = await someOwner()
afterAll(() => deleteTriggers(owner))
const { begin, runs, patch, values, marks } = eventTriggersOf(owner)

describe('a reorg', () => {
  it('marks runs of a disabled trigger, but only on its chain', async () => {
    const { id } = await begin()
    await tell(id, [transfer(1, 1_001)])
    await patch(id, { enabled: false })
    expect(await tell(id, [], { chain: 'base', reorgedAbove: 1_000 })).toEqual({ state: 'over' })
    expect(await marks(id)).toEqual([false])
    expect(await tell(id, [], { chain: 'arbitrum', generation: 0, reorgedAbove: 1_000 })).toEqual({
      state: 'over',
    })
    expect(await marks(id)).toEqual([true])
  })

  it('marks only runs above its common ancestor', async () => {
    const { id } = await begin()
    await tell(id, [transfer(1, 1_001), transfer(2, 1_002), transfer(3, 1_003)])
    expect(await tell(id, [], { reorgedAbove: 1_001 })).toEqual({ state: 'taken', count: 0 })
    expect(await marks(id)).toEqual([true, true, false])
  })

  it('unmarks the run of a moved log, without creating a second run', async () => {
    const { id } = await begin()
    const [lost, moved] = [transfer(1, 1_001), transfer(2, 1_002)]
    await tell(id, [lost, moved])
    const again = { ...moved, blockNumber: 1_004, blockHash: word(99), logIndex: 0 }
    await tell(id, [transfer(3, 1_003), again], { reorgedAbove: 1_000 })
    expect(await values(id)).toEqual([3, 2, 1])
    expect(await marks(id)).toEqual([false, false, true])
    // At its new position it can be reorged again.
    await tell(id, [], { reorgedAbove: 1_003 })
    expect(await marks(id)).toEqual([false, true, true])
  })

  it('is idempotent', async () => {
    const { id } = await begin()
    const [old, young] = [transfer(1, 1_001), transfer(2, 1_001)]
    await tell(id, [old])
    for (let n = 0; n < 2; n++) await tell(id, [young], { reorgedAbove: 1_000 })
    // The second time, the newer log was removed and delivered again.
    expect(await values(id)).toEqual([2, 1])
    expect(await marks(id)).toEqual([false, true])
  })

  it('cannot affect settled blocks: their logs are forgotten, and a late log still gets a run', async () => {
    const { id } = await begin()
    await tell(id, [transfer(1, 1_001), transfer(2, 1_005)], { settledThrough: 1_003 })
    await tell(id, [transfer(3, 1_002)])
    const rows = () => sql<{ block_number: number }>(id, 'SELECT block_number FROM fired_logs')
    expect(await rows()).toEqual([{ block_number: 1_005 }])
    await tell(id, [transfer(1, 1_001)], { settledThrough: 1_010 })
    expect(await rows()).toEqual([])
    expect(await values(id)).toEqual([3, 2, 1])
  })

  it('does not run a log again after its run was deleted from the history', async () => {
    const { id } = await begin()
    const log = transfer(1, 1_001)
    await tell(id, [log])
    await runOnce(owner, runIdOf(id, log))
    await sql(id, 'DELETE FROM runs')
    expect(await tell(id, [log])).toEqual({ state: 'taken', count: 1 })
    expect(await runs(id)).toEqual([])
  })
})
