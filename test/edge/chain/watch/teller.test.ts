import { expect, it } from 'vitest'
import type { ChainLog } from '../../../../edge/chain/chain-log.ts'
import type { LogDelivery } from '../../../../edge/chain/subscription.ts'
import type { Notices } from '../../../../edge/chain/watch/notices.ts'
import { Teller } from '../../../../edge/chain/watch/teller.ts'
import { DELIVERY_LOGS_MAX } from '../../../../shared/limits.ts'

it('reports the end of a backfill with its last logs only', async () => {
  const deliveries: LogDelivery[] = []
  const teller = new Teller({
    tell: async (_, delivery) => {
      deliveries.push(delivery)
      return { state: 'taken', count: delivery.logs.length }
    },
    notices: { of: () => undefined } as unknown as Notices,
    transaction: (work) => work(),
    sleep: () => new Promise(() => {}),
    log: () => {},
  })
  const log = { data: '0x' } as ChainLog
  const logs = Array.from({ length: DELIVERY_LOGS_MAX + 1 }, () => log)
  await teller.tell('trigger', { generation: 1, lane: 'backfill', logs, backfillAt: null })
  expect(deliveries.map(({ logs: some, backfillAt }) => [some.length, backfillAt])).toEqual([
    [DELIVERY_LOGS_MAX, undefined],
    [1, null],
  ])
})
