import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { receiptKeyFile } from '../../../origin/tee/key-files.ts'
import { ReceiptSigner } from '../../../origin/receipts/receipt-signer.ts'
import { goodEvidence, simulatedMachine } from '../attestation/good-evidence.ts'
import { svc as commandLine } from './command-line.ts'
import {
  ACCOUNT,
  BUILD,
  chainOf,
  newReceiptKey,
  requestedTransaction,
  signatureWith,
  signerWith,
  SUCCESS,
} from '../receipts.ts'

const KEY = newReceiptKey()
const POINT = KEY.publicKey.toString('hex')

let folder: string
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'svc-receipts-'))
  write('bundle.json', JSON.stringify(await evidenceNaming(KEY)))
})
afterAll(() => rmSync(folder, { recursive: true }))

const write = (name: string, text: string) => writeFileSync(join(folder, name), text)
const evidenceNaming = (key: typeof KEY) =>
  goodEvidence({ files: { 'receipt-key.json': receiptKeyFile(key) } })

/** Receipts of the application that the evidence shows. */
async function receiptsOfEvidence(count: number): Promise<string[]> {
  const { compose_hash: composeHash } = await simulatedMachine().info()
  const signer = new ReceiptSigner({ key: KEY, composeHash, build: BUILD, now: Date.now })
  const executed = { accountHash: ACCOUNT, params: '{}' }
  return chainOf(() => signer.addReceipt(executed, SUCCESS).receipt!, count)
}

async function svc(
  ...words: string[]
): Promise<{ code: number; said: string; complained: string }> {
  const { code, out, err } = await commandLine(words, { folder })
  return { code, said: out, complained: err }
}

describe('svc receipt verify', () => {
  it('prints the content of one receipt, and exits with 0', async () => {
    write('one.txt', `${signerWith(KEY)()}\n`)
    const { code, said } = await svc('receipt', 'verify', 'one.txt', '--key', POINT)
    expect(code).toBe(0)
    for (const shown of [
      SUCCESS.action_cid,
      ACCOUNT,
      'success, 1 cent',
      `software  1.2.3, commit ${BUILD.commit}, staging`,
      'PASSED  one receipt',
    ])
      expect(said).toContain(shown)
    expect(said).toContain('open    the owner of this key')
  })

  it('prints the signatures of wallets with a policy in words', async () => {
    write('signed.txt', signerWith(KEY)(SUCCESS, { signatures: [signatureWith(17)] }))
    const { said } = await svc('receipt', 'verify', 'signed.txt', '--key', POINT)
    const { wallet, digest, policy_hash } = signatureWith(0)
    for (const shown of [
      `signed    ${digest} by the wallet ${wallet}`,
      `allowed by the rule "pay suppliers" of the policy ${policy_hash}`,
      '75 of 100 remained of the sum sum 15/1',
      'further sums that are not in the receipt: 1',
    ])
      expect(said).toContain(shown)
  })

  it('prints the transactions that the run requested', async () => {
    write('sent.txt', signerWith(KEY)(SUCCESS, { transactions: [requestedTransaction] }))
    const { said } = await svc('receipt', 'verify', 'sent.txt', '--key', POINT)
    const { id, wallet, hash } = requestedTransaction
    expect(said).toContain(`requested ${id} of the wallet ${wallet} on the chain 8453`)
    expect(said).toContain(`then broadcast, ${hash}`)
  })

  it('reads the key from evidence, and prints the kind of machine', async () => {
    const receipts = await receiptsOfEvidence(3)
    write('chain.txt', receipts.join('\n'))
    const { code, said } = await svc('receipt', 'verify', 'chain.txt', '--evidence', 'bundle.json')
    expect(said).toContain('PASSED  3 receipts, an unbroken chain from 1 to 3')
    expect(said).toContain(': SIMULATED')
    expect(code).toBe(0)
  })

  it('reports that a chain with a later start leaves earlier receipts open', async () => {
    write('later.txt', chainOf(signerWith(KEY), 3).slice(1).join('\n'))
    const { said } = await svc('receipt', 'verify', 'later.txt', '--key', POINT)
    expect(said).toContain('open    receipts before 2 of the series were not checked')
  })

  it('prints JSON, and accepts a key in base64url', async () => {
    write('one.txt', signerWith(KEY)())
    const key = KEY.publicKey.toString('base64url')
    const { said } = await svc('receipt', 'verify', 'one.txt', '--key', key, '--json')
    expect(JSON.parse(said)).toMatchObject({
      valid: true,
      key: { kind: 'given' },
      receipts: [{ account_hash: ACCOUNT, sequence: 1 }],
    })
  })
})

describe('svc receipt verify exits with 1 for', () => {
  it('omission: a chain with a missing receipt, naming the one after it', async () => {
    const [a, , c] = chainOf(signerWith(KEY), 3)
    write('gap.txt', `${a}\n${c}\n`)
    const { code, said } = await svc('receipt', 'verify', 'gap.txt', '--key', POINT)
    expect([code, said]).toEqual([
      1,
      'FAILED  receipt 2: its sequence is 3, but the receipt before it has 1\n',
    ])
  })

  it('forged: a receipt under another key than that in the evidence', async () => {
    write('forged.txt', signerWith(newReceiptKey())())
    const words = ['forged.txt', '--evidence', 'bundle.json', '--json']
    const { code, said } = await svc('receipt', 'verify', ...words)
    expect([code, JSON.parse(said)]).toMatchObject([
      1,
      { valid: false, receipt: 1, flaw: 'other_key' },
    ])
  })

  it('borrowed key: evidence with an exchanged receipt key', async () => {
    const other = newReceiptKey()
    const bundle = await evidenceNaming(KEY)
    const files = { ...bundle.files, 'receipt-key.json': receiptKeyFile(other) }
    write('exchanged.json', JSON.stringify({ ...bundle, files }))
    write('forged.txt', signerWith(other)())
    const words = ['forged.txt', '--evidence', 'exchanged.json']
    const { code, said } = await svc('receipt', 'verify', ...words)
    expect(code).toBe(1)
    expect(said).toContain('FAILED  the evidence failed the rule "evidence files"')
  })

  it('other application: a receipt of a version that is not in the evidence', async () => {
    write('other.txt', signerWith(KEY)())
    const { code, said } = await svc('receipt', 'verify', 'other.txt', '--evidence', 'bundle.json')
    expect(code).toBe(1)
    expect(said).toContain('FAILED  receipt 1: its compose hash is c0c0')
  })
})

describe('svc receipt verify exits with 2', () => {
  it.each([
    ['without a key', ['one.txt'], 'either --evidence or --key'],
    [
      'with two',
      ['one.txt', '--key', POINT, '--evidence', 'bundle.json'],
      'either --evidence or --key',
    ],
    [
      'with a key that is none',
      ['one.txt', '--key', '04'],
      '--key: expected an uncompressed P-256 point',
    ],
    [
      'with a point off the curve',
      ['one.txt', '--key', `04${'00'.repeat(64)}`],
      '--key: expected an uncompressed P-256 point',
    ],
    ['with a file that is not there', ['absent.txt', '--key', POINT], 'absent.txt'],
    ['with an empty file', ['empty.txt', '--key', POINT], 'contains no receipt'],
    [
      'with evidence that is none',
      ['one.txt', '--evidence', 'one.txt'],
      'is not a bundle written by svc verify --save',
    ],
  ])('%s', async (_how, words, complaint) => {
    write('one.txt', signerWith(KEY)())
    write('empty.txt', '\n')
    const { code, complained } = await svc('receipt', 'verify', ...words)
    expect(complained).toContain(complaint)
    expect(code).toBe(2)
  })
})
