import type { Mutant } from '../mutant.ts'
import { ACCOUNTS } from './accounts.ts'
import { ACTIONS } from './actions.ts'
import { CHAIN } from './chain.ts'
import { CREDITS } from './credits.ts'
import { EDGE_SECURITY } from './edge-security.ts'
import { ORIGIN_BOUNDS } from './origin-bounds.ts'
import { QUEUE } from './queue.ts'
import { RUNS } from './runs.ts'
import { SCHEDULE } from './schedule.ts'
import { SHARED } from './shared.ts'

export const MUTANTS: readonly Mutant[] = [
  ...QUEUE,
  ...CHAIN,
  ...SCHEDULE,
  ...EDGE_SECURITY,
  ...ACCOUNTS,
  ...CREDITS,
  ...RUNS,
  ...ACTIONS,
  ...ORIGIN_BOUNDS,
  ...SHARED,
]
