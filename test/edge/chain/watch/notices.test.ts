import { runInDurableObject } from 'cloudflare:test'
import { expect, it } from 'vitest'
import { Notices } from '../../../../edge/chain/watch/notices.ts'
import { env } from '../../app.ts'

it('keeps a notice that arrives while an earlier one is being delivered', () =>
  runInDurableObject(env.CHAIN_WATCHER.getByName('notices'), async (_, { storage }) => {
    const notices = new Notices(storage.sql)
    notices.mayFire('trigger', [5, 9])
    notices.takeBack(8)
    const delivered = notices.of('trigger')!
    notices.takeBack(4)
    notices.told('trigger', delivered.serial)
    expect(delivered.above).toBe(8)
    expect(notices.of('trigger')?.above).toBe(4)
    expect(new Notices(storage.sql).of('trigger')).toEqual(notices.of('trigger'))
  }))
