import { CALM, type Weather } from '../../credits/simulation/network.ts'
import type { Random } from '../../credits/simulation/random.ts'
import { CALM_RPC, type RpcWeather } from './model-provider.ts'

/**
 * Faults that a seed simulates. `calm`: nothing fails. `rough`: statements, requests and their responses are lost,
 * processes are killed and the chain reorganizes. `wild`: machines also pause, clocks jump, the chain halts, and the
 * wallets' keys are used elsewhere.
 */
export type Climate = {
  name: 'calm' | 'rough' | 'wild'
  database: Weather
  rpc: RpcWeather
  processes: number
  wallets: number
  connections: number
  clocksOffMs: number
  durationMs: number
  sends: number
  changes: number
  blockMs: number
  finality: number
  /** Each at most `finality` deep. */
  reorganizations: number
  feeJumps: number
  /** Times at which a node forgets transactions of its pool. */
  forgets: number
  /** Transactions that are signed elsewhere. */
  foreign: number
  halts: number
  kills: number
  closes: number
  pauses: number
  clockJumps: number
  /** One process is killed at exactly this write. */
  killAtWrite: { left: number; when: 'before' | 'after' } | undefined
}

export function climateOf(seed: number, random: Random): Climate {
  const name = random.pick(['calm', 'rough', 'rough', 'rough', 'wild', 'wild'] as const)
  const isCalm = name === 'calm'
  const isWild = name === 'wild'
  const often = isCalm ? 0 : random.pick([0.005, 0.02, 0.08])
  return {
    name,
    database: isCalm
      ? CALM
      : { drop: often / 4, lose: often / 4, slow: often / 4, hang: 0, kill: often / 20 },
    rpc: isCalm ? CALM_RPC : { drop: often, lose: often, slow: often, lag: often, lie: often * 2 },
    processes: random.pick([1, 2, 2, 3]),
    wallets: random.pick([1, 1, 2, 3]),
    connections: random.pick([2, 3, 8]),
    clocksOffMs: isCalm ? 0 : 4_000,
    durationMs: random.integer(20_000, 90_000),
    sends: random.integer(5, 30),
    changes: random.integer(0, 8),
    blockMs: random.pick([500, 2_000, 12_000]),
    finality: random.pick([2, 5, 16]),
    reorganizations: isCalm ? 0 : random.integer(0, 6),
    feeJumps: random.integer(0, 3),
    forgets: isCalm ? 0 : random.integer(0, 3),
    foreign: isWild ? random.integer(0, 4) : 0,
    halts: isWild ? random.integer(0, 1) : 0,
    kills: isCalm ? 0 : random.integer(0, 3),
    closes: random.integer(0, 1),
    pauses: isWild ? random.integer(0, 3) : 0,
    clockJumps: isWild ? random.integer(0, 3) : 0,
    // Derived from the seed, so that a few hundred seeds cover a kill at every write.
    killAtWrite: isCalm
      ? undefined
      : { left: 1 + ((seed >>> 1) % 40), when: seed % 2 === 0 ? 'before' : 'after' },
  }
}
