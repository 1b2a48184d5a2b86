/** The chains that a deployment watches, as `CHAINS` configures them (`docs/configuration.md`). */
import { z } from 'zod'
import { FINALITY_DEPTH_MAX } from '../../shared/limits.ts'
import { SETTINGS } from '../../shared/settings.ts'

export const CHAIN_NAMES = ['ethereum', 'base', 'arbitrum', 'bsc', 'polygon'] as const
export type ChainName = (typeof CHAIN_NAMES)[number]

export type ChainSettings = {
  chainId: number
  /** JSON-RPC endpoints, the preferred one first. They may hold keys: never logged, never shown. */
  rpc: readonly string[]
  /** Blocks below the head at which a block is taken as final, where a trigger does not say. */
  finality: number
  pollMs: number
}

/** A chain that is not configured is absent. */
export type Chains = Partial<Record<ChainName, ChainSettings>>

/**
 * Blocks as `decisions.md`, Chain config; milliseconds near to a block's time, where that is not below two seconds: most
 * questions would hear of nothing new on Ethereum, and bring one event each on the others.
 */
const DEFAULTS: Record<ChainName, { finality: number; pollMs: number }> = {
  ethereum: { finality: 12, pollMs: 6_000 },
  base: { finality: 12, pollMs: 2_000 },
  arbitrum: { finality: 40, pollMs: 2_000 },
  bsc: { finality: 15, pollMs: 2_000 },
  polygon: { finality: 64, pollMs: 2_000 },
}

/** No chain has blocks so often that more questions would bring events earlier. */
const POLL_MS_MIN = 200
/** Above it, an event waits longer for us than for its block. */
const POLL_MS_MAX = 60_000
/** Each of them is asked for its chain id, and again while it fails. */
const ENDPOINTS_MAX = 8

const defaultsOf = (member: 'finality' | 'pollMs') =>
  CHAIN_NAMES.map(
    (name) => `${DEFAULTS[name][member].toLocaleString('en-US')} for \`${name}\``,
  ).join(', ')

/** Of each chain in `CHAINS`. */
export const chainMembers = {
  chain_id: z.int().min(1).register(SETTINGS, {
    meaning: 'what every node has to answer to `eth_chainId`; one that answers another is not used',
  }),
  rpc: z
    .array(z.string().superRefine(requireEndpoint))
    .min(1)
    .max(ENDPOINTS_MAX)
    .register(SETTINGS, {
      meaning: `1 to ${ENDPOINTS_MAX} URLs, the preferred one first; the others are asked when it fails, lags or refuses`,
      secret: 'when a key is in it',
      production: '`http`',
    }),
  finality: z
    .int()
    .min(0)
    .max(FINALITY_DEPTH_MAX)
    .optional()
    .register(SETTINGS, {
      meaning: `blocks below the head at which a block is final, for triggers that do not say, 0 to ${FINALITY_DEPTH_MAX.toLocaleString('en-US')}`,
      default: defaultsOf('finality'),
    }),
  poll_ms: z
    .int()
    .min(POLL_MS_MIN)
    .max(POLL_MS_MAX)
    .optional()
    .register(SETTINGS, {
      meaning: `milliseconds between two questions for the head, ${POLL_MS_MIN} to ${POLL_MS_MAX.toLocaleString('en-US')}, while there are triggers`,
      default: defaultsOf('pollMs'),
    }),
}

/** Unknown members and values are never said: a URL with its key may stand in the place of anything. */
const chainSchema = z
  .strictObject(chainMembers, {
    error: unknownMember('chain_id, rpc, finality and poll_ms'),
  })
  .superRefine(({ rpc }, context) => {
    const known = rpc.map((url) => (URL.canParse(url) ? new URL(url).href : undefined))
    for (const [place, url] of known.entries())
      if (url !== undefined && known.indexOf(url) < place)
        context.addIssue({ code: 'custom', path: ['rpc', place], message: 'it is there already' })
  })

const chainsSchema = z.strictObject(
  Object.fromEntries(CHAIN_NAMES.map((name) => [name, chainSchema.optional()])) as Record<
    ChainName,
    z.ZodOptional<typeof chainSchema>
  >,
  { error: unknownMember(CHAIN_NAMES.join(', ')) },
)

/** `CHAINS`: JSON of the chains by their names. Absent or empty: there are none. */
export const chainsSetting = z
  .string()
  .optional()
  .transform((text, context) => {
    if (text === undefined || text.trim() === '') return {}
    try {
      return JSON.parse(text) as unknown
    } catch {
      // The parser's own message quotes the text.
      context.addIssue({ code: 'custom', message: 'JSON is expected' })
      return z.NEVER
    }
  })
  .pipe(chainsSchema)
  .transform((given): Chains =>
    Object.fromEntries(
      CHAIN_NAMES.flatMap((name) => {
        const chain = given[name]
        return chain ? [[name, withDefaults(name, chain)]] : []
      }),
    ),
  )

function withDefaults(name: ChainName, chain: z.infer<typeof chainSchema>): ChainSettings {
  const { chain_id, rpc, finality, poll_ms } = chain
  const usual = DEFAULTS[name]
  return {
    chainId: chain_id,
    rpc: rpc.map((url) => new URL(url).href),
    finality: finality ?? usual.finality,
    pollMs: poll_ms ?? usual.pollMs,
  }
}

/** What production does not take, by its place; none where all is well. */
export function chainMisfits({ CHAINS, SVC_ENV }: { CHAINS: Chains; SVC_ENV: string }) {
  const found: [string, string][] = []
  if (SVC_ENV !== 'production') return found
  const ids: number[] = []
  for (const [name, { rpc, chainId }] of Object.entries(CHAINS)) {
    for (const [place, url] of rpc.entries())
      if (url.startsWith('http:'))
        found.push([`CHAINS.${name}.rpc.${place}`, 'production asks over https alone'])
    if (ids.includes(chainId))
      found.push([`CHAINS.${name}.chain_id`, 'another chain of these has the same'])
    ids.push(chainId)
  }
  return found
}

function requireEndpoint(url: string, context: z.RefinementCtx): void {
  const refuse = (message: string) => context.addIssue({ code: 'custom', message })
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  if (!parsed || !['https:', 'http:'].includes(parsed.protocol)) refuse('an https URL is expected')
  else if (parsed.hash !== '') refuse('what stands behind # is not sent')
}

function unknownMember(known: string) {
  return ({ code }: { code: string }) =>
    code === 'unrecognized_keys' ? `a member is not known; there are ${known}` : undefined
}
