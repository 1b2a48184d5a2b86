import { CpuUsage } from './pool/cpu-usage.ts'
import { ExecutorSupervisor } from './pool/executor-supervisor.ts'
import { FairQueue } from './pool/fair-queue.ts'
import { type PooledExecutor, RunAssignment } from './pool/pooled-executor.ts'
import type { ActionPoolOptions } from './pool/options.ts'
import { LONG_COMPUTING_MS, RETRY_AFTER_MAX_MS, QUEUE_MAX, withDefaults } from './pool/options.ts'
import { ExecutorShares } from './pool/shares.ts'
import type {
  ActionPool,
  Capability,
  PoolLoad,
  RunControl,
  LostResult,
  RunRequest,
  ActionResult,
} from './run.ts'

export type { ActionPoolOptions, PoolEvent } from './pool/options.ts'

export function createActionPool(options: ActionPoolOptions = {}): ActionPool {
  return new Pool(options)
}

type PendingRun = {
  account: string
  bytes: number
  request: RunRequest
  capability: Capability
  control: RunControl | undefined
  /** Time on the monotonic clock, in milliseconds. */
  since: number
  resolve: (result: ActionResult) => void
}

class Pool implements ActionPool {
  readonly #options: Required<ActionPoolOptions>
  readonly #queue: FairQueue<PendingRun>
  readonly #shares: ExecutorShares
  readonly #cpuUsage: CpuUsage
  readonly #supervisor: ExecutorSupervisor
  #closedReason: string | undefined
  #isDraining = false
  #reviewTimer: NodeJS.Timeout | undefined

  constructor(options: ActionPoolOptions) {
    this.#options = withDefaults(options)
    this.#queue = new FairQueue({ count: QUEUE_MAX, bytes: this.#options.queuedBytes })
    this.#cpuUsage = new CpuUsage(this.#options.cores)
    this.#shares = new ExecutorShares({
      ...this.#options,
      isShared: () => this.#cpuUsage.isShared,
    })
    this.#supervisor = new ExecutorSupervisor(this.#options, {
      onFree: (member) => this.#runEnded(member),
      onRunChanged: (member) => this.#runChanged(member),
      onExited: (member) => this.#runEnded(member),
      onRetry: () => this.#dispatch(),
      onBroken: (reason, forGood) => {
        if (forGood) this.#closedReason ??= reason
        this.#dropQueued(lostBeforeStart(reason))
      },
    })
  }

  ready(): Promise<void> {
    return this.#supervisor.ready
  }

  refusal(
    request: Pick<RunRequest, 'account' | 'code' | 'params' | 'heldBytes'>,
  ): LostResult | undefined {
    if (this.#isDraining) return DRAINING
    if (this.#closedReason !== undefined) return lostBeforeStart(this.#closedReason)
    const { account } = request
    const queuedAhead = this.#queue.countOf(account)
    const full = (reason: string): LostResult => {
      const waitMs = this.#shares.waitMs(account, queuedAhead + 1)
      return queueFull(reason, Math.min(waitMs, RETRY_AFTER_MAX_MS))
    }
    const wanted = { account, bytes: requestBytes(request) }
    if (!this.#queue.hasRoom(wanted) && !this.#queue.canDisplace(wanted))
      return full('too many runs are queued')
    // An account without queued or running runs is never refused because of other accounts' load.
    const isBusy = queuedAhead > 0 || this.#shares.runningOf(account) > 0
    const isWaiting = queuedAhead > 0 || !this.#mayStart(account)
    if (isBusy && isWaiting && this.#options.isUnderPressure())
      return full('all processors are busy')
    return undefined
  }

  run(request: RunRequest, capability: Capability, control?: RunControl): Promise<ActionResult> {
    const refused = this.refusal(request)
    if (refused !== undefined) return Promise.resolve(refused)
    if (control?.signal.aborted || control?.unwanted?.aborted)
      return Promise.resolve(lostBeforeStart('stopped before its start'))
    return new Promise((resolve) => {
      const { account } = request
      const bytes = requestBytes(request)
      const since = performance.now()
      const waiting = { account, bytes, request, capability, control, since, resolve }
      for (const { resolve: refuse } of this.#queue.displace(waiting))
        refuse(
          queueFull('displaced by a run of an account without queued runs', RETRY_AFTER_MAX_MS),
        )
      this.#queue.add(waiting)
      this.#dispatch()
      if (control === undefined || !this.#queue.has(waiting)) return
      const stop = () => {
        if (this.#queue.remove(waiting)) resolve(lostBeforeStart('stopped before its start'))
      }
      control.signal.addEventListener('abort', stop, { once: true })
      control.unwanted?.addEventListener('abort', stop, { once: true })
    })
  }

  load(): PoolLoad {
    return {
      ...this.#supervisor.counts(),
      waiting: this.#queue.count,
      isBroken: this.#closedReason !== undefined || this.#supervisor.isBroken,
    }
  }

  drain(): void {
    this.#isDraining = true
    this.#dropQueued(DRAINING)
  }

  async close(): Promise<void> {
    this.#closedReason = 'the pool is closed'
    this.#dropQueued(lostBeforeStart(this.#closedReason))
    clearInterval(this.#reviewTimer)
    await this.#supervisor.close()
  }

  #dispatch(): void {
    while (this.#supervisor.free > 0) {
      const next = this.#queue.take((account) => this.#mayStart(account))
      if (next === undefined) break
      const member = this.#supervisor.take()
      if (member !== undefined) this.#start(member, next)
    }
    this.#supervisor.scale(this.#shares.wanted(this.#queue.counts()))
  }

  /**
   * Checks whether an account may start a run now. Reserves the last free executor for accounts without a running run,
   * because starting another executor takes a while.
   */
  #mayStart(account: string): boolean {
    if (this.#supervisor.free === 1 && this.#shares.runningOf(account) > 0) return false
    return this.#supervisor.free > 0 && this.#shares.mayStart(account)
  }

  #start(member: PooledExecutor, waiting: PendingRun): void {
    const { account, request, capability, control, since, resolve } = waiting
    const now = performance.now()
    this.#options.onRunStarted(now - since)
    member.occupation = new RunAssignment(account, now)
    this.#shares.started(account)
    if (this.#cpuUsage.isHeavy(account, now)) member.priority.lower({ forGood: false })
    else member.priority.restore()
    this.#reviewTimer ??= setInterval(() => this.#review(), LONG_COMPUTING_MS / 4).unref()
    void member.executor.run(request, capability, control).then(resolve)
  }

  #runChanged(member: PooledExecutor): void {
    const { executor, occupation } = member
    if (occupation === undefined) return
    this.#recordCpuTime(member, occupation)
    if (occupation.computing === executor.computing) return
    occupation.computing = executor.computing
    this.#shares.changed(occupation)
    if (!executor.computing) this.#dispatch()
  }

  #runEnded(member: PooledExecutor): void {
    const { occupation } = member
    if (occupation !== undefined) {
      this.#recordCpuTime(member, occupation)
      member.occupation = undefined
      this.#shares.ended(occupation, occupation.heldMs(performance.now()))
    }
    if (this.#closedReason === undefined) this.#dispatch()
  }

  /** A run that has computed for too long gets a lower priority than shorter runs. */
  #recordCpuTime({ executor, priority }: PooledExecutor, occupation: RunAssignment): void {
    const ms = occupation.count(executor.computedMs)
    if (ms > 0) this.#cpuUsage.add(occupation.account, ms, performance.now())
    if (occupation.isLong || occupation.computedMs < LONG_COMPUTING_MS) return
    occupation.isLong = true
    if (occupation.computing) this.#shares.becameLong()
    if (executor.state === 'running') priority.lower({ forGood: true })
  }

  #review(): void {
    if (this.#shares.running === 0) {
      clearInterval(this.#reviewTimer)
      this.#reviewTimer = undefined
    }
    this.#cpuUsage.evictInactive(performance.now())
    this.#dispatch()
  }

  #dropQueued(result: LostResult): void {
    for (const { resolve } of this.#queue.clear()) resolve(result)
  }
}

function requestBytes({
  code,
  params,
  heldBytes = 0,
}: Pick<RunRequest, 'code' | 'params' | 'heldBytes'>): number {
  return Math.max(code.length + params.length, heldBytes)
}

function queueFull(reason: string, retryAfterMs: number): LostResult {
  return { ...lostBeforeStart(reason), full: true, retryAfterMs }
}

const DRAINING: LostResult = { ...lostBeforeStart('the pool drains'), draining: true }

function lostBeforeStart(reason: string): LostResult {
  return { kind: 'lost', reason, started: false }
}
