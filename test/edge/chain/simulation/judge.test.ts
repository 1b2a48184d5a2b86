import { describe, expect, it } from 'vitest'
import { ScriptedChain } from '../../../doubles/chain-node/scripted-chain.ts'
import { type ChainEvent, ChainHistory, type ExpectedFilter } from './chain-history.ts'
import { judge, type JudgedRun, type Tenure } from './judge.ts'

const ADDRESS = `0x${'aa'.repeat(20)}`
const [TOPIC, OTHER_TOPIC] = [`0x${'01'.repeat(32)}`, `0x${'02'.repeat(32)}`]
const FILTER: ExpectedFilter = { addresses: [ADDRESS], topic0: TOPIC, topics: [] }
const OTHER_FILTER: ExpectedFilter = { ...FILTER, topic0: OTHER_TOPIC }

function someHistory() {
  const chain = new ScriptedChain()
  const history = new ChainHistory(chain)
  const transaction = () => chain.transaction([{ address: ADDRESS, topics: [TOPIC], data: '0x' }])
  const mineEmpty = (count: number) => {
    for (let mined = 0; mined < count; mined++) history.mine([])
  }
  const eventAt = (height: number) => history.matching(FILTER).find((e) => e.block === height)!
  return { chain, history, transaction, mineEmpty, eventAt }
}

const tenureOf = (tenure: Partial<Tenure>): Tenure => ({
  filter: FILTER,
  since: 1,
  backfill: null,
  finalities: [0],
  ...tenure,
})

const runOf = ({ identity, block, index }: ChainEvent, reorged: boolean): JudgedRun => ({
  sequence: 1,
  identity,
  block,
  index,
  reorged,
  decode: 'exact',
  decoded: null,
})

const judged = (tenures: Tenure[], runs: JudgedRun[], history: ChainHistory) =>
  judge({ tenures, unwatchedThrough: 0 }, runs, history, () => null)

describe('the depth at which a block was removed', () => {
  /** @param onTop blocks on top of the event's block before a reorg to a shorter branch, and another that removes it */
  function lostBelow(onTop: number) {
    const { history, transaction, mineEmpty, eventAt } = someHistory()
    history.mine([transaction()])
    const event = eventAt(1)
    mineEmpty(onTop)
    history.reorg(2, () => [[]])
    history.reorg(onTop, () => Array.from({ length: onTop + 1 }, () => []))
    return judged([tenureOf({ finalities: [12] })], [runOf(event, true)], history)
  }

  it('is measured from the highest head on top of the block, not from the head at the reorg', () => {
    expect(lostBelow(12)).toEqual([])
  })

  it('leads to a report if the block was never deep enough for its run', () => {
    expect(lostBelow(11)).toEqual(['phantom: run 1 of block 1 log 0, marked'])
  })
})

describe('the reorg mark of a run with a moved event', () => {
  /** @param place the height of the event's new block: 1, 2 or 3 */
  function movedTo(place: number, tenures: Tenure[], reorged: boolean) {
    const { history, transaction, mineEmpty, eventAt } = someHistory()
    const moving = transaction()
    mineEmpty(2)
    history.mine([moving])
    const run = runOf(eventAt(3), reorged)
    history.reorg(3, () => [1, 2, 3, 4].map((height) => (height === place ? [moving] : [])))
    return judged(tenures, [run], history)
  }
  const reconfigured = [tenureOf({ filter: OTHER_FILTER, until: 0 }), tenureOf({ since: 2 })]

  it('may stay if only an ended tenure covers the new block', () => {
    expect(movedTo(1, reconfigured, true)).toEqual([])
  })

  it('must be removed if the current tenure covers the new block', () => {
    expect(movedTo(2, reconfigured, true)).toEqual([
      'marked though on the chain: run 1 of block 3 log 0, marked',
    ])
  })
})

describe('the backfill of a trigger that was disabled and enabled again', () => {
  /** @param isKnown whether the watcher followed the new branch at its last delivery */
  function replaced(isKnown: boolean) {
    const { chain, history, transaction, mineEmpty } = someHistory()
    mineEmpty(3)
    const old = chain.head.hash
    history.reorg(2, () => [[transaction()], [], []])
    const tenures = [
      tenureOf({
        since: 4,
        backfill: { from: 1, to: 3 },
        until: history.moment,
        backfillLeftAt: 4,
        backfillBranch: isKnown ? chain.head.hash : old,
      }),
      tenureOf({ since: 5 }),
    ]
    return judged(tenures, [], history)
  }

  it('does not require events of a branch that the watcher did not follow in time', () => {
    expect(replaced(false)).toEqual([])
  })

  it('requires the events of the branch on which it was delivered', () => {
    expect(replaced(true)).toEqual(['missing: block 2 log 0'])
  })
})
