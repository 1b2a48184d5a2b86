import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Command } from 'commander'
import { EvidenceFetchError } from '../../attestation/fetch-bounded.ts'
import { decodeBase64url } from '../../encoding/base64url.ts'
import { tryParseJson } from '../../json/try-parse-json.ts'
import { readAddress } from '../../policies/address.ts'
import { DeniedError } from '../../policies/denial.ts'
import type { Cli } from '../cli.ts'
import { localStackAt } from '../local-stack.ts'
import { readPolicy } from '../policy/read-policy.ts'
import { EXIT, UsageError } from '../terminal.ts'
import { NodeError } from '../verify/node.ts'
import { policyOf, rpcUrlOf } from '../verify/options.ts'
import { readBundleFile } from '../verify/verify.ts'
import { parseWalletProof, type WalletProof } from './bundle.ts'
import { gatherProof } from './gather.ts'
import { ProofRefusedError, prove } from './proof-error.ts'
import { type ProofHeading, proofJson, proofLines, refusedJson, refusedLines } from './show.ts'
import { verifyWalletProof } from './verify-wallet-proof.ts'

export type VerifyWalletOptions = {
  bundle?: string
  save?: string
  rpcUrl?: string
  policy?: string[]
  receipts?: string[]
  appId?: string
  composeHash?: string[]
  usageKeyFile?: string
  keyName?: string
}

/** Time limit for fetching the evidence. */
const TIMEOUT_MS = 60_000
/** A bundle of a later time was not saved by this machine, or a clock is wrong. */
const AHEAD_MS = 5 * 60_000
const BUNDLE_MAX_BYTES = 64 * 1024 * 1024

/**
 * Verifies that the key of a wallet is under a policy, and prints what the proof shows. Exits with 1 if the proof is
 * refused, and with 3 if the machine is simulated.
 * @throws {UsageError}
 */
export async function verifyWallet(
  cli: Cli,
  command: Command,
  address: string,
  options: VerifyWalletOptions,
): Promise<void> {
  const { terminal } = cli
  const wallet = walletOf(address)
  const evidencePolicy = policyOf(options, terminal)
  const heading = { wallet: address, at: terminal.now(), notes: [] as string[] }
  try {
    const { proof, at } =
      options.bundle === undefined
        ? await collect(cli, command, wallet, options, heading)
        : load(cli, options)
    heading.at = at
    const proven = await verifyWalletProof(proof, { wallet, evidencePolicy, at })
    cli.exit(proven.verdict === 'HARDWARE' ? EXIT.ok : EXIT.simulated)
    cli.print(command, proofJson(heading, proven, proof), () =>
      proofLines(heading, proven, proof, terminal),
    )
  } catch (error) {
    if (!isRefusal(error)) throw error
    cli.exit(EXIT.failed)
    cli.print(command, refusedJson(heading, error), () => refusedLines(heading, error, terminal))
  }
}

const isRefusal = (error: unknown): error is Error =>
  error instanceof ProofRefusedError ||
  error instanceof NodeError ||
  error instanceof EvidenceFetchError

async function collect(
  cli: Cli,
  command: Command,
  wallet: string,
  options: VerifyWalletOptions,
  heading: ProofHeading & { notes: string[] },
): Promise<{ proof: WalletProof; at: Date }> {
  const { terminal } = cli
  const { baseUrl, fetch } = await cli.deployment(command)
  const policies = await Promise.all(
    (options.policy ?? []).map(async (file) => (await readPolicy(cli, file)).canonical),
  )
  const receipts = await receiptsOf(cli, options.receipts ?? [], wallet)
  const hasUsageKey = options.usageKeyFile !== undefined || options.keyName !== undefined
  const proof = await gatherProof({
    wallet,
    client: await cli.client(command, { key: hasUsageKey ? 'usage' : 'account' }),
    baseUrl,
    fetch,
    rpcUrl: nodeOf(cli, baseUrl, options, heading.notes),
    policies,
    receipts,
    timeoutMs: TIMEOUT_MS,
    now: () => terminal.now().getTime(),
    random: terminal.random,
  })
  const text = `${JSON.stringify(proof, null, 2)}\n`
  if (options.save !== undefined) save(resolve(terminal.folder, options.save), text)
  return { proof: parseWalletProof(text), at: terminal.now() }
}

function nodeOf(
  { terminal }: Cli,
  baseUrl: string,
  { rpcUrl }: VerifyWalletOptions,
  notes: string[],
): string {
  if (rpcUrl !== undefined) return rpcUrlOf(rpcUrl)
  const stack = localStackAt(new URL(baseUrl), terminal.folder, terminal.environment)
  if (!stack) throw new UsageError('no node of the contract’s chain is set: use --rpc-url')
  notes.push(`from the local stack (${stack.file}): --rpc-url ${stack.rpcUrl}`)
  return stack.rpcUrl
}

/** Returns the receipts that name the wallet, and those that cannot be read, which are refused later. */
async function receiptsOf(cli: Cli, files: readonly string[], wallet: string): Promise<string[]> {
  const texts = await Promise.all(files.map(async (file) => linesOf(await cli.text(file), file)))
  const named = [...new Set(texts.flat())].filter((text) => {
    const signatures = signaturesIn(text)
    return !signatures || signatures.some((signature) => signature.toLowerCase() === wallet)
  })
  if (files.length > 0 && named.length === 0)
    throw new UsageError(`no receipt in ${files.join(', ')} names a signature of the wallet`)
  return named
}

function linesOf(text: string, file: string): string[] {
  const lines = text.split('\n').map((line) => line.trim())
  const receipts = lines.filter((line) => line !== '')
  if (receipts.length === 0) throw new UsageError(`${file} contains no receipt`)
  return receipts
}

/** Returns the wallets that the signatures of a receipt name, without verifying the receipt. */
function signaturesIn(receipt: string): string[] | undefined {
  const bytes = decodeBase64url(receipt.split('.')[1] ?? '')
  const payload: unknown = bytes && tryParseJson(new TextDecoder().decode(bytes))
  if (typeof payload !== 'object' || payload === null) return undefined
  const signatures: unknown = Reflect.get(payload, 'signatures') ?? []
  if (!Array.isArray(signatures)) return undefined
  return signatures.map((signature) => String(Reflect.get(Object(signature), 'wallet')))
}

function load({ terminal }: Cli, options: VerifyWalletOptions): { proof: WalletProof; at: Date } {
  for (const name of ['save', 'rpcUrl', 'policy', 'receipts', 'usageKeyFile', 'keyName'] as const)
    if (options[name] !== undefined)
      throw new UsageError('--bundle uses only what the bundle contains, without the network')
  const file = resolve(terminal.folder, options.bundle!)
  const proof = parseWalletProof(readBundleFile('--bundle', file, BUNDLE_MAX_BYTES))
  const at = new Date(proof.evidence.fetched_at)
  prove(!Number.isNaN(at.getTime()), 'malformed', 'the bundle has no valid time')
  prove(
    at.getTime() <= terminal.now().getTime() + AHEAD_MS,
    'malformed',
    'the bundle’s time is in the future',
  )
  return { proof, at }
}

function save(file: string, text: string): void {
  try {
    writeFileSync(file, text)
  } catch (error) {
    throw new UsageError((error as Error).message)
  }
}

function walletOf(text: string): string {
  try {
    return readAddress(text, 'wallet')
  } catch (error) {
    throw error instanceof DeniedError ? new UsageError(error.message) : error
  }
}
