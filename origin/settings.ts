/** The origin's settings, each with its own validation. `docs/configuration.md` is generated from this file. */
import { z } from 'zod'
import { SHED_PRESSURE_PERCENT } from './admission/cpu-pressure.ts'
import { SHED_DELAY_MS } from './admission/event-loop-load.ts'
import { OPENINGS_DEFAULTS } from './admission/openings-options.ts'
import { processorSettings } from './credits/processor/settings.ts'
import { parseAllowed, parseDenied } from './actions/outbound/policy.ts'
import { MAX_DEFAULT, MIN_DEFAULT } from './actions/pool/options.ts'
import { PAYERS_DEFAULT, PAYERS_MAX } from './accounts/writer/payer-options.ts'
import {
  CHAIN_FINALITY_DEFAULT,
  CONNECTIONS_MAX,
  EXECUTION_CPU_MS,
  EXECUTION_WALL_MAX_MS,
  EXECUTION_WALL_MS,
} from '../shared/limits.ts'
import { metricsTokenSetting } from '../shared/metrics-token.ts'
import { LOG_LEVEL_MEANING, logLevelSetting } from '../shared/service-log/setting.ts'
import { SETTINGS } from '../shared/settings.ts'

/** Accepts digits only: an empty setting is an error, not 0. */
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

/** Parses comma-separated entries; `parse` returns undefined if one is malformed. */
const entries = <T>(parse: (text: string) => T[] | undefined, expected: string) =>
  z
    .string()
    .default('')
    .transform((text, context) => {
      const parsed = parse(text)
      if (parsed === undefined) context.addIssue({ code: 'custom', message: expected })
      return parsed ?? []
    })

/** Each setting with its description, which goes into `docs/configuration.md`. */
export const originSettings = {
  SVC_ENV: z.enum(['local', 'production']).default('production').register(SETTINGS, {
    meaning: '`local` or `production`',
  }),
  SVC_STATE_DIR: z.string().default('.svc').register(SETTINGS, {
    meaning: 'root key (local), TLS files, the snapshot of accounts',
    production: 'a root key from a file',
  }),
  SVC_ORIGIN_PORT: wholeNumber(0, 65_535).default(8788).register(SETTINGS, {
    meaning: 'port to listen on; 0 for any',
  }),
  SVC_ORIGIN_HOST: z.string().default('127.0.0.1').register(SETTINGS, {
    meaning: 'address to listen on',
  }),
  SVC_CONNECTIONS_MAX: wholeNumber(1, 1_000_000).default(CONNECTIONS_MAX).register(SETTINGS, {
    meaning:
      'open connections of one process, 1 to 1,000,000. When it is reached, a new connection displaces one that has shown no credential; one network has at most a quarter of them. An idle connection takes some 50 KB, one that sends a small body up to 64 KiB more. Keep it below the limit of open files',
  }),
  SVC_PUBLIC_URL: z.url({ protocol: /^https$/ }).register(SETTINGS, {
    meaning: 'what clients know this origin as; `https`. Links in answers start with it',
  }),
  SVC_CHAIN_RPC: z.url({ protocol: /^https?$/ }).register(SETTINGS, {
    meaning: 'JSON-RPC of the chain; `http` or `https`',
    secret: 'when a key is in it',
  }),
  SVC_CHAIN_NAME: z.string().default('local').register(SETTINGS, {
    meaning: 'the name in `get_node_chain_config`',
  }),
  SVC_CHAIN_POLL_MS: wholeNumber(50, 60_000).default(1_000).register(SETTINGS, {
    meaning: 'time between two looks at the chain, 50 to 60,000',
  }),
  SVC_CHAIN_FINALITY: wholeNumber(1, 10_000).default(CHAIN_FINALITY_DEFAULT).register(SETTINGS, {
    meaning:
      'blocks after which the chain does not give a block up any more, 1 to 10,000; the local stack sets 2',
  }),
  SVC_PAYERS: wholeNumber(1, PAYERS_MAX)
    .default(PAYERS_DEFAULT)
    .register(SETTINGS, {
      meaning: `wallets that pay for writes, 1 to ${PAYERS_MAX}: payers 1 to n, funded by payer 0. The contract's owner admits them (\`setApiPayers\`)`,
    }),
  SVC_CONTRACT_ADDRESS: z
    .string()
    .regex(/^0x[0-9a-fA-F]{40}$/, '20-byte hex with 0x')
    .register(SETTINGS, {
      meaning: 'the `AccountConfig` diamond, 20 bytes of hex with 0x',
    }),
  SVC_CONTRACT_BLOCK: wholeNumber(0, Number.MAX_SAFE_INTEGER).register(SETTINGS, {
    meaning: 'the block it was deployed in',
  }),
  DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/ }).register(SETTINGS, {
    meaning:
      '`postgres://` or `postgresql://`; `npm start` sets that of a Postgres of its own. A process has up to 10 connections to it, and those of listeners; one that is silent for 15 s is given up, and a transaction that rests for 10 s ended',
    secret: true,
  }),
  SVC_TEE: z.enum(['simulated', 'dstack']).default('dstack').register(SETTINGS, {
    meaning:
      '`dstack`: a TDX machine, whose guest agent listens at `/var/run/dstack.sock`. `simulated`: quotes of the real format under a root of its own, and a root key in a file; refused where that socket is',
    production: '`simulated`',
  }),
  SVC_APP_COMPOSE_FILE: z.string().min(1).optional().register(SETTINGS, {
    meaning:
      'the app-compose text that the simulated machine says it was started with; `simulated` alone: a real one says it itself',
    default: 'the text of `origin/deploy/`',
    production: 'any: it goes with `simulated`',
  }),
  SVC_APP_ID: z
    .string()
    .regex(/^(0x)?[0-9a-fA-F]{40}$/, '20-byte hex')
    .transform((hex) => hex.replace(/^0x/, '').toLowerCase())
    .optional()
    .register(SETTINGS, {
      meaning:
        "20 bytes of hex: the app id of the simulated machine, its governance contract's address; `simulated` alone",
      default: 'first 20 bytes of the compose hash',
      production: 'any: it goes with `simulated`',
    }),
  SVC_KMS_ROOT: z
    .string()
    .regex(/^(0x)?0[23][0-9a-fA-F]{64}$/, '33-byte hex of a compressed point')
    .transform((hex) => hex.replace(/^0x/, '').toLowerCase())
    .optional()
    .register(SETTINGS, {
      meaning:
        'the root key of the KMS, a compressed point of secp256k1 in hex: the root key of this service is taken only with a chain of signatures that ends there',
      default: 'none; required with `dstack`',
    }),
  SVC_PCCS_URL: z
    .url({ protocol: /^https?$/ })
    .default('https://api.trustedservices.intel.com')
    .register(SETTINGS, {
      meaning:
        "where the platform's collateral is fetched (`dstack`): a PCCS, or Intel's own service. Its answers are signed by Intel",
    }),
  DSTACK_SIMULATOR_ENDPOINT: z.string().optional().register(SETTINGS, {
    meaning:
      "a setting of dstack's libraries, which this service does not use; looked at to be refused",
    production: 'any: it names a simulator',
  }),
  SVC_TLS_DIR: z.string().min(1).optional().register(SETTINGS, {
    meaning:
      'folder in which an ACME client keeps `fullchain.pem`, `privkey.pem` and `acme-account.json`. Renewed files are served within ten seconds, and the evidence is made anew with them; a pair that is not whole is not taken',
    default: 'none: the local stack makes its own certificate',
    production: 'its absence',
  }),
  SVC_CHANNEL_PSK: z
    .string()
    .regex(/^[A-Za-z0-9_-]{43}$/, 'base64url of 32 random bytes')
    .register(SETTINGS, {
      meaning: "32 random bytes in base64url (43 characters), the same as the edge's `CHANNEL_PSK`",
      secret: true,
    }),
  SVC_CHANNEL_EPOCH: wholeNumber(0, 1_000_000).default(1).register(SETTINGS, {
    meaning:
      'which channel key is derived, 0 to 1,000,000; another epoch is another key, and needs another pin at the edge',
  }),
  SVC_EXECUTORS_MIN: wholeNumber(1, 64).default(MIN_DEFAULT).register(SETTINGS, {
    meaning: 'executors that are kept ready, 1 to 64',
  }),
  SVC_EXECUTORS_MAX: wholeNumber(1, 64).default(MAX_DEFAULT).register(SETTINGS, {
    meaning:
      'executors at most, 1 to 64, not below the minimum; about 31 MB of its own each, up to 64 MB more while an action uses it. One account has at most half of them. Give the origin `CAP_SYS_NICE`: without it, each run that computes for over 100 ms costs a new executor',
  }),
  SVC_EXECUTION_WALL_MS: wholeNumber(100, EXECUTION_WALL_MAX_MS)
    .default(EXECUTION_WALL_MS)
    .register(SETTINGS, {
      meaning: 'wall clock of one execution, 100 to 900,000',
    }),
  SVC_EXECUTION_CPU_MS: wholeNumber(100, EXECUTION_WALL_MAX_MS)
    .default(EXECUTION_CPU_MS)
    .register(SETTINGS, {
      meaning: 'CPU time of one execution, 100 to 900,000',
    }),
  SVC_OUTBOUND_ALLOW: entries(parseAllowed, 'expected host:port, separated by commas').register(
    SETTINGS,
    {
      meaning:
        'for local development: `host:port`, separated by commas (IPv6 in brackets), that `fetch` in actions may reach although the address is not public; `npm start` passes it on. Exactly as named: `localhost:8545` is not `127.0.0.1:8545`',
      production: 'any entry',
    },
  ),
  SVC_OUTBOUND_DENY: entries(
    parseDenied,
    'expected host:port or host, separated by commas',
  ).register(SETTINGS, {
    meaning:
      "services of this deployment that `fetch` in actions may not reach, besides `SVC_PUBLIC_URL` and the database: `host:port`, by name and by address, or `host`, by name alone at any port, for a name behind a content network (as the edge's)",
  }),
  SVC_STARTER_CREDITS_CENTS: wholeNumber(0, 1_000_000).default(0).register(SETTINGS, {
    meaning:
      'cents granted to each account once, when its credit is first asked for, 0 to 1,000,000',
    default: '0; the local stack sets 500',
  }),
  ...processorSettings,
  SVC_NEW_ACCOUNT_BURST: wholeNumber(1, 1_000_000)
    .optional()
    .register(SETTINGS, {
      meaning:
        'accounts that one client address (IPv4 /32, IPv6 /64) may open at once, 1 to 1,000,000',
      default: `${OPENINGS_DEFAULTS.production.burst}; local ${OPENINGS_DEFAULTS.local.burst}`,
    }),
  SVC_NEW_ACCOUNT_PER_HOUR: wholeNumber(1, 3_600_000)
    .optional()
    .register(SETTINGS, {
      meaning: 'accounts that it may open an hour over time, 1 to 3,600,000',
      default: `${OPENINGS_DEFAULTS.production.perHour}; local ${OPENINGS_DEFAULTS.local.perHour}`,
    }),
  SVC_NEW_ACCOUNT_GAS_PER_DAY_WEI: wei.optional().register(SETTINGS, {
    meaning: 'gas in wei that all new accounts and conversions together may cost in a day',
    default: `${OPENINGS_DEFAULTS.production.gasPerDayWei} (0.05 ETH); local: no bound`,
  }),
  SVC_LOG_LEVEL: logLevelSetting.register(SETTINGS, { meaning: LOG_LEVEL_MEANING }),
  SVC_METRICS_TOKEN: metricsTokenSetting.optional().register(SETTINGS, {
    meaning:
      'who has it may read `/metrics` ([operate.md](operate.md)): 32 to 128 characters of base64url, made at random',
    default: 'none: no such page; the local stack makes one',
    secret: true,
  }),
  SVC_SHED_DELAY_MS: wholeNumber(1, 60_000).default(SHED_DELAY_MS).register(SETTINGS, {
    meaning:
      'milliseconds that the event loop may be late, as the median of a second, before requests are refused with 429, 1 to 60,000',
  }),
  SVC_SHED_CPU_PRESSURE: wholeNumber(1, 100).default(SHED_PRESSURE_PERCENT).register(SETTINGS, {
    meaning:
      'percent of the last ten seconds in which something waited for a processor (`/proc/pressure/cpu`), above which an account that has runs may not have more wait (429), 1 to 100; 100: never',
  }),
}
