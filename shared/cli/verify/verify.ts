import { readFileSync, writeFileSync } from 'node:fs'
import { bundleSchema, type EvidenceBundle } from '../../attestation/evidence.ts'
import { dstackVerifierInput } from '../../attestation/event-log.ts'
import type { Verdict } from '../../attestation/policy.ts'
import { MINUTE_MS } from '../../durations.ts'
import { EXIT, printable, type Terminal, UsageError } from '../terminal.ts'
import { gatherEvidence, type MissingInputs, NoEvidenceError } from './gather-evidence.ts'
import { evaluateEvidence } from './evaluate-evidence.ts'
import { localStackAt } from '../local-stack.ts'
import type { VerifyOptions } from './options.ts'
import { showJson, showNothing, showText } from './show.ts'

const EXIT_OF: Record<Verdict, number> = {
  HARDWARE: EXIT.ok,
  SIMULATED: EXIT.simulated,
  FAILED: EXIT.failed,
}

/**
 * Allowed clock skew. If a bundle's time is further ahead, a clock is wrong or this machine did not save the bundle.
 */
const AHEAD_MS = 5 * MINUTE_MS
const BUNDLE_MAX_BYTES = 32 * 1024 * 1024

type EvidenceInput = { bundle: EvidenceBundle; missing: MissingInputs; at: Date; open: string[] }

/** @returns the exit code */
export async function verify(options: VerifyOptions, terminal: Terminal): Promise<number> {
  const { from, json } = options
  const of = 'url' in from ? from.url.origin : from.bundleFile
  const notes: string[] = []
  let evidence: EvidenceInput
  try {
    evidence =
      'url' in from
        ? await fetchLive(from.url, options, notes, terminal)
        : loadSaved(from, terminal)
  } catch (error) {
    if (!(error instanceof NoEvidenceError)) throw error
    const nothing = { of, at: terminal.now(), notes, reason: error.message }
    terminal.write(showNothing(nothing, json, terminal))
    return EXIT.failed
  }
  const { missing, at } = evidence
  const bundle = options.collateral
    ? { ...evidence.bundle, collateral: options.collateral }
    : evidence.bundle
  if (options.saveTo !== undefined) write(options.saveTo, bundle)
  if (options.verifierInputTo !== undefined)
    writeVerifierInput(options.verifierInputTo, bundle, terminal)
  const judged = await evaluateEvidence(bundle, missing, options.policy, at)
  const report = { ...judged, open: [...judged.open, ...evidence.open] }
  const result = { of, at, notes, report }
  terminal.write(json ? showJson(result) : showText(result, terminal))
  return EXIT_OF[report.verdict]
}

async function fetchLive(
  url: URL,
  options: VerifyOptions,
  notes: string[],
  terminal: Terminal,
): Promise<EvidenceInput> {
  const stack = localStackAt(url, terminal.folder, terminal.environment)
  const { authority, rpcUrl, dnsServer } = options
  if (stack) {
    const taken = [
      ...(authority === undefined ? [`--ca ${stack.caFile}`] : []),
      ...(rpcUrl === undefined ? [`--rpc-url ${stack.rpcUrl}`] : []),
      ...(dnsServer === undefined ? [`--dns-server ${stack.dnsServer}`] : []),
    ]
    if (taken.length > 0) notes.push(`from the local stack (${stack.file}): ${taken.join(' ')}`)
  }
  const gathered = await gatherEvidence({
    url,
    authority: authority ?? stack?.authority,
    rpcUrl: rpcUrl ?? stack?.rpcUrl,
    dnsServer: dnsServer ?? stack?.dnsServer,
    collateral: options.collateral,
    timeoutMs: options.timeoutMs,
    now: () => terminal.now().getTime(),
    random: terminal.random,
  })
  const open = [
    'The name server and the chain’s node were trusted: query others with --dns-server and --rpc-url.',
  ]
  return { ...gathered, at: terminal.now(), open }
}

function loadSaved({ bundleFile }: { bundleFile: string }, terminal: Terminal): EvidenceInput {
  const bundle = readBundle(bundleFile)
  const at = new Date(bundle.fetched_at)
  if (Number.isNaN(at.getTime())) throw new NoEvidenceError('the bundle has no valid time')
  if (at.getTime() > terminal.now().getTime() + AHEAD_MS)
    throw new NoEvidenceError('the bundle’s time is in the future')
  const nothing = (what: string) => `the bundle was saved without ${what}`
  return {
    bundle,
    missing: {
      certificate: nothing('a served certificate'),
      CAA: nothing('CAA records'),
      governance: nothing('a response from the governance contract'),
    },
    at,
    open: [
      `Verified as of the time in the bundle. Whether ${bundle.base_url} still serves this certificate, and its name servers and chain still return the same data, was not checked.`,
    ],
  }
}

/** @throws {UsageError} naming the option whose value is the file */
export function readBundleFile(option: string, file: string, maxBytes: number): string {
  try {
    const bytes = readFileSync(file)
    if (bytes.length > maxBytes) throw new Error('it is too large for a bundle')
    return bytes.toString('utf8')
  } catch (error) {
    throw new UsageError(`${option} ${file}: ${(error as Error).message}`)
  }
}

function readBundle(file: string): EvidenceBundle {
  const text = readBundleFile('--offline', file, BUNDLE_MAX_BYTES)
  try {
    return bundleSchema.parse(JSON.parse(text))
  } catch {
    throw new NoEvidenceError('the file is not a bundle written by --save')
  }
}

/**
 * Writes the input of dstack's own verifier to a file. An invalid event log only causes a warning, because the rule
 * `quote` reports it.
 */
function writeVerifierInput(file: string, bundle: EvidenceBundle, terminal: Terminal): void {
  let input: object
  try {
    input = dstackVerifierInput(bundle.attestation)
  } catch (error) {
    terminal.writeError(`svc: did not write ${file}: ${printable((error as Error).message)}\n`)
    return
  }
  write(file, input)
}

function write(file: string, value: unknown): void {
  try {
    writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`)
  } catch (error) {
    throw new UsageError((error as Error).message)
  }
}
