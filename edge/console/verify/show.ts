/** Shows a report on the page. All of it is inserted as text, never as markup. */
import { encodeHex } from '../../../shared/hex.ts'
import type { RuleResult, Verdict } from '../../../shared/attestation/policy.ts'
import type { Report } from '../../../shared/attestation/report.ts'

/** Limits the length of untrusted text. */
const TEXT_MAX_CHARACTERS = 600

const HEADINGS: Record<Verdict, string> = {
  // Weaker than the same verdict of `svc verify`, because a browser cannot check every rule.
  HARDWARE: 'HARDWARE, as far as a browser can see: a machine of Intel TDX shows what it runs',
  SIMULATED: 'SIMULATED: there is no hardware behind this service',
  FAILED: 'FAILED: do not trust this service',
}
const SENTENCES: Record<Verdict, string> = {
  HARDWARE:
    'Intel’s signatures hold, and no rule that a browser can check has failed. Below is what they leave open.',
  SIMULATED:
    'The quote is signed by a root that says itself that it is simulated. Its keys lie in a file: nothing here is protected by hardware.',
  FAILED:
    'At least one rule does not hold. What this service says of itself is not shown to be so.',
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

/** Shows the verdict FAILED: missing evidence is no better than evidence that fails. */
export function showFailure(error: unknown): void {
  const reason = error instanceof Error ? error.message : String(error)
  say(HEADINGS.FAILED, `There was nothing to verify: ${reason.slice(0, TEXT_MAX_CHARACTERS)}`)
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
    ['App id', report.appId],
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
