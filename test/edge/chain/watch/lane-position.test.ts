import { expect, it } from 'vitest'
import { LanePosition } from '../../../../edge/chain/watch/lane-position.ts'

const laneAt = (block: number) => new LanePosition('live', { block, logIndex: 0 })

it('lost logs: does not advance past a reorg that happened during the delivery', () => {
  const lane = laneAt(10)
  lane.begin()
  lane.goBack(12)
  lane.advance({ block: 15, logIndex: 3 })
  expect(lane.next).toEqual({ block: 12, logIndex: 0 })
})

it('advances past a reorg that happened before the delivery', () => {
  const lane = laneAt(10)
  lane.goBack(12)
  lane.begin()
  lane.advance({ block: 15, logIndex: 3 })
  expect(lane.next).toEqual({ block: 15, logIndex: 3 })
})
