import type { Mutant } from '../mutant.ts'

/** Mutants of schedule ticks. */
export const SCHEDULE: readonly Mutant[] = [
  {
    id: 'schedule-ticks-before-creation',
    file: 'edge/schedule/due-ticks.ts',
    from: 'MISSED_TICKS_MAX).filter((tick) => tick >= first)',
    to: 'MISSED_TICKS_MAX)',
    meaning: 'with misfire "all", ticks fire that were fired before, or before the trigger existed',
    tests: ['test/edge/schedule/due-ticks.test.ts', 'test/edge/schedule/ticks.test.ts'],
  },
  {
    id: 'schedule-clock-set-back-fires-again',
    file: 'edge/schedule/ticks.ts',
    from: 'const next = tick - first > SET_BACK_MAX_MS ? first : tick',
    to: 'const next = first',
    meaning: 'a clock that is set back by minutes fires ticks a second time',
    tests: ['test/edge/schedule/ticks.test.ts', 'test/edge/queue/clock-jumps.test.ts'],
  },
  {
    id: 'schedule-scan-overwrites-change',
    file: 'edge/schedule/scanner-index.ts',
    from: '${triggers.id} = value ->> 0 AND ${triggers.version} = value ->> 1',
    to: '${triggers.id} = value ->> 0',
    meaning: 'the scanner overwrites or deletes an index row that was changed meanwhile',
    tests: ['test/edge/schedule/scan.test.ts', 'test/edge/schedule/scanner.test.ts'],
  },
]
