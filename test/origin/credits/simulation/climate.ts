import { CALM, type Weather } from './network.ts'
import type { Random } from './random.ts'

/**
 * What a seed lives through. `calm`: nothing fails, and everything has to be exact. `rough`: statements and answers
 * are lost and processes die, and what survives has to be exact. `wild`: machines stand still, clocks jump, and
 * connections hang for longer than a lease lives; then credit may be lost to us, and nothing else.
 */
export type Climate = {
  name: 'calm' | 'rough' | 'wild'
  weather: Weather
  processes: number
  /** Of each process to the database. */
  connections: number
  /** How far wall clocks are apart. */
  clocksOffMs: number
  durationMs: number
  operations: number
  /** One process dies at just this write. */
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
    // Every write in turn, so that a few hundred seeds die at each of them.
    killAtWrite: isCalm
      ? undefined
      : { left: 1 + ((seed >>> 1) % 40), when: seed % 2 === 0 ? 'before' : 'after' },
    kills: isCalm ? 0 : random.integer(0, 2),
    closes: random.integer(0, 1),
    pauses: isWild ? random.integer(0, 3) : 0,
    clockJumps: isWild ? random.integer(0, 3) : 0,
  }
}
