import { expect, it } from 'vitest'
import type { ChainLog } from '../../../../edge/chain/chain-log.ts'
import type { LogDelivery } from '../../../../edge/chain/subscription.ts'
import type { ReorgNotices } from '../../../../edge/chain/watch/reorg-notices.ts'
import { DeliverySender } from '../../../../edge/chain/watch/delivery-sender.ts'
import { DELIVERY_LOGS_MAX } from '../../../../shared/limits.ts'

it('reports the end of a backfill with its last logs only', async () => {
  const deliveries: LogDelivery[] = []
  const teller = new DeliverySender({
    deliver: async (_, delivery) => {
      deliveries.push(delivery)
      return { state: 'taken', count: delivery.logs.length }
    },
    notices: { of: () => undefined } as unknown as ReorgNotices,
    transaction: (work) => work(),
    sleep: () => new Promise(() => {}),
    log: () => {},
  })
  const log = { data: '0x' } as ChainLog
  const logs = Array.from({ length: DELIVERY_LOGS_MAX + 1 }, () => log)
  await teller.send('trigger', { generation: 1, lane: 'backfill', logs, backfillAt: null })
  expect(deliveries.map(({ logs: some, backfillAt }) => [some.length, backfillAt])).toEqual([
    [DELIVERY_LOGS_MAX, undefined],
    [1, null],
  ])
})
