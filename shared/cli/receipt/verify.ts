import { EvidenceRejectedError } from '../../attestation/require-verified.ts'
import { type Receipt, InvalidReceiptError } from '../../receipts/receipt.ts'
import { InvalidReceiptChainError, verifyReceiptChain } from '../../receipts/receipt-chain.ts'
import { type KeySource, receiptKeyFrom } from './key-source.ts'
import { readTextFile } from '../credentials/secret.ts'
import { receiptLines } from './lines.ts'
import { EXIT, type Terminal, UsageError } from '../terminal.ts'

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
