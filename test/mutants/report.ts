import type { Verdict } from './verdict.ts'

/** Minimum percentage of mutants that must be killed. */
const KILLED_MIN = 95

/** Formats the verdict on one mutant as a line of the report. */
export function lineOf({ id, state, reason, ms }: Verdict): string {
  const seconds = `${(ms / 1000).toFixed(1)} s`
  const [firstLine = ''] = reason.split('\n')
  return `${state.replace('_', ' ').padEnd(10)} ${id}  ${seconds}  ${firstLine.slice(0, 160)}`.trimEnd()
}

/** A mutant that was not judged counts as not killed. */
export function isEnough(verdicts: readonly Verdict[]): boolean {
  return count(verdicts, 'killed') * 100 >= KILLED_MIN * verdicts.length
}

export function report(verdicts: readonly Verdict[], ms: number): string {
  const timedOut = verdicts.filter((verdict) => verdict.timedOut)
  const survived = verdicts.filter(({ state }) => state === 'survived')
  const unjudged = verdicts.filter(({ state }) => state === 'not_judged')
  const minutes = (ms / 60_000).toFixed(1)
  return [
    '',
    `${verdicts.length} mutants in ${minutes} min: ${count(verdicts, 'killed')} killed, ${survived.length} survived, ${unjudged.length} not judged`,
    ...section('Killed by the time limit', timedOut, ({ id }) => id),
    ...section('Survived', survived, ({ id, file, meaning }) => `${id} (${file}): ${meaning}`),
    ...section('Not judged', unjudged, ({ id, reason }) => `${id}: ${reason}`),
  ].join('\n')
}

function section(
  title: string,
  verdicts: readonly Verdict[],
  text: (verdict: Verdict) => string,
): string[] {
  if (verdicts.length === 0) return []
  return ['', `${title}:`, ...verdicts.map((verdict) => `  ${text(verdict)}`)]
}

function count(verdicts: readonly Verdict[], state: Verdict['state']): number {
  return verdicts.filter((verdict) => verdict.state === state).length
}
