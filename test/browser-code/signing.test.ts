import { beforeEach, describe, expect, it } from 'vitest'
import type { Explanation } from '../../edge/browser/chain-secured/explanation.ts'
import { Signing } from '../../edge/browser/console/wallets/signing.ts'

const EXPLANATION: Explanation = {
  kind: 'transaction',
  title: 'Remove a group',
  summary: '',
  facts: [],
  undo: '',
  isIrreversible: false,
}

describe('a wallet request shown to the user', () => {
  let now: number
  let wakes: (() => void)[]
  let signing: Signing
  beforeEach(() => {
    now = 0
    wakes = []
    const sleep = () => new Promise<void>((wake) => void wakes.push(wake))
    signing = new Signing({ now: () => now, sleep })
  })
  const unanswered = () => Promise.withResolvers<void>()
  const isOver = async (promise: Promise<unknown>) => {
    let over = false
    const end = () => void (over = true)
    promise.then(end, end)
    await new Promise((done) => setImmediate(done))
    return over
  }
  const pass = async () => {
    for (const wake of wakes.splice(0)) wake()
    await new Promise((done) => setImmediate(done))
  }

  it('is shown until it is decided', async () => {
    const explained = signing.confirm(EXPLANATION)
    expect(signing.state.shown).toEqual({ phase: 'explained', explanation: EXPLANATION })
    signing.decide(true)
    await explained
    signing.requested()
    expect(signing.state.shown?.phase).toBe('asked')
    signing.ended()
    expect(signing.state.shown).toBeUndefined()
  })

  it("is rejected with the code of a wallet's own rejection", async () => {
    const explained = signing.confirm(EXPLANATION)
    signing.decide(false)
    await expect(explained).rejects.toMatchObject({ code: 4001 })
    expect(signing.state.shown).toBeUndefined()
  })

  it('is rejected while another one is shown', async () => {
    const first = signing.confirm(EXPLANATION)
    await expect(signing.confirm(EXPLANATION)).rejects.toMatchObject({ code: 4001 })
    signing.decide(true)
    await first
  })

  it('does not show a waiting state if the wallet answers soon', async () => {
    const { promise, resolve } = unanswered()
    const stopped = signing.untilStopped('answer', promise)
    resolve()
    await promise
    await pass()
    expect(signing.state.shown).toBeUndefined()
    expect(await isOver(stopped)).toBe(false)
  })

  it('waits for a slow wallet until the user stops waiting', async () => {
    const stopped = signing.untilStopped('show its address', unanswered().promise)
    await pass()
    expect(signing.state.shown).toEqual({ phase: 'waiting', what: 'show its address' })
    signing.stopWaiting()
    await stopped
    expect(signing.state.shown).toBeUndefined()
  })

  it('shows the waiting state of a silent wallet only once until it answers', async () => {
    const first = unanswered()
    const stopped = signing.untilStopped('answer', first.promise)
    await pass()
    signing.stopWaiting()
    await stopped
    await signing.untilStopped('answer', unanswered().promise)
    first.resolve()
    await first.promise
    await pass()
    expect(await isOver(signing.untilStopped('answer', unanswered().promise))).toBe(false)
  })

  it('shows the state of sent transactions', () => {
    signing.sent({ title: 'Remove a group', transaction: '0xab', isLate: false })
    signing.step({ step: 'sent', what: 'remove group 3', transaction: '0xab' })
    signing.step({ step: 'mined', what: 'remove group 3', transaction: '0xab', block: 12 })
    expect(signing.state.sent).toEqual([
      { title: 'Remove a group', transaction: '0xab', state: 'mined', block: 12 },
    ])
    signing.step({ step: 'seen', what: 'the usage key' })
    expect(signing.state.sent[0]!.state).toBe('seen')
  })

  it('does not show a failed transaction as pending', () => {
    signing.sent({ title: 'Remove a group', transaction: '0xab', isLate: false })
    signing.failed(Object.assign(new Error('reverted'), { transaction: '0xab' }))
    expect(signing.state.sent[0]!.state).toBe('failed')
  })

  it('is discarded when the wallet is disconnected', async () => {
    const explained = signing.confirm(EXPLANATION)
    signing.sent({ title: 'Remove a group', transaction: '0xab', isLate: false })
    signing.forget()
    await expect(explained).rejects.toMatchObject({ code: 4001 })
    expect(signing.state).toEqual({ shown: undefined, sent: [] })
  })
})
