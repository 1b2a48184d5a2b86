import type { RuleResult, Verdict } from '../../attestation/policy.ts'
import type { Report } from '../../attestation/report.ts'
import { encodeBase64url } from '../../encoding/base64url.ts'
import { type TerminalColor, colorize, printable, type Terminal } from '../terminal.ts'

type VerifyResult = {
  of: string
  at: Date
  /** Notes about the source of values that were not given as options. */
  notes: string[]
  report: Report
}

const OUTCOMES = { passed: 'PASSED', failed: 'FAILED', not_applicable: 'NOT APPLICABLE' } as const
const OUTCOME_COLORS = { passed: 'green', failed: 'red', not_applicable: 'yellow' } as const
const NAME_WIDTH = 14
const OUTCOME_WIDTH = 14

const MEANING: Record<Verdict, { color: TerminalColor; text: string }> = {
  HARDWARE: {
    color: 'green',
    text: 'a genuine TDX machine runs this application behind this host',
  },
  SIMULATED: {
    color: 'yellow',
    text: 'software simulates the machine: its keys are no safer than files',
  },
  FAILED: { color: 'red', text: 'do not send secrets to this host' },
}

export function showText({ of, at, notes, report }: VerifyResult, terminal: Terminal): string {
  const { verdict, rules, open } = report
  const { color, text } = MEANING[verdict]
  return [
    `svc verify ${printable(of)}, as of ${at.toISOString()}`,
    ...notes.map((note) => `  ${printable(note)}`),
    '',
    ...rules.map((rule) => ruleLine(rule, terminal)),
    ...(open.length > 0 ? ['', 'Left open:'] : []),
    ...open.map((sentence) => `  - ${printable(sentence)}`),
    '',
    ...facts(report),
    `${colorize(verdict, color, terminal)}: ${text}`,
    '',
  ].join('\n')
}

function ruleLine({ rule, name, outcome, reason }: RuleResult, terminal: Terminal): string {
  const words = OUTCOMES[outcome].padEnd(OUTCOME_WIDTH)
  const shown = colorize(words, OUTCOME_COLORS[outcome], terminal)
  return `${rule}  ${name.padEnd(NAME_WIDTH)}  ${shown}  ${printable(reason)}`
}

function facts({ root, tcbStatus, advisoryIds, appId, composeHash }: Report): string[] {
  const lines: [string, string | undefined][] = [
    ['root', root && `${root.name} (SHA-256 of its key ${root.spkiSha256})`],
    ['TCB status', tcbStatus && [tcbStatus, ...advisoryIds].join(', ')],
    ['app id', appId],
    ['compose hash', composeHash],
  ]
  const known = lines.filter(([, value]) => value !== undefined)
  const shown = known.map(([name, value]) => `${name.padEnd(NAME_WIDTH)} ${printable(value!)}`)
  return shown.length > 0 ? [...shown, ''] : []
}

export function showJson({ of, at, notes, report }: VerifyResult): string {
  const { keys, root, measurements } = report
  const value = {
    verdict: report.verdict,
    of,
    at: at.toISOString(),
    notes,
    rules: report.rules,
    open: report.open,
    root: root && { kind: root.kind, name: root.name, spki_sha256: root.spkiSha256 },
    tcb_status: report.tcbStatus,
    advisory_ids: report.advisoryIds,
    app_id: report.appId,
    compose_hash: report.composeHash,
    instance_id: report.instanceId,
    measurements,
    keys: keys && {
      channel: encodeBase64url(keys.channel),
      storage: encodeBase64url(keys.storage),
      receipt: encodeBase64url(keys.receipt),
    },
  }
  return `${JSON.stringify(value, null, 2)}\n`
}

export function showNothing(
  { of, at, notes, reason }: Omit<VerifyResult, 'report'> & { reason: string },
  json: boolean,
  terminal: Terminal,
): string {
  if (json)
    return `${JSON.stringify({ verdict: 'FAILED', of, at: at.toISOString(), notes, reason }, null, 2)}\n`
  return [
    `svc verify ${printable(of)}, as of ${at.toISOString()}`,
    ...notes.map((note) => `  ${printable(note)}`),
    '',
    `${colorize('FAILED', 'red', terminal)}: no evidence: ${printable(reason)}`,
    '',
  ].join('\n')
}
