/** Results of `npm run preflight`, which checks the configuration of a deployment before it is deployed. */
import type { SettingFault } from '../config/parse-settings.ts'
import { causeCode } from '../errors/cause-code.ts'

export type Check = {
  /** Setting or component that was checked. */
  name: string
  outcome: 'ok' | 'fault' | 'skipped'
  /** Never contains a secret. */
  detail: string
}

export const ok = (name: string, detail: string): Check => ({ name, outcome: 'ok', detail })
export const fault = (name: string, detail: string): Check => ({ name, outcome: 'fault', detail })
export const skipped = (name: string, detail: string): Check => ({
  name,
  outcome: 'skipped',
  detail,
})

/**
 * Waits for a check, but at most `ms` milliseconds. A check that throws an unexpected error, or does not complete, is a
 * fault.
 */
export async function runCheck(
  name: string,
  ms: number,
  check: () => Promise<Check | Check[]>,
): Promise<Check[]> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<Check>((resolve) => {
    timer = setTimeout(() => resolve(fault(name, `no result within ${ms / 1000} s`)), ms)
  })
  try {
    return [await Promise.race([check(), late])].flat()
  } catch (error) {
    return [fault(name, causeCode(error))]
  } finally {
    clearTimeout(timer)
  }
}

export function settingChecks(faults: readonly SettingFault[]): Check[] {
  if (faults.length === 0) return [ok('settings', 'complete')]
  return faults.map(([name, message]) => fault(name, message))
}

const MARKS = { ok: 'ok', fault: 'FAULT', skipped: 'skipped' } as const

/** Returns one line per check, and a last line with the number of faults; or JSON. */
export function reportOf(checks: readonly Check[], asJson: boolean): string {
  if (asJson) return JSON.stringify({ ok: faultsIn(checks) === 0, checks }, null, 2)
  const width = Math.max(...checks.map(({ name }) => name.length))
  const lines = checks.map(
    ({ name, outcome, detail }) => `${name.padEnd(width)}  ${MARKS[outcome]}: ${oneLine(detail)}`,
  )
  const count = faultsIn(checks)
  return [...lines, count === 0 ? 'no faults' : count === 1 ? '1 fault' : `${count} faults`].join(
    '\n',
  )
}

export function faultsIn(checks: readonly Check[]): number {
  return checks.filter(({ outcome }) => outcome === 'fault').length
}

/** Replaces control characters, because a detail may contain text from a server. */
function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}]+/gu, ' ').slice(0, 600)
}
