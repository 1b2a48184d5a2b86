/** Campaigns of the nightly run, each with the Vitest command that plays a piece of it. */

export type Campaign = {
  name: string
  /** Planned total. */
  planned: number
  perPiece: number
  unit: string
  /** Arguments of `vitest run`. */
  vitest: readonly string[]
  /** Time limit of a piece. A piece that exceeds it is killed and recorded as failed. */
  minutesMax: number
}

const GATE = ['--config', 'test/vitest.config.ts', '--project']
const NIGHTLY = ['--config', 'test/nightly/vitest.config.ts']

/** Ordered by duration, shortest first. */
export const CAMPAIGNS: readonly Campaign[] = [
  {
    name: 'sums',
    planned: 10_000,
    perPiece: 5_000,
    unit: 'seeds',
    vitest: [
      ...GATE,
      'origin',
      'test/shared/policies/rolling-sum.test.ts',
      '-t',
      'agree with exact lists',
    ],
    minutesMax: 20,
  },
  {
    name: 'strict-sums',
    planned: 10_000,
    perPiece: 10_000,
    unit: 'signatures',
    vitest: [...GATE, 'origin', 'test/origin/policies/strict-sums.test.ts'],
    minutesMax: 20,
  },
  {
    name: 'long-run',
    planned: 1,
    perPiece: 1,
    unit: 'run of 120 s',
    vitest: [...NIGHTLY, 'test/nightly/long-run.test.ts'],
    minutesMax: 10,
  },
  {
    name: 'release',
    planned: 1,
    perPiece: 1,
    unit: 'release in two folders',
    vitest: [...NIGHTLY, 'test/nightly/release.test.ts'],
    minutesMax: 20,
  },
  {
    name: 'rehearsal',
    planned: 1,
    perPiece: 1,
    unit: 'whole deployment',
    vitest: [...NIGHTLY, 'test/nightly/rehearsal.test.ts'],
    minutesMax: 20,
  },
  {
    name: 'recovery',
    planned: 7,
    perPiece: 1,
    unit: 'disasters',
    vitest: [...NIGHTLY, 'test/nightly/recovery.test.ts'],
    minutesMax: 30,
  },
  {
    name: 'previous-version',
    planned: 1,
    perPiece: 1,
    unit: 'upgrade and rollback',
    vitest: [...NIGHTLY, 'test/nightly/previous-version.test.ts'],
    minutesMax: 30,
  },
  {
    name: 'tightening',
    planned: 20_000,
    perPiece: 2_000,
    unit: 'seeds',
    vitest: [...GATE, 'origin', 'test/shared/policies/tightening/simulation.test.ts'],
    minutesMax: 20,
  },
  {
    name: 'transactions',
    planned: 2_000,
    perPiece: 250,
    unit: 'seeds',
    vitest: [
      ...GATE,
      'origin',
      'test/origin/transactions/simulation/simulation.test.ts',
      '-t',
      'whatever fails',
    ],
    minutesMax: 60,
  },
  {
    name: 'transaction-kills',
    planned: 1_000,
    perPiece: 125,
    unit: 'kills',
    vitest: [...GATE, 'origin', 'test/origin/transactions/campaign/kills.test.ts'],
    minutesMax: 30,
  },
  {
    name: 'crons',
    planned: 21,
    perPiece: 3,
    unit: 'schedules of ten years',
    vitest: [...NIGHTLY, 'test/nightly/schedules.test.ts'],
    minutesMax: 60,
  },
  {
    name: 'zones',
    planned: 21,
    perPiece: 3,
    unit: 'time zones of twenty years',
    vitest: [...NIGHTLY, 'test/nightly/zones.test.ts'],
    minutesMax: 60,
  },
  {
    name: 'ethers',
    planned: 1,
    perPiece: 1,
    unit: 'pass over all vectors',
    vitest: [...NIGHTLY, 'test/origin/ethers'],
    minutesMax: 90,
  },
  {
    name: 'soak',
    planned: 30,
    perPiece: 30,
    unit: 'minutes',
    vitest: [...NIGHTLY, 'test/nightly/soak.test.ts'],
    minutesMax: 45,
  },
  {
    name: 'chain',
    planned: 500,
    perPiece: 25,
    unit: 'seeds',
    vitest: [
      ...GATE,
      'edge',
      'test/edge/chain/simulation/simulation.test.ts',
      'test/edge/chain/simulation/further-seeds.test.ts',
    ],
    minutesMax: 30,
  },
  {
    name: 'kills',
    planned: 1_000,
    perPiece: 25,
    unit: 'kills',
    vitest: [...GATE, 'system', 'test/system/random-kills.test.ts'],
    minutesMax: 20,
  },
  {
    name: 'kills-at-full-load',
    planned: 200,
    perPiece: 20,
    unit: 'kills',
    vitest: [...NIGHTLY, 'test/nightly/kills-at-full-load.test.ts'],
    minutesMax: 45,
  },
  {
    name: 'mixed',
    planned: 100_000,
    // In a single piece: in smaller ones, the steps in which an allocator grows look like a slope.
    perPiece: 100_000,
    unit: 'runs',
    vitest: [...NIGHTLY, 'test/nightly/mixed-runs.test.ts'],
    minutesMax: 90,
  },
  {
    name: 'money',
    planned: 10_000,
    perPiece: 250,
    unit: 'seeds',
    vitest: [
      ...GATE,
      'origin',
      'test/origin/credits/simulation/simulation.test.ts',
      '-t',
      'whatever fails',
    ],
    minutesMax: 60,
  },
]

/** @throws {Error} that lists the names, if there is no campaign of this name */
export function campaignOf(name: string): Campaign {
  const found = CAMPAIGNS.find((campaign) => campaign.name === name)
  if (found) return found
  const names = CAMPAIGNS.map((campaign) => campaign.name)
  throw new Error(`no campaign "${name}"; there are ${names.join(', ')}`)
}

/** Shell command of a campaign, without its bounds. */
export function commandOf({ vitest }: Campaign): string {
  const quoted = vitest.map((argument) => (argument.includes(' ') ? `"${argument}"` : argument))
  return ['npx vitest run', ...quoted].join(' ')
}
