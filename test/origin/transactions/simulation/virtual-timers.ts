import { AsyncLocalStorage } from 'node:async_hooks'
import type { Owner, VirtualTime } from '../../credits/simulation/virtual-time.ts'

const owners = new AsyncLocalStorage<Owner>()

/** Runs code of a simulated process. Its timers, and those of all that it starts, are events of the simulation. */
export const runAs = <Result>(owner: Owner, act: () => Result): Result => owners.run(owner, act)

type Callback = (...args: unknown[]) => void

/** Handle of a virtual timer, with the members of Node's. */
class VirtualTimer {
  cancel: () => void = () => {}
  ref(): this {
    return this
  }
  unref(): this {
    return this
  }
  hasRef(): boolean {
    return true
  }
}

/**
 * Replaces the global timers during a simulation. Code that does not belong to a simulated process gets real ones, such
 * as that of the test runner.
 */
export async function withVirtualTimers<Result>(
  time: VirtualTime,
  simulate: () => Promise<Result>,
): Promise<Result> {
  const real = { setTimeout, clearTimeout, setInterval, clearInterval }
  const start = (callback: Callback, ms: number, args: unknown[], repeats: boolean) => {
    const owner = owners.getStore()!
    const timer = new VirtualTimer()
    const act = () => {
      if (repeats) timer.cancel = time.after(ms, act, owner)
      owners.run(owner, () => callback(...args))
    }
    timer.cancel = time.after(ms, act, owner)
    return timer
  }
  const replaced =
    (given: typeof real.setTimeout | typeof real.setInterval, repeats: boolean) =>
    (callback: Callback, ms = 0, ...args: unknown[]) =>
      owners.getStore() ? start(callback, ms, args, repeats) : given(callback, ms, ...args)
  const cleared = (given: typeof real.clearTimeout) => (timer: unknown) =>
    timer instanceof VirtualTimer ? timer.cancel() : given(timer as NodeJS.Timeout)
  Object.assign(globalThis, {
    setTimeout: replaced(real.setTimeout, false),
    setInterval: replaced(real.setInterval, true),
    clearTimeout: cleared(real.clearTimeout),
    clearInterval: cleared(real.clearInterval),
  })
  try {
    return await simulate()
  } finally {
    Object.assign(globalThis, real)
  }
}
