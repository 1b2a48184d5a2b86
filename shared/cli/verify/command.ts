/** `svc verify`: whether a host is the machine that it says it is, running what it says it runs. */
import { readFileSync, writeFileSync } from 'node:fs'
import type { Command } from 'commander'
import { bundleSchema, type EvidenceBundle } from '../../attestation/evidence.ts'
import { dstackVerifierInput } from '../../attestation/dstack-verifier-input.ts'
import { TCB_STATUSES, type Verdict } from '../../attestation/policy.ts'
import { EXIT, printable, type Terminal, UsageError } from '../terminal.ts'
import { gather, type Missing, NoEvidence } from './gather.ts'
import { judge } from './judge.ts'
import { localStackAt } from './local-stack.ts'
import { type GivenOptions, TIMEOUT_S, verifyOptions, type VerifyOptions } from './options.ts'
import { showJson, showNothing, showText } from './show.ts'

const EXIT_OF: Record<Verdict, number> = {
  HARDWARE: EXIT.ok,
  SIMULATED: EXIT.simulated,
  FAILED: EXIT.failed,
}

const ACCEPTABLE = TCB_STATUSES.filter((status) => status !== 'Revoked').join(', ')

/** A bundle from the future was not saved by this machine, or its clock is wrong. */
const AHEAD_MS = 5 * 60_000
const BUNDLE_MAX_BYTES = 32 * 1024 * 1024

const several = (value: string, before: string[] | undefined) => [
  ...(before ?? []),
  ...value.split(',').map((part) => part.trim()),
]

/** @param exit is told the exit code */
export function registerVerify(
  program: Command,
  terminal: Terminal,
  exit: (code: number) => void,
): void {
  program
    .command('verify')
    .description('Verify the evidence of a host: seven rules, what they leave open, and a verdict.')
    .argument('[url]', 'https:// address of an origin')
    .option('--offline <bundle>', 'judge a bundle that --save wrote; uses no network')
    .option('--save <file>', 'write all that was fetched, to be judged again later')
    .option('--rpc-url <url>', 'a node of the chain that the governance contract is on')
    .option('--dns-server <ip[:port]>', 'ask this name server for CAA records')
    .option('--ca <file>', 'PEM of an authority to trust beside the usual ones')
    .option('--collateral <file>', 'judge the quote by this collateral, not by the host’s')
    .option('--measurements <file>', 'JSON list of {mrtd, rtmr0, rtmr1, rtmr2}: accept these alone')
    .option('--app-id <hex>', 'accept this application alone')
    .option('--compose-hash <hex>', 'accept this compose hash; may be repeated', several)
    .option(
      '--tcb-status <status>',
      `accept this status of the platform; may be repeated (of ${ACCEPTABLE}; default UpToDate)`,
      several,
    )
    .option('--dstack-verifier-input <file>', 'write the request for dstack’s own verifier')
    .option('--timeout <seconds>', `how long the host may take (default ${TIMEOUT_S})`)
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExit code: 0 HARDWARE, 3 SIMULATED, 1 FAILED, 2 wrong usage.')
    .action(async (url: string | undefined, given: GivenOptions) => {
      exit(await verify(verifyOptions(url, given, terminal), terminal))
    })
}

type Evidence = { bundle: EvidenceBundle; missing: Missing; at: Date; open: string[] }

async function verify(options: VerifyOptions, terminal: Terminal): Promise<number> {
  const { from, json } = options
  const of = 'url' in from ? from.url.origin : from.bundleFile
  const notes: string[] = []
  let evidence: Evidence
  try {
    evidence =
      'url' in from ? await live(from.url, options, notes, terminal) : saved(from, terminal)
  } catch (error) {
    if (!(error instanceof NoEvidence)) throw error
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
  const judged = await judge(bundle, missing, options.policy, at)
  const report = { ...judged, open: [...judged.open, ...evidence.open] }
  const result = { of, at, notes, report }
  terminal.write(json ? showJson(result) : showText(result, terminal))
  return EXIT_OF[report.verdict]
}

async function live(
  url: URL,
  options: VerifyOptions,
  notes: string[],
  terminal: Terminal,
): Promise<Evidence> {
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
  const gathered = await gather({
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
    'The name server and the chain’s node were believed: ask others, with --dns-server and --rpc-url.',
  ]
  return { ...gathered, at: terminal.now(), open }
}

function saved({ bundleFile }: { bundleFile: string }, terminal: Terminal): Evidence {
  const bundle = readBundle(bundleFile)
  const at = new Date(bundle.fetched_at)
  if (Number.isNaN(at.getTime())) throw new NoEvidence('the bundle does not say when it was saved')
  if (at.getTime() > terminal.now().getTime() + AHEAD_MS)
    throw new NoEvidence('the bundle says that it was saved at a time that is yet to come')
  const nothing = (what: string) => `the bundle was saved without ${what}`
  return {
    bundle,
    missing: {
      certificate: nothing('a certificate that was served'),
      CAA: nothing('CAA records'),
      governance: nothing('a word of the governance contract'),
    },
    at,
    open: [
      `Judged as of the time that the bundle says, from ${bundle.base_url}: whether that host serves this certificate, and its name servers and chain say this, was not looked at now.`,
    ],
  }
}

function readBundle(file: string): EvidenceBundle {
  let text: string
  try {
    const bytes = readFileSync(file)
    if (bytes.length > BUNDLE_MAX_BYTES) throw new Error('it is larger than any bundle')
    text = bytes.toString('utf8')
  } catch (error) {
    throw new UsageError(`--offline ${file}: ${(error as Error).message}`)
  }
  try {
    return bundleSchema.parse(JSON.parse(text))
  } catch {
    throw new NoEvidence('the file is no bundle that --save wrote')
  }
}

/** Of a log that does not hold there is none: the rule `quote` says so. */
function writeVerifierInput(file: string, bundle: EvidenceBundle, terminal: Terminal): void {
  let input: object
  try {
    input = dstackVerifierInput(bundle.attestation)
  } catch (error) {
    terminal.complain(`svc: ${file} was not written: ${printable((error as Error).message)}\n`)
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
