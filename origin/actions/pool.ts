import { CpuUse } from './pool/cpu-use.ts'
import { Crew } from './pool/crew.ts'
import { FairQueue } from './pool/fair-queue.ts'
import type { Member } from './pool/member.ts'
import { Occupation } from './pool/member.ts'
import type { ActionPoolOptions } from './pool/options.ts'
import {
  LONG_COMPUTING_MS,
  RETRY_AFTER_MAX_MS,
  WAITING_BYTES_MAX,
  WAITING_MAX,
  withDefaults,
} from './pool/options.ts'
import { Shares } from './pool/shares.ts'
import type {
  ActionPool,
  Capability,
  PoolLoad,
  RunControl,
  RunLost,
  RunRequest,
  RunResult,
} from './run.ts'

export type { ActionPoolOptions, PoolEvent } from './pool/options.ts'

export function createActionPool(options: ActionPoolOptions = {}): ActionPool {
  return new Pool(options)
}

type Waiting = {
  account: string
  bytes: number
  request: RunRequest
  capability: Capability
  control: RunControl | undefined
  /** Monotonic clock, in milliseconds. */
  since: number
  resolve: (result: RunResult) => void
}

class Pool implements ActionPool {
  readonly #options: Required<ActionPoolOptions>
  readonly #queue = new FairQueue<Waiting>({ count: WAITING_MAX, bytes: WAITING_BYTES_MAX })
  readonly #shares: Shares
  readonly #cpuUse: CpuUse
  readonly #crew: Crew
  /** Reason why the pool no longer accepts runs; undefined while it does. */
  #over: string | undefined
  #watch: NodeJS.Timeout | undefined

  constructor(options: ActionPoolOptions) {
    this.#options = withDefaults(options)
    this.#cpuUse = new CpuUse(this.#options.cores)
    this.#shares = new Shares({
      ...this.#options,
      isShared: () => this.#cpuUse.isShared,
    })
    this.#crew = new Crew(this.#options, {
      free: (member) => this.#runEnded(member),
      changed: (member) => this.#runChanged(member),
      gone: (member) => this.#runEnded(member),
      again: () => this.#serve(),
      broken: (reason, forGood) => {
        if (forGood) this.#over ??= reason
        this.#giveUp(reason)
      },
    })
  }

  ready(): Promise<void> {
    return this.#crew.ready
  }

  refusal(
    request: Pick<RunRequest, 'account' | 'code' | 'params' | 'heldBytes'>,
  ): RunLost | undefined {
    if (this.#over !== undefined) return notStarted(this.#over)
    const { account } = request
    const ahead = this.#queue.countOf(account)
    const full = (reason: string): RunLost => {
      const waitMs = this.#shares.waitMs(account, ahead + 1)
      return isFull(reason, Math.min(waitMs, RETRY_AFTER_MAX_MS))
    }
    const wanted = { account, bytes: bytesOf(request) }
    if (!this.#queue.hasRoom(wanted) && !this.#queue.canMakeRoom(wanted))
      return full('too many runs are queued')
    // An account without queued or running runs is never refused because of other accounts' load.
    const isBusy = ahead > 0 || this.#shares.runningOf(account) > 0
    const isWaiting = ahead > 0 || !this.#mayStart(account)
    if (isBusy && isWaiting && this.#options.isUnderPressure())
      return full('all processors are busy')
    return undefined
  }

  run(request: RunRequest, capability: Capability, control?: RunControl): Promise<RunResult> {
    const refused = this.refusal(request)
    if (refused !== undefined) return Promise.resolve(refused)
    if (control?.signal.aborted || control?.unwanted?.aborted)
      return Promise.resolve(notStarted('stopped before its start'))
    return new Promise((resolve) => {
      const { account } = request
      const bytes = bytesOf(request)
      const since = performance.now()
      const waiting = { account, bytes, request, capability, control, since, resolve }
      for (const { resolve: refuse } of this.#queue.makeRoom(waiting))
        refuse(isFull('displaced by a run of an account without queued runs', RETRY_AFTER_MAX_MS))
      this.#queue.add(waiting)
      this.#serve()
      if (control === undefined || !this.#queue.has(waiting)) return
      const stop = () => {
        if (this.#queue.remove(waiting)) resolve(notStarted('stopped before its start'))
      }
      control.signal.addEventListener('abort', stop, { once: true })
      control.unwanted?.addEventListener('abort', stop, { once: true })
    })
  }

  load(): PoolLoad {
    return {
      ...this.#crew.counts(),
      waiting: this.#queue.count,
      isBroken: this.#over !== undefined || this.#crew.isBroken,
    }
  }

  async close(): Promise<void> {
    this.#over = 'the pool is closed'
    this.#giveUp(this.#over)
    clearInterval(this.#watch)
    await this.#crew.close()
  }

  #serve(): void {
    while (this.#crew.free > 0) {
      const next = this.#queue.take((account) => this.#mayStart(account))
      if (next === undefined) break
      const member = this.#crew.take()
      if (member !== undefined) this.#start(member, next)
    }
    this.#crew.staff(this.#shares.wanted(this.#queue.counts()))
  }

  /**
   * Reserves the last free executor for accounts without a running run, because starting another executor takes a
   * while.
   */
  #mayStart(account: string): boolean {
    if (this.#crew.free === 1 && this.#shares.runningOf(account) > 0) return false
    return this.#crew.free > 0 && this.#shares.mayStart(account)
  }

  #start(member: Member, waiting: Waiting): void {
    const { account, request, capability, control, since, resolve } = waiting
    const now = performance.now()
    this.#options.onRunStarted(now - since)
    member.occupation = new Occupation(account, now)
    this.#shares.started(account)
    if (this.#cpuUse.isHeavy(account, now)) member.priority.lower({ forGood: false })
    else member.priority.restore()
    this.#watch ??= setInterval(() => this.#look(), LONG_COMPUTING_MS / 4).unref()
    void member.executor.run(request, capability, control).then(resolve)
  }

  #runChanged(member: Member): void {
    const { executor, occupation } = member
    if (occupation === undefined) return
    this.#count(member, occupation)
    if (occupation.computing === executor.computing) return
    occupation.computing = executor.computing
    this.#shares.changed(occupation)
    if (!executor.computing) this.#serve()
  }

  #runEnded(member: Member): void {
    const { occupation } = member
    if (occupation !== undefined) {
      this.#count(member, occupation)
      member.occupation = undefined
      this.#shares.ended(occupation, occupation.heldMs(performance.now()))
    }
    if (this.#over === undefined) this.#serve()
  }

  /** A run that has computed for too long gets a lower priority than shorter runs. */
  #count({ executor, priority }: Member, occupation: Occupation): void {
    const ms = occupation.count(executor.computedMs)
    if (ms > 0) this.#cpuUse.add(occupation.account, ms, performance.now())
    if (occupation.isLong || occupation.computedMs < LONG_COMPUTING_MS) return
    occupation.isLong = true
    if (occupation.computing) this.#shares.becameLong()
    if (executor.state === 'running') priority.lower({ forGood: true })
  }

  #look(): void {
    if (this.#shares.running === 0) {
      clearInterval(this.#watch)
      this.#watch = undefined
    }
    this.#cpuUse.forget(performance.now())
    this.#serve()
  }

  #giveUp(reason: string): void {
    for (const { resolve } of this.#queue.clear()) resolve(notStarted(reason))
  }
}

function bytesOf({
  code,
  params,
  heldBytes = 0,
}: Pick<RunRequest, 'code' | 'params' | 'heldBytes'>): number {
  return Math.max(code.length + params.length, heldBytes)
}

function isFull(reason: string, retryAfterMs: number): RunLost {
  return { ...notStarted(reason), full: true, retryAfterMs }
}

function notStarted(reason: string): RunLost {
  return { kind: 'lost', reason, started: false }
}
