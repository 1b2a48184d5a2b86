import { Wallet } from 'ethers'
import type { Capability, ActionResult } from '../../../origin/actions/run.ts'
import { NO_KEYS } from '../actions/sandbox.ts'
import { NAMES_PROBE, PROBE, probedLines } from './probe.ts'

type BenignRun = {
  code: string
  params: unknown
  keys: Capability
  isRight: (result: ActionResult) => boolean
}

/** Number of wallets. Each key is also used once outside the sandbox, to compute the expected answers. */
const WALLETS = 64

const value = (result: ActionResult): unknown =>
  result.kind === 'returned' ? JSON.parse(result.value) : undefined

const keyOf = (number: number) =>
  `0x${(BigInt(number % WALLETS) + 1n).toString(16).padStart(2, '0').repeat(32)}`
const signatures = new Map<string, string>()

/** Both ethers versions create the same signature, because of RFC 6979. */
function signature(key: string): string {
  const known = signatures.get(key) ?? new Wallet(key).signMessageSync(key)
  signatures.set(key, known)
  return known
}

const grants = (key: string): Capability => ({ keyOperation: () => Promise.resolve(key) })

let names: string | undefined

/** Returns false if the sandbox's global names differ from those that the first sandbox showed. */
function sameNames(result: ActionResult): boolean {
  if (result.kind !== 'returned') return false
  const seen = probedLines(result).join('\n')
  names ??= seen
  return seen === names
}

const SIGN = `async function main() {
  const key = await Svc.Actions.getPrivateKey({ pkpId: 'x' })
  return new ethers.Wallet(key).signMessage(key)
}`
const ECHO = 'const main = (params) => params'
const WAITS = `async function main({ n }) {
  await new Promise((done) => setTimeout(done, n % 5)); console.log(n); return n
}`
const THROWS = "function main({ n }) { throw new TypeError('no ' + n) }"
const KEEPS = `
  globalThis.kept = (globalThis.kept ?? 0) + 1; Object.prototype.kept = 1; Math.kept = 1
  function main() { return kept }`

/** Typical actions. Each has a single correct answer, unique to its run. */
export const BENIGN_KINDS: readonly { name: string; run(number: number): BenignRun }[] = [
  {
    name: 'trivial',
    run: (n) => ({
      code: 'function main({ n }) { return n + 1 }',
      params: { n },
      keys: NO_KEYS,
      isRight: (result) => value(result) === n + 1,
    }),
  },
  {
    name: 'echo of params',
    run: (n) => {
      const params = {
        n,
        text: `é\0\ud800${n}`,
        list: Array.from({ length: n % 200 }, (_, i) => [i, n]),
      }
      const text = JSON.stringify(params)
      const isRight = (result: ActionResult) => result.kind === 'returned' && result.value === text
      return { code: ECHO, params, keys: NO_KEYS, isRight }
    },
  },
  {
    name: 'key operation and signature',
    run: (n) => {
      const key = keyOf(n)
      const isRight = (result: ActionResult) => value(result) === signature(key)
      return { code: SIGN, params: {}, keys: grants(key), isRight }
    },
  },
  {
    name: 'timer and log',
    run: (n) => ({
      code: WAITS,
      params: { n },
      keys: NO_KEYS,
      isRight: (result) =>
        value(result) === n &&
        result.kind === 'returned' &&
        result.logs.length === 1 &&
        result.logs[0]?.text === String(n),
    }),
  },
  {
    name: 'error',
    run: (n) => ({
      code: THROWS,
      params: { n },
      keys: NO_KEYS,
      isRight: (result) =>
        result.kind === 'failed' && result.code === 'action_threw' && result.message === `no ${n}`,
    }),
  },
  {
    name: 'what a run leaves behind',
    run: () => ({
      code: KEEPS,
      params: {},
      keys: NO_KEYS,
      isRight: (result) => value(result) === 1,
    }),
  },
  {
    name: 'names of globals',
    run: () => ({
      code: PROBE,
      params: JSON.parse(NAMES_PROBE) as unknown,
      keys: NO_KEYS,
      isRight: sameNames,
    }),
  },
]
