import { EvidenceRejectedError } from '../../attestation/require-verified.ts'
import { type Receipt, InvalidReceiptError } from '../../receipts/receipt.ts'
import type { ReceiptSignature } from '../../receipts/receipt-signature.ts'
import type { ReceiptTransaction } from '../../receipts/receipt-transaction.ts'
import { InvalidReceiptChainError, verifyReceiptChain } from '../../receipts/receipt-chain.ts'
import { type KeySource, receiptKeyFrom } from './key-source.ts'
import { readTextFile } from '../credentials/secret.ts'
import { EXIT, type Terminal, UsageError, printable } from '../terminal.ts'

export type ReceiptVerifyOptions = { evidence?: string; key?: string; json?: boolean }

/** @returns the exit code */
export async function verifyReceiptFile(
  file: string,
  given: ReceiptVerifyOptions,
  terminal: Terminal,
): Promise<number> {
  const texts = receiptsIn(await readTextFile(file, terminal))
  if (texts.length === 0) throw new UsageError(`${file} contains no receipt`)
  const say = (value: object, lines: string[]) =>
    terminal.write(given.json ? `${JSON.stringify(value, null, 2)}\n` : `${lines.join('\n')}\n`)
  try {
    const source = await receiptKeyFrom(given, (name) => readTextFile(name, terminal))
    const receipts = await verifyReceiptChain(texts, source.key)
    requireApplication(receipts, source)
    const { kind, verdict, from } = source
    say(
      { valid: true, key: { kid: source.key.kid, kind, verdict, from }, receipts },
      receiptLines(receipts, source),
    )
    return EXIT.ok
  } catch (error) {
    const isRefused = error instanceof InvalidReceiptError || error instanceof EvidenceRejectedError
    if (!isRefused) throw error
    const { message } = error
    const flaw = error instanceof InvalidReceiptError ? error.flaw : 'evidence'
    const receipt = error instanceof InvalidReceiptChainError ? error.at + 1 : undefined
    const where = receipt === undefined ? '' : `receipt ${receipt}: `
    say({ valid: false, receipt, flaw, reason: message }, [`FAILED  ${where}${message}`])
    return EXIT.failed
  }
}

/**
 * Requires that the receipts are for the application in the evidence. One key signs the receipts of every version of
 * the application, but the evidence is for one version.
 */
function requireApplication(receipts: readonly Receipt[], { composeHash }: KeySource): void {
  const at = receipts.findIndex((receipt) => receipt.compose_hash !== composeHash)
  if (composeHash === undefined || at < 0) return
  const reason = `its compose hash is ${receipts[at]!.compose_hash}, but the evidence has ${composeHash}`
  throw new InvalidReceiptChainError(at, 'payload', reason)
}

function receiptsIn(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
}

function receiptLines(receipts: readonly Receipt[], source: KeySource): string[] {
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
    ...(receipt.signatures ?? []).flatMap(signatureLines),
    ...(receipt.transactions ?? []).flatMap(transactionLines),
    `  compose   ${receipt.compose_hash}`,
    ...softwareLines(receipt),
  ]
}

function signatureLines(signature: ReceiptSignature): string[] {
  const { wallet, digest, policy_hash, rule, sums, sums_omitted } = signature
  return [
    `  signed    ${digest} by the wallet ${wallet}`,
    `            allowed by the rule ${JSON.stringify(printable(rule))} of the policy ${policy_hash}`,
    ...sums.map(
      ({ key, remaining, max }) =>
        `            ${remaining} of ${max} remained of the sum ${printable(key)}`,
    ),
    ...(sums_omitted === undefined
      ? []
      : [`            further sums that are not in the receipt: ${sums_omitted}`]),
  ]
}

function transactionLines({ id, wallet, chain_id, state, hash }: ReceiptTransaction): string[] {
  return [
    `  requested ${id} of the wallet ${wallet} on the chain ${chain_id}`,
    `            then ${state}${hash === undefined ? '' : `, ${hash}`}`,
  ]
}

function softwareLines({ version, commit, environment }: Receipt): string[] {
  if (version === undefined || commit === undefined) return []
  const where = environment === undefined ? '' : `, ${environment}`
  return [`  software  ${printable(version)}, commit ${printable(commit)}${where}`]
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
