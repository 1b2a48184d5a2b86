/** Rows of the chart that shows what remains of each sum. */
import type { SimulatedSignature } from '../../../shared/client/core/account.ts'
import type { PolicyDocument, SumDefinition } from '../../../shared/policies/document.ts'
import { durationWords } from '../../../shared/policies/describe-policy.ts'
import { shortenId } from '../format/values.ts'
import { formatAmount } from './amounts.ts'
import { chainName } from './deployments.ts'
import { COIN_DECIMALS } from './templates.ts'

/** State of a sum, as the API returns it. */
export type SumState = Pick<
  SimulatedSignature['sums'][number],
  'sum' | 'key' | 'remaining' | 'max' | 'window_s'
> &
  Partial<Pick<SimulatedSignature['sums'][number], 'added' | 'available_at'>>

export type SumRow = {
  key: string
  name: string
  /** What the sum counts, such as `USDC on Ethereum`. */
  counted: string
  /** The remaining amount in words. */
  text: string
  /** The limit in words. */
  limit: string
  /** Percentages of the maximum: used before, and added by the simulated signature. */
  used: number
  added: number
  availableAt: number | undefined
}

export function sumRows(
  { sums = [], tokens = [] }: PolicyDocument,
  states: readonly SumState[],
): SumRow[] {
  const order = sums.map(({ name }) => name)
  return states
    .toSorted((one, other) => order.indexOf(one.sum) - order.indexOf(other.sum))
    .map((state) => rowOf(state, sums, tokens))
}

/** Adds the empty sums, which the API omits. */
export function withEmptySums(
  { sums = [], tokens = [] }: PolicyDocument,
  states: readonly SumState[],
): SumState[] {
  return [...states, ...sums.flatMap((sum) => emptyStates(sum, tokens, states))]
}

type Tokens = NonNullable<PolicyDocument['tokens']>

function emptyStates(sum: SumDefinition, tokens: Tokens, states: readonly SumState[]): SumState[] {
  const { name, of, max, window_s } = sum
  const used = states.filter((state) => state.sum === name).map(({ key }) => key)
  const empty = (key: string): SumState => ({ sum: name, key, remaining: max, max, window_s })
  if (of !== 'tokens' || sum.per_recipient) return used.length === 0 ? [empty(name)] : []
  return tokens
    .filter((token) => sum.tokens?.includes(token.name))
    .map(({ chain, address }) => `${name}/${chain}/${address.toLowerCase()}`)
    .filter((key) => !used.includes(key))
    .map(empty)
}

function rowOf(state: SumState, sums: readonly SumDefinition[], tokens: Tokens): SumRow {
  const { sum, key, window_s } = state
  const [max, remaining] = [BigInt(state.max), BigInt(state.remaining)]
  const added = BigInt(state.added ?? '0')
  // The maximum may have been lowered below the amount that is already used.
  const before = max - remaining - added > 0n ? max - remaining - added : 0n
  const { counted, unit, format } = unitOf(state, sums, tokens)
  const change = added > 0n ? `${format(added)} added. ` : ''
  const window = `in a window of ${durationWords(window_s)}`
  return {
    key,
    name: sum,
    counted,
    text: `${change}${format(remaining)} of ${format(max)} ${unit} left ${window}.`,
    limit: `at most ${format(max)} ${unit} ${window}`,
    used: percent(before, max),
    added: percent(added, max),
    availableAt: state.available_at === undefined ? undefined : Date.parse(state.available_at),
  }
}

type Unit = { counted: string; unit: string; format: (amount: bigint) => string }

/** A key consists of the name of the sum, which has no slash, and possibly the chain, token and recipient. */
function unitOf({ sum, key }: SumState, sums: readonly SumDefinition[], tokens: Tokens): Unit {
  const definition = sums.find(({ name }) => name === sum)
  const [, chain, ...others] = key.split('/')
  const on = chain === undefined ? 'on each chain' : `on ${chainName(chain)}`
  const inUnits = (decimals: number) => (amount: bigint) => formatAmount(amount, decimals)
  if (definition?.of === 'signatures')
    return { counted: 'Signatures', unit: 'signatures', format: inUnits(0) }
  if (definition?.of === 'tokens') {
    const [address, recipient] = others
    const token = tokens.find(
      (known) => String(known.chain) === chain && known.address.toLowerCase() === address,
    )
    const name = token?.name ?? definition.tokens?.join(', ') ?? 'tokens'
    const isWhole = token?.decimals !== undefined
    return {
      counted: `${name} ${on}${toWords(recipient)}`,
      unit: isWhole ? name : `units of ${name}`,
      format: inUnits(token?.decimals ?? 0),
    }
  }
  const what = definition?.of === 'native_spend' ? 'Native coin with fees' : 'Native coin'
  const counted = `${what} ${on}${toWords(others[0])}`
  return { counted, unit: 'native coins', format: inUnits(COIN_DECIMALS) }
}

const toWords = (recipient: string | undefined) =>
  recipient === undefined ? '' : ` to ${shortenId(recipient)}`

/** Percentage with one decimal. At least 0.5 for a positive amount, so that it stays visible. */
function percent(part: bigint, max: bigint): number {
  if (part === 0n || max === 0n) return 0
  const share = Number((part * 1_000n) / max) / 10
  return Math.min(100, Math.max(0.5, share))
}
