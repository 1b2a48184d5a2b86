/**
 * Measures executions from the caller of the pool and over HTTP with a key. The baselines are a bare message to a child
 * process and back, and a fresh sandbox that evaluates ethers' own bundle and signs.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { getQuickJS } from 'quickjs-emscripten'
import { createActionPool } from '../../origin/actions/pool.ts'
import type { ActionPool, Capability, ActionResult } from '../../origin/actions/run.ts'
import { actionCid } from '../../shared/cid/compute-cid.ts'
import { measureMemory } from './actions-memory.ts'
import { measureService } from './actions-service.ts'
import { measureSigning } from './actions-signing.ts'
import { median, type Metric, report } from './report.ts'

const KEY = `0x${'01'.repeat(32)}`
const NO_KEYS: Capability = { keyOperation: async () => KEY }
const TRIVIAL = 'async function main(params) { return params.a + 1 }'
/** Code of the runs of `sign_p50_ms`. */
export const SIGN = `async function main() { return new ethers.Wallet('${KEY}').signMessage('hello') }`
const PURE_SIGN = `new ethers.Wallet('${KEY}').signMessage('hello')`

/** Globals that ethers' own bundle needs on load and QuickJS lacks. */
const BROWSER_GLOBALS = `
  globalThis.self = globalThis
  globalThis.console = { log() {}, warn() {}, error() {} }
  globalThis.setTimeout = globalThis.clearTimeout = () => 0
  const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
  globalThis.btoa = () => { throw new Error('not used') }
  globalThis.atob = (text) => {
    let out = '', held = 0, bits = 0
    for (const digit of text.replace(/=+$/, '')) {
      held = ((held << 6) | DIGITS.indexOf(digit)) & 0xffff
      bits += 6
      if (bits >= 8) out += String.fromCharCode((held >> (bits -= 8)) & 255)
    }
    return out
  }`

const WARM_UP = 1_000
const CALLS = 3_000
const FRESH_CONTEXTS = 3
const WINDOWS = 5
const WINDOW_MS = 2_000
const IN_FLIGHT = 16

/** Endless actions, each of which must be killed. */
const ENDLESS = [
  'async function main() { for (;;); }',
  'async function main() { for (;;) await null }',
  `async function main() { /^(a+)+$/.test('a'.repeat(40)) }`,
  `async function main() { const s = 'x'.repeat(1 << 20); for (let n = 0; ; n++) s.split('').sort() }`,
  // Loops inside the engine, which never check for an interruption:
  `async function main() { return Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1) }`,
  `async function main() { return Array.prototype.includes.call({ length: 2 ** 53 - 1 }, 1) }`,
  `async function main() { let a = ['x'.repeat(1 << 20)]; for (;;) a.join = a.join('y') }`,
  `async function main() { let n = 3n ** 100000n; for (let i = 0; i < 12; i++) n *= n; return String(n).length }`,
]
const KILL_AFTER_MS = 100
const KILLS_EACH = 12

const metric = (values: Omit<Metric, 'bench'>) => report({ bench: 'actions', ...values })

export async function actions(): Promise<void> {
  const pool = createActionPool({ min: 2, max: 16 })
  await pool.ready()
  try {
    for (let run = 0; run < WARM_UP; run++) await Promise.all([1, 2].map(() => runOnce(pool, SIGN)))
    const hopMs = await bareHopMs()
    const trivialMs = await latencyMs(pool, TRIVIAL)
    metric({
      metric: 'exec_trivial_p50_ms',
      value: trivialMs,
      unit: 'ms',
      baseline: hopMs,
      ratio: trivialMs / hopMs,
    })
    const signMs = await latencyMs(pool, SIGN)
    const freshMs = await freshContextMs()
    metric({
      metric: 'sign_p50_ms',
      value: signMs,
      unit: 'ms',
      baseline: freshMs,
      ratio: freshMs / signMs,
    })
    await measureSigning(pool, metric)
    metric({ metric: 'exec_rate', value: await rate(pool, TRIVIAL), unit: 'runs/s' })
    metric({ metric: 'sign_rate', value: await rate(pool, SIGN), unit: 'runs/s' })
    metric({ metric: 'kill_overrun_p99_ms', value: await killOverrunMs(pool), unit: 'ms' })
  } finally {
    await pool.close()
  }
  await measureMemory(metric)
  metric({ metric: 'cid_p50_ms', value: await cidMs(), unit: 'ms' })
  await measureService(metric)
}

async function runOnce(pool: ActionPool, code: string, wallMs = 10_000): Promise<ActionResult> {
  const request = { code, params: '{"a":41}', wallMs, cpuMs: wallMs, account: 'bench' }
  return pool.run(request, NO_KEYS)
}

async function returned(pool: ActionPool, code: string): Promise<void> {
  const result = await runOnce(pool, code)
  if (result.kind !== 'returned') throw new Error(`a run failed: ${JSON.stringify(result)}`)
}

async function latencyMs(pool: ActionPool, code: string): Promise<number> {
  const times: number[] = []
  for (let call = 0; call < CALLS; call++) times.push(await timed(() => returned(pool, code)))
  return median(times)
}

/** Runs per second with `IN_FLIGHT` callers, as the median of several windows. */
async function rate(pool: ActionPool, code: string): Promise<number> {
  const rates: number[] = []
  for (let window = 0; window < WINDOWS; window++) {
    const end = performance.now() + WINDOW_MS
    let runs = 0
    const caller = async () => {
      for (; performance.now() < end; runs++) await returned(pool, code)
    }
    const ms = await timed(() => Promise.all(Array.from({ length: IN_FLIGHT }, caller)))
    rates.push((runs / ms) * 1000)
  }
  return median(rates)
}

async function killOverrunMs(pool: ActionPool): Promise<number> {
  const overruns: number[] = []
  for (let kill = 0; kill < KILLS_EACH; kill++) {
    for (const code of ENDLESS) {
      const ms = await timed(() => runOnce(pool, code, KILL_AFTER_MS))
      overruns.push(ms - KILL_AFTER_MS)
    }
  }
  return overruns.toSorted((a, b) => a - b)[Math.floor(overruns.length * 0.99)] ?? 0
}

/** Round trip of a message to a child process: the lower bound for any run in another process. */
async function bareHopMs(): Promise<number> {
  const child = fork(fileURLToPath(new URL('./baseline/echo.ts', import.meta.url)), {
    execArgv: ['--disable-warning=ExperimentalWarning'],
  })
  const hop = async () => {
    const answered = once(child, 'message')
    child.send({ code: TRIVIAL, params: '{"a":41}' })
    await answered
  }
  for (let run = 0; run < WARM_UP; run++) await hop()
  const times: number[] = []
  for (let call = 0; call < CALLS; call++) times.push(await timed(hop))
  child.kill()
  return median(times)
}

/** Cost of a signature without sharing: a new context, ethers' own bundle, and its own curve. */
async function freshContextMs(): Promise<number> {
  const bundle = createRequire(import.meta.url).resolve('ethers-v5/dist/ethers.umd.min.js')
  const ethers = readFileSync(bundle, 'utf8')
  const quickJs = await getQuickJS()
  const times: number[] = []
  for (let context = 0; context < FRESH_CONTEXTS; context++) {
    const ms = await timed(async () => {
      const vm = quickJs.newContext()
      vm.unwrapResult(vm.evalCode(BROWSER_GLOBALS)).dispose()
      vm.unwrapResult(vm.evalCode(ethers)).dispose()
      const signed = vm.unwrapResult(vm.evalCode(PURE_SIGN))
      vm.runtime.executePendingJobs()
      const { type } = vm.getPromiseState(signed)
      if (type !== 'fulfilled') throw new Error(`the fresh context did not sign: ${type}`)
      signed.dispose()
      vm.dispose()
    })
    times.push(ms)
  }
  return median(times)
}

async function cidMs(): Promise<number> {
  const times: number[] = []
  for (let call = 0; call < CALLS; call++) {
    const source = `${SIGN} // ${call} ${'.'.repeat(20_000)}`
    times.push(await timed(() => actionCid(source)))
  }
  return median(times)
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  await work()
  return performance.now() - began
}
