/** Values are inserted as text, never as markup. */
import { encodeHex } from '../../../shared/encoding/hex.ts'
import type { RuleResult, Verdict } from '../../../shared/attestation/policy.ts'
import type { Report } from '../../../shared/attestation/report.ts'

const TEXT_MAX_CHARACTERS = 600

const HEADINGS: Record<Verdict, string> = {
  // The wording is weaker than for the same verdict of `svc verify`, because a browser cannot check all rules.
  HARDWARE: 'HARDWARE: attested by Intel TDX, as far as a browser can check',
  SIMULATED: 'SIMULATED: this service is not backed by attested hardware',
  FAILED: 'FAILED: do not trust this service',
}
const SENTENCES: Record<Verdict, string> = {
  HARDWARE:
    'Intel’s signatures are valid, and no rule that a browser can check has failed. See below for what is not covered.',
  SIMULATED:
    'The quote is signed by a simulated root, whose keys are stored in a file. Nothing here is protected by hardware.',
  FAILED: 'At least one rule failed. The claims of this service about itself are not verified.',
}
const OUTCOMES: Record<RuleResult['outcome'], string> = {
  passed: 'passed',
  failed: 'FAILED',
  not_applicable: 'not checked here',
}

const byId = (id: string) => document.getElementById(id)!

function element(name: string, text: string): HTMLElement {
  const made = document.createElement(name)
  made.textContent = text.slice(0, TEXT_MAX_CHARACTERS)
  return made
}

export function showReport(report: Report): void {
  say(HEADINGS[report.verdict], SENTENCES[report.verdict])
  byId('rules').replaceChildren(...report.rules.map(ruleItem))
  byId('open').replaceChildren(...report.open.map((sentence) => element('li', sentence)))
  byId('shown').replaceChildren(...facts(report).flatMap(([name, value]) => fact(name, value)))
  byId('report').hidden = false
}

/** Missing evidence is treated like invalid evidence. */
export function showFailure(error: unknown): void {
  const reason = error instanceof Error ? error.message : String(error)
  say(HEADINGS.FAILED, `There is nothing to verify: ${reason.slice(0, TEXT_MAX_CHARACTERS)}`)
}

function say(heading: string, sentence: string): void {
  document.title = heading
  document.querySelector('h1')!.textContent = heading
  byId('verdict').textContent = sentence
}

function ruleItem({ name, outcome, reason }: RuleResult): HTMLElement {
  const item = element('li', '')
  item.dataset['outcome'] = outcome
  item.append(
    element('strong', `${name}: ${OUTCOMES[outcome]}.`),
    ` ${reason.slice(0, TEXT_MAX_CHARACTERS)}`,
  )
  return item
}

function facts({ root, measurements, keys, ...report }: Report): [string, string | undefined][] {
  return [
    ['Root', root && `${root.name} (${root.kind}), key ${root.spkiSha256}`],
    ['Platform', report.tcbStatus],
    ['Advisories', report.advisoryIds.join(', ') || undefined],
    ['App ID', report.appId],
    ['Compose hash', report.composeHash],
    ['Instance', report.instanceId],
    ['MRTD', measurements?.mrtd],
    ['RTMR0', measurements?.rtmr0],
    ['RTMR1', measurements?.rtmr1],
    ['RTMR2', measurements?.rtmr2],
    ['RTMR3', measurements?.rtmr3],
    ['Channel key', keys && encodeHex(keys.channel)],
    ['Storage key', keys && encodeHex(keys.storage)],
    ['Receipt key', keys && encodeHex(keys.receipt)],
  ]
}

const fact = (name: string, value: string | undefined) =>
  value === undefined ? [] : [element('dt', name), element('dd', value)]
