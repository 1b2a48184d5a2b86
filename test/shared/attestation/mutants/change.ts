/** Helpers that change good evidence in one place. */
import type { EvidenceBundle } from '../../../../shared/attestation/evidence.ts'
import type { RuleName } from '../../../../shared/attestation/policy.ts'
import { type Crafted, craftedMachine } from '../crafted-machine.ts'
import { type Given, goodEvidence } from '../good-evidence.ts'

export type Changed = (good: EvidenceBundle) => EvidenceBundle | Promise<EvidenceBundle>
export type Mutant = [name: string, rule: RuleName, reason: string | RegExp, changed: Changed]

/** Flips one bit of a byte in hex. */
export function flip(hex: string, at: number): string {
  const byte = (parseInt(hex.slice(2 * at, 2 * at + 2), 16) ^ 1).toString(16).padStart(2, '0')
  return hex.slice(0, 2 * at) + byte + hex.slice(2 * at + 2)
}

export const ofQuote =
  (change: (hex: string) => string): Changed =>
  ({ attestation, ...rest }) => ({
    ...rest,
    attestation: { ...attestation, quote: change(attestation.quote) },
  })

export const ofLog =
  (change: (log: string) => string): Changed =>
  ({ attestation, ...rest }) => ({
    ...rest,
    attestation: { ...attestation, event_log: change(attestation.event_log) },
  })

export const ofEvents = (change: (events: Record<string, unknown>[]) => unknown): Changed =>
  ofLog((log) => JSON.stringify(change(JSON.parse(log) as Record<string, unknown>[])))

export const ofInfo =
  (change: (info: EvidenceBundle['info']) => Partial<EvidenceBundle['info']>): Changed =>
  ({ info, ...rest }) => ({ ...rest, info: { ...info, ...change(info) } })

export const ofFile =
  (name: string, change: (text: string) => string): Changed =>
  ({ files, ...rest }) => ({ ...rest, files: { ...files, [name]: change(files[name]!) } })

export const ofCollateral =
  (
    change: (good: EvidenceBundle['collateral']) => Partial<EvidenceBundle['collateral']>,
  ): Changed =>
  ({ collateral, ...rest }) => ({
    ...rest,
    collateral: { ...collateral, ...change(collateral) },
  })

/** Evidence of a machine crafted in this way. */
export const byMachine =
  (crafted: Crafted): Changed =>
  () =>
    goodEvidence({ machine: craftedMachine(crafted) })

export const withFiles =
  (files: Given['files']): Changed =>
  () =>
    goodEvidence({ machine: craftedMachine(), files: files! })

/** A file of a good origin with some fields changed. */
export function fileWith(
  good: EvidenceBundle,
  name: string,
  change: object,
): Record<string, string> {
  return { [name]: JSON.stringify({ ...JSON.parse(good.files[name]!), ...change }) }
}

export function changedField(
  text: string,
  field: string,
  change: (value: string) => string,
): string {
  const json = JSON.parse(text) as Record<string, string>
  return JSON.stringify({ ...json, [field]: change(json[field]!) })
}
