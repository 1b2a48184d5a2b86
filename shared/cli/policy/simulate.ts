import type { Command } from 'commander'
import { readAddress } from '../../policies/address.ts'
import type { Charge } from '../../policies/charges.ts'
import { DeniedError } from '../../policies/denial.ts'
import { type Decision, evaluate } from '../../policies/evaluate.ts'
import {
  exceededSumWords,
  reserveCharges,
  sumStateJson,
  type SumStates,
  sumStatesSchema,
} from '../../policies/sum-states.ts'
import type { Cli } from '../cli.ts'
import { columns } from '../commands/columns.ts'
import { EXIT, printable, UsageError } from '../terminal.ts'
import { readJson, readPolicy } from './read-policy.ts'

export type SimulateOptions = {
  request: string
  sums?: string
  wallet?: string
  action?: string
  at?: string
}

/** Sum of the output: what it was charged, and what remains of it. */
type SumResult = { sum: string; key: string; amount: string; max: string; remaining: string }

/**
 * Decides about a request: by a policy document without the network, or by the policy of a wallet and what remains of its
 * sums. Exits with 1 if the policy denies the request.
 * @throws {UsageError} if a file is invalid
 */
export async function simulatePolicy(
  cli: Cli,
  command: Command,
  file: string | undefined,
  options: SimulateOptions,
): Promise<void> {
  return file === undefined
    ? simulateAtService(cli, command, options)
    : simulateOffline(cli, command, file, options)
}

async function simulateAtService(
  cli: Cli,
  command: Command,
  { wallet, request: file, action, sums, at }: SimulateOptions,
): Promise<void> {
  if (wallet === undefined)
    throw new UsageError('expected a policy document, or --wallet for the policy of a wallet')
  if (sums !== undefined || at !== undefined)
    throw new UsageError('--sums and --at need a policy document: the service has its own')
  const request = await readJson(cli, file)
  if (typeof request !== 'object' || request === null)
    throw new UsageError(`${file}: expected a JSON object`)
  const client = await cli.client(command, { key: 'account' })
  const simulated = await client.simulateSignature({
    pkp_id: wallet,
    request,
    ...(action !== undefined && { action_ipfs_cid: action }),
  })
  if (simulated.decision === 'deny') cli.exit(EXIT.failed)
  const remaining = simulated.sums.map(({ added, ...sum }) => ({ ...sum, amount: added }))
  cli.print(command, simulated, () => linesOf({ ...simulated, remaining }))
}

async function simulateOffline(
  cli: Cli,
  command: Command,
  file: string,
  options: SimulateOptions,
): Promise<void> {
  const policy = await readPolicy(cli, file)
  const request = await readJson(cli, options.request)
  const states = options.sums === undefined ? new Map() : await readSums(cli, options.sums)
  const now = options.at === undefined ? cli.terminal.now().getTime() : timeOf(options.at)
  const decision = evaluate(policy, request, {
    wallet: walletOf(options.wallet ?? senderOf(request)),
    action: options.action ?? null,
    now,
  })
  const result = resultOf(decision, states, now)
  if (result.decision === 'deny') cli.exit(EXIT.failed)
  cli.print(command, { policy: policy.hash, ...result }, () => linesOf(result))
}

type ShownResult = {
  decision: 'allow' | 'deny'
  code?: string | undefined
  rule?: string | undefined
  explanation: readonly string[]
  remaining: readonly SumResult[]
}

type SimulationResult = ShownResult & {
  /** States of the sums afterwards, in the form of `--sums`. */
  sums: Record<string, unknown>
}

function resultOf(decision: Decision, states: SumStates, now: number): SimulationResult {
  const unchanged = { remaining: [], sums: statesJson(states) }
  if (decision.decision === 'deny') return { ...decision, ...unchanged }
  const { rule, charges, explanation } = decision
  const reserved = reserveCharges(states, charges, now)
  if (!reserved.isReserved)
    return {
      decision: 'deny',
      code: 'over_sum',
      rule,
      explanation: [...explanation.slice(0, -1), exceededSumWords(reserved)],
      ...unchanged,
    }
  const remaining = reserved.remaining.map(({ charge, remaining: left }) => sumResult(charge, left))
  return { decision: 'allow', rule, explanation, remaining, sums: statesJson(reserved.states) }
}

const sumResult = ({ sum, key, amount, max }: Charge, remaining: bigint): SumResult => ({
  sum,
  key,
  amount: String(amount),
  max: String(max),
  remaining: String(remaining),
})

const statesJson = (states: SumStates) =>
  Object.fromEntries([...states].map(([key, state]) => [key, sumStateJson(state)]))

function linesOf({ decision, rule, code, explanation, remaining }: ShownResult): string[] {
  const verdict = decision === 'allow' ? `ALLOWED  ${rule}` : `DENIED   ${code}`
  return [
    printable(verdict),
    ...explanation.map(printable),
    ...(remaining.length === 0 ? [] : ['', 'Sums:']),
    ...columns(
      remaining.map(({ key, amount, remaining: left, max }) => [
        key,
        `${amount} added`,
        `${left} of ${max} remain`,
      ]),
    ),
  ]
}

async function readSums(cli: Cli, file: string): Promise<SumStates> {
  const value = await readJson(cli, file)
  // Accepts the whole output of a simulation.
  const given = typeof value === 'object' && value !== null && 'sums' in value ? value.sums : value
  const result = sumStatesSchema.safeParse(given)
  if (result.success) return new Map(Object.entries(result.data))
  const [issue] = result.error.issues
  throw new UsageError(`${file}: ${issue?.path.join('.')}: ${issue?.message}`)
}

function timeOf(text: string): number {
  const time = Date.parse(text)
  if (Number.isNaN(time)) throw new UsageError(`--at ${text}: expected a time in RFC 3339`)
  return time
}

function walletOf(text: string): string {
  try {
    return readAddress(text, '--wallet')
  } catch (error) {
    throw error instanceof DeniedError ? new UsageError(error.message) : error
  }
}

/** The sender of a transaction, or an address that nobody has. */
function senderOf(request: unknown): string {
  const transaction: unknown = memberOf(request, 'transaction')
  const from = memberOf(transaction, 'from')
  return typeof from === 'string' ? from : `0x${'0'.repeat(40)}`
}

const memberOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
