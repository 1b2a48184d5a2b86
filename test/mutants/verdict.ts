import type { Mutant } from './mutant.ts'
import type { TestRun } from './run-tests.ts'

/** The result for one mutant, written as one line of the results file. */
export type Verdict = {
  id: string
  file: string
  meaning: string
  state: 'killed' | 'survived' | 'not_judged'
  /** The test that failed, or the reason why the mutant was not judged. */
  reason: string
  /** True if the mutant was killed by the time limit. */
  timedOut: boolean
  ms: number
}

/** Judges a mutant by its test run. A file that fails to load, or a crash of Vitest, yields no verdict. */
export function judged(run: TestRun): Pick<Verdict, 'state' | 'reason' | 'timedOut'> {
  switch (run.state) {
    case 'timed_out':
      return { state: 'killed', reason: 'the tests did not end in time', timedOut: true }
    case 'broken':
      return { state: 'not_judged', reason: `vitest failed: ${run.output}`, timedOut: false }
    case 'ran': {
      const failed = run.files.find(({ passed, tests }) => !passed && tests > 0)
      if (failed) {
        const test = failed.firstFailure ?? 'a hook'
        return { state: 'killed', reason: `${failed.file}: ${test}`, timedOut: false }
      }
      const unloaded = run.files.find(({ passed }) => !passed)
      if (unloaded) {
        const reason = `${unloaded.file} does not load: ${run.output}`
        return { state: 'not_judged', reason, timedOut: false }
      }
      return { state: 'survived', reason: '', timedOut: false }
    }
  }
}

export function notJudged(reason: string): Pick<Verdict, 'state' | 'reason' | 'timedOut'> {
  return { state: 'not_judged', reason, timedOut: false }
}

export function verdictOn(
  { id, file, meaning }: Mutant,
  verdict: Pick<Verdict, 'state' | 'reason' | 'timedOut'>,
  ms: number,
): Verdict {
  return { id, file, meaning, ...verdict, ms: Math.round(ms) }
}
