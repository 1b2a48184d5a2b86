/**
 * Chains of a deployment, parsed from the `CHAINS` setting (`docs/configuration.md`): the edge watches their events, the
 * origin sends transactions.
 */
import { z } from 'zod'
import { jsonSetting } from './json-setting.ts'
import { FINALITY_DEPTH_MAX } from '../limits.ts'
import { ENVIRONMENTS, type EnvironmentName } from './environments.ts'
import type { SettingFault } from './parse-settings.ts'
import { SETTINGS } from './settings.ts'

export const CHAIN_NAMES = ['ethereum', 'base', 'arbitrum', 'bsc', 'polygon'] as const
export type ChainName = (typeof CHAIN_NAMES)[number]

export type ChainSettings = {
  chainId: number
  /**
   * URLs of the chain's nodes, the preferred one first. They may contain API keys, so they are never logged or shown.
   */
  rpc: readonly string[]
  /** Depth below the head at which a block counts as final, for transactions, and triggers that do not set a finality. */
  finality: number
  pollMs: number
  /** Base URL of a block explorer, without a slash at the end. Pages are at `/tx/<hash>` and `/address/<address>`. */
  explorer?: string | undefined
}

export type Chains = Partial<Record<ChainName, ChainSettings>>

/**
 * Default settings of each chain, with the finality in blocks. The explorer applies only to the chain with that ID, so
 * that links of a test network do not lead to the main network. Ethereum is polled at half of its block time, which
 * delays an event by 3 s on average. Polling the other chains more often than every 2 s would mostly return nothing new
 * (`docs/decisions/0046`).
 */
const DEFAULTS: Record<
  ChainName,
  { finality: number; pollMs: number; explorer: { chainId: number; url: string } }
> = {
  ethereum: {
    finality: 12,
    pollMs: 6_000,
    explorer: { chainId: 1, url: 'https://etherscan.io' },
  },
  base: {
    finality: 12,
    pollMs: 2_000,
    explorer: { chainId: 8453, url: 'https://basescan.org' },
  },
  arbitrum: {
    finality: 40,
    pollMs: 2_000,
    explorer: { chainId: 42_161, url: 'https://arbiscan.io' },
  },
  bsc: {
    finality: 15,
    pollMs: 2_000,
    explorer: { chainId: 56, url: 'https://bscscan.com' },
  },
  polygon: {
    finality: 64,
    pollMs: 2_000,
    explorer: { chainId: 137, url: 'https://polygonscan.com' },
  },
}

/** Minimum poll interval. Polling faster would not deliver events earlier on any chain. */
const POLL_MS_MIN = 200
/** Maximum poll interval. Beyond it, polling would delay events more than block times do. */
const POLL_MS_MAX = 60_000
/** Maximum number of endpoints per chain. Each endpoint is sent a chain ID request, and more of them while it fails. */
const ENDPOINTS_MAX = 8

const defaultsOf = (member: 'finality' | 'pollMs') =>
  CHAIN_NAMES.map(
    (name) => `${DEFAULTS[name][member].toLocaleString('en-US')} for \`${name}\``,
  ).join(', ')

export const chainSettingFields = {
  chain_id: z.int().min(1).register(SETTINGS, {
    meaning: 'chain ID that every node must return from `eth_chainId`; other nodes are not used',
  }),
  rpc: z
    .array(z.string().superRefine(requireEndpoint))
    .min(1)
    .max(ENDPOINTS_MAX)
    .register(SETTINGS, {
      meaning: `1 to ${ENDPOINTS_MAX} URLs, the preferred one first; the others are used if it fails, lags or rejects requests. The origin accepts what transactions depend on only from more than half of them: configure one node, or three or more, because with two both must respond`,
      secret: 'if it contains a key',
      production: '`http`',
    }),
  finality: z
    .int()
    .min(0)
    .max(FINALITY_DEPTH_MAX)
    .optional()
    .register(SETTINGS, {
      meaning: `number of blocks below the head at which a block is final, for transactions, and for triggers without \`finality\`, 0 to ${FINALITY_DEPTH_MAX.toLocaleString('en-US')}`,
      default: defaultsOf('finality'),
    }),
  poll_ms: z
    .int()
    .min(POLL_MS_MIN)
    .max(POLL_MS_MAX)
    .optional()
    .register(SETTINGS, {
      meaning: `poll interval in milliseconds while there are triggers or open transactions, ${POLL_MS_MIN} to ${POLL_MS_MAX.toLocaleString('en-US')}`,
      default: defaultsOf('pollMs'),
    }),
  explorer: z
    .string()
    .superRefine(requireExplorer)
    .optional()
    .register(SETTINGS, {
      meaning:
        'base URL of a block explorer, to which the console links transactions: `/tx/<hash>` and `/address/<address>` are appended',
      default: `${CHAIN_NAMES.map((name) => `\`${new URL(DEFAULTS[name].explorer.url).host}\` for \`${name}\``).join(', ')}, if \`chain_id\` is that of the main network; otherwise none`,
      production: '`http`',
    }),
}

/**
 * Schema of one chain's settings. Its errors never quote unknown fields or values, because a URL with an API key may
 * appear anywhere in the setting.
 */
const chainSchema = z
  .strictObject(chainSettingFields, {
    error: unknownMember('chain_id, rpc, finality, poll_ms and explorer'),
  })
  .superRefine(({ rpc }, context) => {
    const known = rpc.map((url) => (URL.canParse(url) ? new URL(url).href : undefined))
    for (const [place, url] of known.entries())
      if (url !== undefined && known.indexOf(url) < place)
        context.addIssue({ code: 'custom', path: ['rpc', place], message: 'duplicate' })
  })

const chainsSchema = z.strictObject(
  Object.fromEntries(CHAIN_NAMES.map((name) => [name, chainSchema.optional()])) as Record<
    ChainName,
    z.ZodOptional<typeof chainSchema>
  >,
  { error: unknownMember(CHAIN_NAMES.join(', ')) },
)

/** The `CHAINS` setting, a JSON object keyed by chain name. If it is absent or empty, no chains are configured. */
export const chainsSetting = jsonSetting
  .pipe(chainsSchema.optional())
  .transform((given = {}): Chains =>
    Object.fromEntries(
      CHAIN_NAMES.flatMap((name) => {
        const chain = given[name]
        return chain ? [[name, withDefaults(name, chain)]] : []
      }),
    ),
  )
  .register(SETTINGS, {
    meaning:
      'chains whose events can fire triggers (edge), and on which wallets can send transactions (origin), as JSON: [below](#chains). Configure the same chains at both services',
    default: 'none',
    secret: 'its URLs may contain keys',
    production: '`http` nodes and explorers; two chains with the same ID',
  })

function withDefaults(name: ChainName, chain: z.infer<typeof chainSchema>): ChainSettings {
  const { chain_id, rpc, finality, poll_ms, explorer } = chain
  const usual = DEFAULTS[name]
  const usualExplorer = usual.explorer.chainId === chain_id ? usual.explorer.url : undefined
  return {
    chainId: chain_id,
    rpc: rpc.map((url) => new URL(url).href),
    finality: finality ?? usual.finality,
    pollMs: poll_ms ?? usual.pollMs,
    explorer: explorer === undefined ? usualExplorer : new URL(explorer).href.replace(/\/+$/, ''),
  }
}

/** Malformed settings are undefined. */
export function chainSettingProblems({
  CHAINS = {},
  SVC_ENV,
}: {
  CHAINS?: Chains
  SVC_ENV?: EnvironmentName
}): SettingFault[] {
  const found: SettingFault[] = []
  if (SVC_ENV === undefined || !ENVIRONMENTS[SVC_ENV].isPublic) return found
  const ids: number[] = []
  for (const [name, { rpc, chainId, explorer }] of Object.entries(CHAINS)) {
    for (const [place, url] of rpc.entries())
      if (url.startsWith('http:'))
        found.push([`CHAINS.${name}.rpc.${place}`, `must use https in ${SVC_ENV}`])
    if (explorer?.startsWith('http:'))
      found.push([`CHAINS.${name}.explorer`, `must use https in ${SVC_ENV}`])
    if (ids.includes(chainId))
      found.push([`CHAINS.${name}.chain_id`, 'must differ from the other chains'])
    ids.push(chainId)
  }
  return found
}

function requireEndpoint(url: string, context: z.RefinementCtx): void {
  const refuse = (message: string) => context.addIssue({ code: 'custom', message })
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  if (!parsed || !['https:', 'http:'].includes(parsed.protocol)) refuse('expected an https URL')
  else if (parsed.hash !== '') refuse('must not have a fragment (#)')
}

/** Pages show this URL to users, so it must not contain a secret. */
function requireExplorer(text: string, context: z.RefinementCtx): void {
  const refuse = (message: string) => context.addIssue({ code: 'custom', message })
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !['https:', 'http:'].includes(url.protocol)) refuse('expected an https URL')
  else if (url.username || url.password) refuse('must not have a user name or password')
  else if (/[?#]/.test(text)) refuse('must not have a query (?) or a fragment (#)')
}

function unknownMember(known: string) {
  return ({ code }: { code: string }) =>
    code === 'unrecognized_keys' ? `unknown field; expected ${known}` : undefined
}
