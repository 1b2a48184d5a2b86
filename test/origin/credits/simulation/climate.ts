import { CALM, type Weather } from './network.ts'
import type { Random } from './random.ts'

/**
 * Faults that a seed simulates. `calm`: nothing fails, and everything must be exact. `rough`: statements and responses
 * are lost and processes are killed, and what survives must be exact. `wild`: machines pause, clocks jump, and
 * connections hang for longer than a lease; credit may then be lost to us, but nothing else.
 */
export type Climate = {
  name: 'calm' | 'rough' | 'wild'
  weather: Weather
  processes: number
  /** Connections from each process to the database. */
  connections: number
  /** Maximum difference between wall clocks. */
  clocksOffMs: number
  durationMs: number
  operations: number
  /** One process is killed at exactly this write. */
  killAtWrite: { left: number; when: 'before' | 'after' } | undefined
  kills: number
  closes: number
  pauses: number
  clockJumps: number
}

export function climateOf(seed: number, random: Random): Climate {
  const name = random.pick(['calm', 'rough', 'rough', 'rough', 'wild'] as const)
  const isCalm = name === 'calm'
  const isWild = name === 'wild'
  const often = random.pick([0.002, 0.01, 0.04])
  return {
    name,
    weather: isCalm
      ? CALM
      : { drop: often, lose: often, slow: often, hang: isWild ? often : 0, kill: often / 4 },
    connections: random.pick([2, 3, 8]),
    processes: random.pick([1, 2, 2, 3, 3]),
    clocksOffMs: isCalm ? 0 : 4_000,
    durationMs: random.integer(1_500, 6_000),
    operations: random.integer(8, 30),
    // Derived from the seed, so that a few hundred seeds cover a kill at every write.
    killAtWrite: isCalm
      ? undefined
      : { left: 1 + ((seed >>> 1) % 40), when: seed % 2 === 0 ? 'before' : 'after' },
    kills: isCalm ? 0 : random.integer(0, 2),
    closes: random.integer(0, 1),
    pauses: isWild ? random.integer(0, 3) : 0,
    clockJumps: isWild ? random.integer(0, 3) : 0,
  }
}
