import { expect, it } from 'vitest'
import { RUNS_PER_REQUEST_MAX } from '../../../shared/wire/sealed-runs.ts'
import { away, endedWith, never, refused, settled, simulate } from './simulation.ts'

const MINUTE = 60_000

it('finishes running runs while disabled, and starts queued runs and retries when enabled again', () =>
  simulate({}, async (sim) => {
    let answer = () => {}
    sim.behaviour.execute = ({ suffix }) =>
      suffix === sim.rows()[0]!.suffix
        ? new Promise((resolve) => (answer = () => resolve(endedWith('ended'))))
        : refused(500)
    await sim.add(2)
    await sim.patch({ enabled: false })
    await sim.add(1)
    await sim.advance(10 * MINUTE)
    expect(sim.calls).toHaveLength(2)
    answer()
    await settled()
    expect(sim.statuses()).toEqual(['success', 'queued', 'queued'])
    sim.behaviour.execute = () => endedWith('enabled')
    await sim.patch({ enabled: true })
    expect(sim.rows().map(({ status, attempt }) => [status, attempt])).toEqual([
      ['success', 1],
      ['success', 2],
      ['success', 1],
    ])
  }))

it('requeues a run that the previous incarnation started but did not send, without using an attempt', () =>
  simulate({}, async (sim) => {
    sim.behaviour.execute = never
    await sim.add(1)
    sim.behaviour.execute = () => endedWith('sent')
    sim.state.change({ enabled: false }, sim.now)
    await sim.restart()
    expect(sim.calls).toHaveLength(1)
    expect(sim.rows()).toMatchObject([{ status: 'queued', attempt: 0 }])
    await sim.patch({ enabled: true })
    expect(sim.rows()).toMatchObject([{ status: 'success', attempt: 1 }])
  }))

it('requeues runs that wait for a connection', () =>
  simulate({ concurrency: 64 }, async (sim) => {
    const answers: (() => void)[] = []
    sim.behaviour.execute = () =>
      new Promise((resolve) => answers.push(() => resolve(endedWith('ended'))))
    const sent = 3 * RUNS_PER_REQUEST_MAX
    await sim.add(sent + 5)
    expect(sim.calls).toHaveLength(sent)
    await sim.patch({ enabled: false })
    for (const answer of answers) answer()
    await settled()
    expect(sim.calls).toHaveLength(sent)
    expect(sim.statuses()).toEqual([...Array(sent).fill('success'), ...Array(5).fill('queued')])
    expect(sim.queued).toBe(5)
  }))

it('does not count disabled time as time without the origin', () =>
  simulate({}, async (sim) => {
    sim.behaviour.execute = away
    sim.behaviour.outcomes = away
    await sim.add(1)
    await sim.patch({ enabled: false })
    await sim.advance(48 * 60 * MINUTE)
    await sim.patch({ enabled: true })
    expect(sim.statuses()).toEqual(['queued'])
    sim.behaviour.execute = () => endedWith('back')
    sim.behaviour.outcomes = (suffixes) => ({ ended: {}, running: [], unknown: suffixes })
    await sim.advance(MINUTE)
    expect(sim.statuses()).toEqual(['failed'])
    expect(sim.result().error).toMatch(/^outcome_lost: .* may have run/)
  }))
