/** The policy document as it is written. `parsePolicy` checks what a schema cannot express. */
import { z } from 'zod'
import { hasValidCase } from './address.ts'
import * as limits from './limits.ts'
import { UINT256_MAX } from './numbers.ts'

const list = <Item extends z.ZodType>(item: Item, max: number) => z.array(item).min(1).max(max)

const name = z
  .string()
  .regex(
    /^[A-Za-z0-9](?:[A-Za-z0-9 _.-]{0,62}[A-Za-z0-9])?$/,
    'expected 1 to 64 letters, digits, spaces and _ . -',
  )

/** Flags are true or absent, so that a policy has one canonical form. */
const flag = z.literal(true, { error: 'expected true; omit the member for false' }).optional()

const chain = z.int().min(1).meta({ description: 'chain ID' })

const lowerCased = (text: string) => text.toLowerCase()

const CHECKSUM_ERROR =
  'invalid EIP-55 checksum: copy the address again, or write it in lower case after checking it'

const address = z
  .string()
  .regex(/^0x[0-9a-fA-F]{40}$/, {
    error: 'expected an address: 0x and 40 hex digits',
    abort: true,
  })
  .refine(hasValidCase, CHECKSUM_ERROR)
  .transform(lowerCased)

/** Name of a list with an @ in front. `@wallet` is the wallet itself. */
const LIST_NAME = '[a-z][a-z0-9_-]{0,31}'
export const WALLET_LIST = '@wallet'

const addressOrList = z
  .string()
  .regex(new RegExp(`^(?:0x[0-9a-fA-F]{40}|@${LIST_NAME})$`), {
    error: 'expected an address (0x and 40 hex digits) or a list (@name)',
    abort: true,
  })
  .refine((text) => text.startsWith('@') || hasValidCase(text), CHECKSUM_ERROR)
  .transform(lowerCased)

const amount = z
  .string()
  .regex(/^(?:0|[1-9][0-9]{0,77})$/, {
    error: 'expected an amount in the smallest unit, as a decimal text such as "25000000"',
    abort: true,
  })
  .refine((digits) => BigInt(digits) <= UINT256_MAX, 'more than 2^256 - 1')

const integer = z
  .string()
  .regex(/^(?:0|-?[1-9][0-9]{0,77})$/, 'expected an integer as a decimal text such as "25"')

const text = z.string().min(1).max(limits.TEXT_MAX_CHARACTERS)

const scalar = z.union([z.string().max(limits.TEXT_MAX_CHARACTERS), z.boolean()], {
  error: 'expected a text (also for numbers and addresses) or a boolean',
})

const condition = z.strictObject({
  /** Place of the value: names or positions of arguments and members, and indexes of arrays. Absent for an element. */
  path: z
    .string()
    .max(200)
    .regex(
      /^(?:[A-Za-z_$][\w$]*|[0-9]{1,3})(?:\.(?:[A-Za-z_$][\w$]*|[0-9]{1,3})|\[-?[0-9]{1,4}\])*$|^(?:\[-?[0-9]{1,4}\])+$/,
      'expected a path such as amount, params.recipient or path[0]',
    )
    .optional(),
  eq: scalar.optional(),
  in: list(scalar, limits.VALUES_MAX).optional(),
  lte: integer.optional(),
  gte: integer.optional(),
  prefix: text.optional(),
  get every() {
    return list(condition, limits.CONDITIONS_MAX).optional()
  },
  get some() {
    return list(condition, limits.CONDITIONS_MAX).optional()
  },
})

export type Condition = z.output<typeof condition>

const conditions = list(condition, limits.CONDITIONS_MAX).optional()
const signature = z.string().min(1).max(limits.SIGNATURE_MAX_CHARACTERS)

const call = z.union(
  [
    z.strictObject({ function: signature, conditions }),
    z.strictObject({
      selector: z
        .string()
        .regex(/^0x[0-9a-f]{8}$/, 'expected a selector: 0x and 8 lower-case hex digits'),
    }),
  ],
  { error: 'expected {"function": …} or {"selector": …}' },
)

const WEEKDAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const

const time = z
  .string()
  .regex(/^(?:(?:[01][0-9]|2[0-3]):[0-5][0-9]|24:00)$/, 'expected a time such as 09:30 (UTC)')

const base = {
  name,
  effect: z.enum(['allow', 'deny']),
  /** CIDs of the actions that may use the wallet. */
  actions: list(
    z.string().regex(/^[A-Za-z0-9]{10,128}$/, 'expected a CID'),
    limits.ENTRIES_MAX,
  ).optional(),
  /** Times in UTC at which the rule applies. `to` is exclusive. */
  times: list(
    z.strictObject({
      weekdays: list(z.enum(WEEKDAYS), WEEKDAYS.length).optional(),
      from: time.optional(),
      to: time.optional(),
    }),
    limits.ENTRIES_MAX,
  ).optional(),
  /** Names of the sums that count what the rule allows. */
  sums: list(name, limits.SUMS_MAX).optional(),
}

const any = z.literal('any')
const chains = z.union([any, list(chain, limits.ENTRIES_MAX)], {
  error: 'expected "any" or a list of chain IDs',
})

const transactionRule = z.strictObject({
  kind: z.literal('transaction'),
  ...base,
  chains,
  to: z.union([any, z.literal('creation'), list(addressOrList, limits.VALUES_MAX)], {
    error: 'expected "any", "creation", or a list of addresses and @lists',
  }),
  calls: z.union([any, z.literal('none'), list(call, limits.ENTRIES_MAX)], {
    error: 'expected "any", "none", or a list of functions',
  }),
  /** Native value of one transaction. Zero if absent. */
  value_max: amount.optional(),
  gas_limit_max: amount.optional(),
  /** Limit of `gasPrice`, or of `maxFeePerGas`. */
  gas_price_max: amount.optional(),
  transaction_types: list(
    z
      .int()
      .min(0)
      .max(3, 'only the types 0 to 3 are supported; EIP-7702 transactions are always denied'),
    4,
  ).optional(),
  unlimited_approval: flag,
  zero_address: flag,
  unchecked_nested_calls: flag,
  delegate_call: flag,
})

/** Shorter prefixes could be found in a hash by trying many. */
const messagePrefix = text.min(8, 'expected a prefix of at least 8 characters')

const messageRule = z.strictObject({
  kind: z.literal('message'),
  ...base,
  messages: z.union(
    [
      any,
      list(
        z.union([z.strictObject({ prefix: messagePrefix }), z.strictObject({ equals: text })], {
          error: 'expected {"prefix": …} or {"equals": …}',
        }),
        limits.ENTRIES_MAX,
      ),
    ],
    { error: 'expected "any" or a list of prefixes and texts' },
  ),
  binary: flag,
})

const typedDataRule = z.strictObject({
  kind: z.literal('typed_data'),
  ...base,
  chains,
  chainless_domain: flag,
  domains: z.union(
    [
      any,
      list(
        z.strictObject({
          name: text.optional(),
          version: text.optional(),
          verifying_contract: z.union([any, list(addressOrList, limits.VALUES_MAX)], {
            error: 'expected "any" or a list of addresses and @lists',
          }),
          salt: z
            .string()
            .regex(/^0x[0-9a-f]{64}$/, 'expected 32 bytes as lower-case 0x hex')
            .optional(),
        }),
        limits.ENTRIES_MAX,
      ),
    ],
    { error: 'expected "any" or a list of domains' },
  ),
  types: z.union([any, list(z.strictObject({ type: signature, conditions }), limits.ENTRIES_MAX)], {
    error: 'expected "any" or a list of types',
  }),
  unlimited_approval: flag,
  zero_address: flag,
  unchecked_nested_calls: flag,
  delegate_call: flag,
})

const digestRule = z.strictObject({ kind: z.literal('digest'), ...base })

const rule = z.discriminatedUnion(
  'kind',
  [transactionRule, messageRule, typedDataRule, digestRule],
  { error: 'expected the kind transaction, message, typed_data or digest' },
)

const sum = z.strictObject({
  name,
  of: z.enum(['native_spend', 'native_value', 'tokens', 'signatures']),
  /** Names of tokens, for `of: "tokens"`. */
  tokens: list(name, limits.TOKENS_MAX).optional(),
  per_recipient: flag,
  window_s: z.int().min(limits.WINDOW_MIN_S).max(limits.WINDOW_MAX_S),
  max: amount,
})

const token = z.strictObject({
  name,
  chain,
  address,
  /** `erc20` if absent. */
  standard: z
    .enum(['erc721', 'erc1155'], {
      error: 'expected erc721 or erc1155; omit the member for ERC-20',
    })
    .optional(),
  decimals: z.int().min(0).max(77).optional(),
})

export const policySchema = z
  .strictObject({
    version: z.literal(1),
    name: name.optional(),
    /** Delay in seconds before a change that loosens the policy takes effect. Zero if absent. */
    change_delay_s: z.int().min(1).max(limits.CHANGE_DELAY_MAX_S).optional(),
    immutable: flag,
    tokens: list(token, limits.TOKENS_MAX).optional(),
    lists: list(
      z.strictObject({
        name: z
          .string()
          .regex(new RegExp(`^${LIST_NAME}$`), 'expected lower-case letters, digits, _ and -'),
        addresses: list(address, limits.VALUES_MAX),
      }),
      limits.LISTS_MAX,
    ).optional(),
    sums: list(sum, limits.SUMS_MAX).optional(),
    rules: list(rule, limits.RULES_MAX),
  })
  .meta({ title: 'Wallet policy', description: 'docs/policies.md describes the members.' })

export type PolicyDocument = z.output<typeof policySchema>
export type Rule = PolicyDocument['rules'][number]
export type TransactionRule = z.output<typeof transactionRule>
export type MessageRule = z.output<typeof messageRule>
export type TypedDataRule = z.output<typeof typedDataRule>
export type CallEntry = z.output<typeof call>
export type SumDefinition = z.output<typeof sum>
export type TokenDefinition = z.output<typeof token>
export type Weekday = (typeof WEEKDAYS)[number]

/** Returns the JSON Schema (2020-12) of a policy document, which is published as `docs/policy.schema.json`. */
export function policyJsonSchema(): Record<string, unknown> {
  return z.toJSONSchema(policySchema, { io: 'input' })
}
