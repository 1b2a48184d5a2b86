import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { Drain, DrainingError } from '../../../origin/admission/drain.ts'

describe('a process that drains', () => {
  it('refuses new work from the beginning of the drain', () => {
    const drain = new Drain()
    drain.requireOpen()
    drain.begin()
    expect(() => drain.requireOpen()).toThrow(DrainingError)
  })

  it('waits for the work in flight, including work that is registered in the meantime', async () => {
    const drain = new Drain()
    const ended: string[] = []
    const work = async (name: string) => {
      await sleep(20)
      ended.push(name)
    }
    const first = work('first').then(() => {
      void drain.track(work('second'))
    })
    void drain.track(first)
    expect(await drain.wait(60_000)).toBe(0)
    expect(ended).toEqual(['first', 'second'])
  })

  it('counts failed work as ended, and passes on its error', async () => {
    const drain = new Drain()
    const failed = drain.track(Promise.reject(new Error('fault')))
    await expect(failed).rejects.toThrow('fault')
    expect(await drain.wait(60_000)).toBe(0)
  })

  it('stops waiting at the end of the grace, and returns the number of unfinished tasks', async () => {
    const drain = new Drain()
    const { promise, resolve } = Promise.withResolvers<void>()
    void drain.track(promise)
    void drain.track(promise.then(() => {}))
    expect(await drain.wait(0)).toBe(2)
    expect(await drain.wait(20)).toBe(2)
    resolve()
    expect(await drain.wait(60_000)).toBe(0)
  })
})
