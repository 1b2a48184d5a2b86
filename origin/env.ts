/** The origin's settings, parsed once (`docs/configuration.md` lists each). */
import { z } from 'zod'
import { SHED_PRESSURE_PERCENT } from './admission/cpu-pressure.ts'
import { SHED_DELAY_MS } from './admission/event-loop-load.ts'
import { OPENINGS_DEFAULTS } from './admission/openings-options.ts'
import { processorFaults, processorSettings } from './credits/processor/settings.ts'
import { parseAllowed, parseDenied } from './actions/outbound/policy.ts'
import { MAX_DEFAULT, MIN_DEFAULT } from './actions/pool/options.ts'
import { PAYERS_DEFAULT, PAYERS_MAX } from './accounts/writer/payer-options.ts'
import {
  CHAIN_FINALITY_DEFAULT,
  EXECUTION_CPU_MS,
  EXECUTION_WALL_MAX_MS,
  EXECUTION_WALL_MS,
} from '../shared/limits.ts'
import { metricsTokenSetting } from '../shared/metrics-token.ts'
import { LOG_LEVEL_SETTINGS } from '../shared/service-log/levels.ts'

/** Digits alone: a setting that is there and empty is a mistake, and not 0. */
const wholeNumber = (low: number, high: number) =>
  z
    .string()
    .regex(/^[0-9]{1,16}$/, 'expected a whole number')
    .transform(Number)
    .pipe(z.number().int().min(low).max(high))

const wei = z
  .string()
  .regex(/^[0-9]{1,30}$/, 'expected a whole number of wei')
  .transform(BigInt)

/** Entries separated by commas; `parse` gives nothing when one is malformed. */
const entries = <T>(parse: (text: string) => T[] | undefined, expected: string) =>
  z
    .string()
    .default('')
    .transform((text, context) => {
      const parsed = parse(text)
      if (parsed === undefined) context.addIssue({ code: 'custom', message: expected })
      return parsed ?? []
    })

const settingsSchema = z
  .object({
    SVC_ENV: z.enum(['local', 'production']).default('production'),
    /** Holds the local root key, the TLS key and the embedded database. */
    SVC_STATE_DIR: z.string().default('.svc'),
    SVC_ORIGIN_PORT: wholeNumber(0, 65_535).default(8788),
    SVC_ORIGIN_HOST: z.string().default('127.0.0.1'),
    /** What clients know this origin as; links in answers start with it. */
    SVC_PUBLIC_URL: z.url({ protocol: /^https$/ }),
    SVC_CHAIN_RPC: z.url({ protocol: /^https?$/ }),
    SVC_CHAIN_NAME: z.string().default('local'),
    SVC_CHAIN_POLL_MS: wholeNumber(50, 60_000).default(1_000),
    /** Blocks after which the chain does not give a block up any more. */
    SVC_CHAIN_FINALITY: wholeNumber(1, 10_000).default(CHAIN_FINALITY_DEFAULT),
    /** Wallets that pay for writes; one more pays them. */
    SVC_PAYERS: wholeNumber(1, PAYERS_MAX).default(PAYERS_DEFAULT),
    /** The `AccountConfig` diamond and the block it was deployed in. */
    SVC_CONTRACT_ADDRESS: z.string().regex(/^0x[0-9a-fA-F]{40}$/, '20-byte hex with 0x'),
    SVC_CONTRACT_BLOCK: wholeNumber(0, Number.MAX_SAFE_INTEGER),
    DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/ }).optional(),
    SVC_TEE: z.enum(['simulated', 'dstack']).default('dstack'),
    /** The simulated machine's app-compose text, and its app id; a real one says both itself. */
    SVC_APP_COMPOSE_FILE: z.string().min(1).optional(),
    SVC_APP_ID: z
      .string()
      .regex(/^(0x)?[0-9a-fA-F]{40}$/, '20-byte hex')
      .transform((hex) => hex.replace(/^0x/, '').toLowerCase())
      .optional(),
    /** The KMS' root key: a compressed point of secp256k1 in hex. */
    SVC_KMS_ROOT: z
      .string()
      .regex(/^(0x)?0[23][0-9a-fA-F]{64}$/, '33-byte hex of a compressed point')
      .transform((hex) => hex.replace(/^0x/, '').toLowerCase())
      .optional(),
    /** Where the platform's collateral is fetched: a PCCS, or Intel itself. */
    SVC_PCCS_URL: z.url({ protocol: /^https?$/ }).default('https://api.trustedservices.intel.com'),
    /** Of dstack's libraries, which this service does not use; looked at to be refused. */
    DSTACK_SIMULATOR_ENDPOINT: z.string().optional(),
    /** Holds `fullchain.pem`, `privkey.pem` and `acme-account.json`, as an ACME client leaves them. */
    SVC_TLS_DIR: z.string().min(1).optional(),
    /** 32 bytes in base64url, shared with the edge. */
    SVC_CHANNEL_PSK: z.string().regex(/^[A-Za-z0-9_-]{43}$/, 'base64url of 32 random bytes'),
    SVC_CHANNEL_EPOCH: wholeNumber(0, 1_000_000).default(1),
    SVC_EXECUTORS_MIN: wholeNumber(1, 64).default(MIN_DEFAULT),
    SVC_EXECUTORS_MAX: wholeNumber(1, 64).default(MAX_DEFAULT),
    SVC_EXECUTION_WALL_MS: wholeNumber(100, EXECUTION_WALL_MAX_MS).default(EXECUTION_WALL_MS),
    SVC_EXECUTION_CPU_MS: wholeNumber(100, EXECUTION_WALL_MAX_MS).default(EXECUTION_CPU_MS),
    /** Places that actions may reach although their addresses are not public. */
    SVC_OUTBOUND_ALLOW: entries(parseAllowed, 'expected host:port, separated by commas'),
    /** Services of this deployment that actions may not reach, besides those that other settings name. */
    SVC_OUTBOUND_DENY: entries(parseDenied, 'expected host:port or host, separated by commas'),
    /** Granted to each account once, when its credit is first asked for. */
    SVC_STARTER_CREDITS_CENTS: wholeNumber(0, 1_000_000).default(0),
    ...processorSettings,
    /** Accounts that one address may open at once, and an hour over time. */
    SVC_NEW_ACCOUNT_BURST: wholeNumber(1, 1_000_000).optional(),
    SVC_NEW_ACCOUNT_PER_HOUR: wholeNumber(1, 3_600_000).optional(),
    /** Gas that new accounts may cost in a day, all together; without it, any amount. */
    SVC_NEW_ACCOUNT_GAS_PER_DAY_WEI: wei.optional(),
    /** The least that is written into the log. */
    SVC_LOG_LEVEL: z.enum(LOG_LEVEL_SETTINGS).default('info'),
    /** Who has it may read `/metrics`; without it there is no such page. */
    SVC_METRICS_TOKEN: metricsTokenSetting.optional(),
    /** How late the event loop may be before requests are refused with 429. */
    SVC_SHED_DELAY_MS: wholeNumber(1, 60_000).default(SHED_DELAY_MS),
    /** Percent of the time in which something waits for a processor, above which busy accounts queue no more; 100: never. */
    SVC_SHED_CPU_PRESSURE: wholeNumber(1, 100).default(SHED_PRESSURE_PERCENT),
  })
  .superRefine((settings, context) => {
    const refuse = (path: string, message: string) =>
      context.addIssue({ code: 'custom', path: [path], message })
    if (settings.SVC_TEE === 'dstack') {
      if (settings.SVC_KMS_ROOT === undefined)
        refuse('SVC_KMS_ROOT', 'required with dstack: anybody could answer in the KMS’ place')
      for (const name of ['SVC_APP_COMPOSE_FILE', 'SVC_APP_ID'] as const)
        if (settings[name] !== undefined)
          refuse(name, 'for simulated alone: the guest agent says what a machine runs')
    }
    if (settings.SVC_ENV === 'production') {
      if (settings.SVC_TEE === 'simulated') refuse('SVC_TEE', 'production refuses simulated')
      if (settings.DATABASE_URL === undefined)
        refuse('DATABASE_URL', 'required in production: the embedded database does not fsync')
      if (settings.DSTACK_SIMULATOR_ENDPOINT !== undefined)
        refuse('DSTACK_SIMULATOR_ENDPOINT', 'production refuses it: it names a simulator')
      if (settings.SVC_TLS_DIR === undefined)
        refuse('SVC_TLS_DIR', 'required in production: where the ACME client leaves its files')
      if (settings.SVC_OUTBOUND_ALLOW.length > 0)
        refuse('SVC_OUTBOUND_ALLOW', 'production refuses it: it is for local development')
    }
    if (settings.SVC_EXECUTORS_MIN > settings.SVC_EXECUTORS_MAX)
      refuse('SVC_EXECUTORS_MIN', 'more than SVC_EXECUTORS_MAX')
    for (const [name, fault] of processorFaults(settings)) refuse(name, fault)
  })
  .transform((settings) => {
    const { burst, perHour, gasPerDayWei } = OPENINGS_DEFAULTS[settings.SVC_ENV]
    return {
      ...settings,
      SVC_NEW_ACCOUNT_BURST: settings.SVC_NEW_ACCOUNT_BURST ?? burst,
      SVC_NEW_ACCOUNT_PER_HOUR: settings.SVC_NEW_ACCOUNT_PER_HOUR ?? perHour,
      SVC_NEW_ACCOUNT_GAS_PER_DAY_WEI: settings.SVC_NEW_ACCOUNT_GAS_PER_DAY_WEI ?? gasPerDayWei,
    }
  })

export type Settings = z.infer<typeof settingsSchema>

/**
 * The settings in an environment.
 * @throws {Error} that names every setting that is missing or malformed; never its value.
 */
export function parseSettings(environment: Record<string, string | undefined>): Settings {
  const result = settingsSchema.safeParse(environment)
  if (result.success) return result.data
  const wrong = result.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`)
  throw new Error(`The origin's settings are not usable: ${wrong.join('; ')}`)
}
