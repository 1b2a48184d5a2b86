/** Four processes on one database, which are killed and suspended, and whose clocks jump. */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { OpenDatabase } from '../../../origin/db/open.ts'
import { boundsOr } from '../../nightly/bounds.ts'
import { Random } from '../credits/simulation/random.ts'
import { openWithClock, setDatabaseClock } from './database-clock.ts'
import { newWallet } from './reservations.ts'
import { type Attempt, overspent, parseSignatureLog } from './signature-log.ts'
import type { Load, SumsProcess } from './sums-process.ts'

const { first: seed, count } = boundsOr({ first: 1, count: 600 })
const PROCESSES = 4
const SPEED = 10

/** All sums have a window of seconds in real time. */
const SHORT = {
  limits: [
    { key: 'minute', max: 4_500, window_s: 60 },
    { key: 'half a minute', max: 2_500, window_s: 30 },
  ],
  amountMax: 20,
}

/** No process is killed during the first load. */
const LOADS: readonly Load[] = [
  {
    wallets: [newWallet(), newWallet()],
    limits: [
      { key: 'a', max: 80, window_s: 86_400 },
      { key: 'b', max: 90, window_s: 86_400 },
    ],
    amountMax: 1,
    count: 64,
  },
  {
    ...SHORT,
    wallets: [newWallet(), newWallet(), newWallet()],
    count: Math.ceil(count / PROCESSES),
  },
  // Without contention, most sums are as the process last saw them.
  {
    ...SHORT,
    wallets: Array.from({ length: PROCESSES }, newWallet),
    isDivided: true,
    count: Math.ceil(count / 2 / PROCESSES),
  },
]

let database: OpenDatabase & { url: string }
let folder: string
const since = Date.now()
const random = new Random(seed)

beforeAll(async () => {
  database = await openWithClock()
  await setDatabaseClock(database, { since, speed: SPEED })
  folder = mkdtempSync(join(tmpdir(), 'svc-sums-'))
})
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true })
  await database.close()
})

/** One of the processes, with its successors. */
class Signer {
  readonly #file: string
  readonly #index: number
  #child: ChildProcess | undefined
  #clock = Promise.withResolvers<void>()
  readonly #finished = LOADS.map(() => Promise.withResolvers<void>())

  constructor(index: number) {
    this.#index = index
    this.#file = join(folder, `${index}.log`)
  }

  start(): void {
    const config: SumsProcess = {
      url: database.url,
      file: this.#file,
      index: this.#index,
      seed: random.next(),
      since,
      speed: SPEED,
      loads: LOADS,
    }
    const path = fileURLToPath(new URL('./sums-process.ts', import.meta.url))
    this.#child = fork(path, [JSON.stringify(config)], { execArgv: [] })
    this.#child.on('message', (message: { finished: number } | 'clock is set') => {
      if (message === 'clock is set') this.#clock.resolve()
      else this.#finished[message.finished]!.resolve()
    })
    this.#child.on('exit', (code) => {
      const error = new Error(`a process exited with ${code}`)
      if (code !== null) for (const { reject } of this.#finished) reject(error)
    })
  }

  finished(load: number): Promise<void> {
    return this.#finished[load]!.promise
  }

  async kill(): Promise<void> {
    const child = this.#child!
    if (child.exitCode !== null || child.signalCode !== null) return
    const exit = once(child, 'exit')
    child.kill('SIGKILL')
    await exit
  }

  async suspend(ms: number): Promise<void> {
    const child = this.#child!
    child.kill('SIGSTOP')
    await sleep(ms)
    child.kill('SIGCONT')
  }

  /** Resolves when no reservation depends on the previous clock. A process that has finished does not answer. */
  async setClock(aheadMs: number): Promise<void> {
    const child = this.#child!
    this.#clock = Promise.withResolvers()
    child.send({ aheadMs })
    await Promise.race([this.#clock.promise, this.finished(LOADS.length - 1)])
  }

  attempts(): Attempt[] {
    return parseSignatureLog(readFileSync(this.#file, 'utf8'))
  }
}

it('never exceed a cap in any window, whatever is killed, and lose nothing of it otherwise', async ({
  task,
}) => {
  const signers = Array.from({ length: PROCESSES }, (_, index) => new Signer(index))
  const figures = { kills: 0, suspensions: 0, 'clock jumps': 0 }
  for (const signer of signers) signer.start()
  try {
    await Promise.all(signers.map((signer) => signer.finished(0)))
    const ended = new AbortController()
    const over = Promise.all(signers.map((signer) => signer.finished(LOADS.length - 1))).then(() =>
      ended.abort(),
    )
    while (!ended.signal.aborted) await disturb(signers, figures, over)
  } finally {
    await Promise.all(signers.map((signer) => signer.kill()))
  }
  const attempts = signers.flatMap((signer) => signer.attempts())
  expect(overspent(attempts, LOADS)).toEqual([])

  const calm = attempts.filter(({ load }) => load === 0)
  for (const wallet of LOADS[0]!.wallets) {
    const of = calm.filter((one) => one.wallet === wallet)
    const [signed, failed] = [countOf(of, 'signed'), countOf(of, 'failed')]
    expect(signed).toBeLessThanOrEqual(80)
    expect(signed + failed, 'lost of a cap').toBeGreaterThanOrEqual(80)
  }
  const disturbed = attempts.filter(({ load }) => load > 0)
  task.meta.figures = {
    ...figures,
    signed: countOf(disturbed, 'signed'),
    refused: countOf(disturbed, 'refused'),
    failed: countOf(disturbed, 'failed'),
    retried: disturbed.filter(({ isRetried }) => isRetried).length,
    'failed without a disturbance': countOf(calm, 'failed'),
  }
})

/** One clock is wrong at a time: that of the database, or those of processes. */
async function disturb(
  signers: readonly Signer[],
  figures: { kills: number; suspensions: number; 'clock jumps': number },
  over: Promise<unknown>,
): Promise<void> {
  const signer = random.pick(signers)
  const aheadMs = random.pick([-86_400_000, -55_000, -20_000, 20_000, 55_000, 55_000, 86_400_000])
  const pause = () => Promise.race([sleep(random.integer(50, 400)), over])
  const kind = random.pick(['kill', 'kill', 'suspend', 'clock', 'database'] as const)
  if (kind === 'kill') {
    figures.kills++
    await signer.kill()
    signer.start()
  } else if (kind === 'suspend') {
    figures.suspensions++
    await signer.suspend(random.integer(50, 1_000))
  } else if (kind === 'clock') {
    figures['clock jumps']++
    await signer.setClock(aheadMs)
    await pause()
    await signer.setClock(0)
  } else {
    figures['clock jumps']++
    await setDatabaseClock(database, { since, speed: SPEED, aheadMs })
    await pause()
    await setDatabaseClock(database, { since, speed: SPEED })
    // Transactions that have read the wrong clock end first.
    await Promise.all(signers.map((one) => one.setClock(0)))
  }
  await pause()
}

const countOf = (attempts: readonly Attempt[], answer: Attempt['answer']) =>
  attempts.filter((one) => one.answer === answer).length
