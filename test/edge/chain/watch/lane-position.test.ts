import { expect, it } from 'vitest'
import { DeliveryCursor } from '../../../../edge/chain/watch/delivery-cursor.ts'

const laneAt = (block: number) => new DeliveryCursor('live', { block, logIndex: 0 })

it('lost logs: does not advance past a reorg that happened during the delivery', () => {
  const lane = laneAt(10)
  lane.beginDelivery()
  lane.rollBack(12)
  lane.advance({ block: 15, logIndex: 3 })
  expect(lane.next).toEqual({ block: 12, logIndex: 0 })
})

it('advances past a reorg that happened before the delivery', () => {
  const lane = laneAt(10)
  lane.rollBack(12)
  lane.beginDelivery()
  lane.advance({ block: 15, logIndex: 3 })
  expect(lane.next).toEqual({ block: 15, logIndex: 3 })
})
