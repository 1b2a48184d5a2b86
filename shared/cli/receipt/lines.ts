import type { Receipt } from '../../receipts/receipt.ts'
import type { KeySource } from './key-source.ts'
import { printable } from '../terminal.ts'

export function receiptLines(receipts: readonly Receipt[], source: KeySource): string[] {
  return [...receipts.flatMap(linesOf), ...chainLines(receipts), ...keyLines(source)]
}

function linesOf(receipt: Receipt): string[] {
  const cents = `${receipt.charged_cents} ${receipt.charged_cents === 1 ? 'cent' : 'cents'}`
  const ended =
    receipt.error_code === undefined ? 'success' : `failed, ${printable(receipt.error_code)}`
  return [
    `receipt ${receipt.sequence} of series ${receipt.series}`,
    `  action    ${printable(receipt.action_cid)}`,
    `  account   ${receipt.account_hash}`,
    ...(receipt.run_id === undefined ? [] : [`  run       ${printable(receipt.run_id)}`]),
    `  ended     ${receipt.finished_at} after ${receipt.duration_ms} ms: ${ended}, ${cents}`,
    `  params    sha256 ${receipt.params_sha256}`,
    ...(receipt.response_sha256 === undefined
      ? []
      : [`  response  sha256 ${receipt.response_sha256}`]),
    `  compose   ${receipt.compose_hash}`,
  ]
}

function chainLines(receipts: readonly Receipt[]): string[] {
  const [first, last] = [receipts[0]!, receipts.at(-1)!]
  const count = receipts.length
  const held =
    count === 1
      ? 'PASSED  one receipt'
      : `PASSED  ${count} receipts, an unbroken chain from ${first.sequence} to ${last.sequence}`
  return first.sequence === 1
    ? [held]
    : [held, `open    receipts before ${first.sequence} of the series were not checked`]
}

function keyLines({ key, kind, verdict, from }: KeySource): string[] {
  return kind === 'evidence'
    ? [`key     ${key.kid}, from the evidence of ${printable(from!)}: ${verdict}`]
    : [`key     ${key.kid}`, 'open    the owner of this key: only --evidence proves it']
}
