import { runInDurableObject } from 'cloudflare:test'
import { expect, it } from 'vitest'
import { ReorgNotices } from '../../../../edge/chain/watch/reorg-notices.ts'
import { env } from '../../app.ts'

it('keeps a notice that arrives while an earlier one is being delivered', () =>
  runInDurableObject(env.CHAIN_WATCHER.getByName('notices'), async (_, { storage }) => {
    const notices = new ReorgNotices(storage.sql)
    notices.recordDelivery('trigger', [5, 9])
    notices.createForReorg(8)
    const delivered = notices.of('trigger')!
    notices.createForReorg(4)
    notices.acknowledge('trigger', delivered.serial)
    expect(delivered.above).toBe(8)
    expect(notices.of('trigger')?.above).toBe(4)
    expect(new ReorgNotices(storage.sql).of('trigger')).toEqual(notices.of('trigger'))
  }))
