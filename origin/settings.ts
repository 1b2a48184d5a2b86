/** `docs/configuration.md` is generated from this file. */
import { z } from 'zod'
import { SHED_PRESSURE_PERCENT } from './admission/cpu-pressure.ts'
import { SHED_DELAY_MS } from './admission/event-loop-load.ts'
import { DRAIN_DEFAULT_MS } from './admission/drain.ts'
import { NEW_ACCOUNT_DEFAULTS } from './admission/new-account-defaults.ts'
import { SITE_SHARE_PERCENT } from './admission/new-account-limits.ts'
import { NODES_MAX, parseRpcUrls } from './accounts/nodes/rpc-urls.ts'
import { processorSettings } from './credits/processor/settings.ts'
import { databaseUrlFault, parseAuthorities, SYSTEM_AUTHORITIES } from './db/connection.ts'
import { parseAllowed, parseDenied } from './actions/outbound/policy.ts'
import { EXECUTORS_MIN_DEFAULT } from './actions/pool/options.ts'
import {
  CHAIN_FINALITY_DEFAULT,
  CONNECTIONS_MAX,
  EXECUTION_CPU_MS,
  EXECUTION_WALL_MAX_MS,
  EXECUTION_WALL_MS,
  PAYERS_DEFAULT,
  PAYERS_MAX,
} from '../shared/limits.ts'
import { chainsSetting } from '../shared/config/chain-settings.ts'
import { ENVIRONMENT_NAMES } from '../shared/config/environments.ts'
import {
  commitSchema,
  LOG_LEVEL_MEANING,
  logLevelSetting,
  operatorTokenSetting,
  SETTINGS,
} from '../shared/config/settings.ts'
import { telemetrySettings } from '../shared/config/telemetry-settings.ts'

/** Accepts only digits, so that an empty setting is an error and not 0. */
const wholeNumber = (low: number, high: number) =>
  z
    .string()
    .regex(/^[0-9]{1,16}$/, 'expected an integer')
    .transform(Number)
    .pipe(z.number().int().min(low).max(high))

const wei = z
  .string()
  .regex(/^[0-9]{1,30}$/, 'expected an integer number of wei')
  .transform(BigInt)

/** `parse` returns undefined if an entry is malformed. */
const commaSeparated = <T>(parse: (text: string) => T[] | undefined, expected: string) =>
  z
    .string()
    .default('')
    .transform((text, context) => {
      const parsed = parse(text)
      if (parsed === undefined) context.addIssue({ code: 'custom', message: expected })
      return parsed ?? []
    })

export const originSettings = {
  SVC_ENV: z.enum(ENVIRONMENT_NAMES).default('production').register(SETTINGS, {
    meaning: '`local`, `staging` or `production`: [Environments](#environments)',
  }),
  SVC_STATE_DIR: z.string().default('.svc').register(SETTINGS, {
    meaning: 'folder for the root key of a simulated machine, TLS files and the account snapshot',
    production: 'a root key from a file',
  }),
  SVC_ORIGIN_PORT: wholeNumber(0, 65_535).default(8788).register(SETTINGS, {
    meaning: 'port to listen on; 0 selects any free port',
  }),
  SVC_ORIGIN_HOST: z.string().default('127.0.0.1').register(SETTINGS, {
    meaning: 'address to listen on',
  }),
  SVC_CONNECTIONS_MAX: wholeNumber(1, 1_000_000)
    .optional()
    .register(SETTINGS, {
      default: `${CONNECTIONS_MAX.toLocaleString('en')}, or fewer if the process may use less than 8 GiB of memory`,
      meaning:
        'maximum open connections per process, 1 to 1,000,000. At the limit, a new connection displaces one that has not sent a credential. One client network can have at most a quarter of them. An idle connection takes about 50 KB, one that sends a small body up to 64 KiB more. Must be below the limit of open files',
    }),
  SVC_PUBLIC_URL: z.url({ protocol: /^https$/ }).register(SETTINGS, {
    meaning: 'public base URL of this origin, `https`. Links in responses start with it',
  }),
  SVC_CHAIN_RPC: z
    .string()
    .transform((text, context) => {
      const parsed = parseRpcUrls(text)
      if ('urls' in parsed) return parsed.urls
      context.addIssue({ code: 'custom', message: parsed.fault })
      return z.NEVER
    })
    .register(SETTINGS, {
      meaning: `JSON-RPC URLs of the chain, \`http\` or \`https\`: one, or a comma-separated list of up to ${NODES_MAX}, the preferred one first. A comma within a URL is written \`%2C\`. More than half of the nodes must agree on everything that permissions depend on: use one node, or three or more of different operators ([security.md](security.md#malicious-node-of-the-accounts-chain))`,
      secret: 'if a URL contains a key',
      production: '`http`',
    }),
  SVC_CHAIN_NAME: z.string().default('local').register(SETTINGS, {
    meaning: 'chain name in `get_node_chain_config`',
  }),
  SVC_CHAIN_POLL_MS: wholeNumber(50, 60_000).default(1_000).register(SETTINGS, {
    meaning: 'poll interval of the chain in milliseconds, 50 to 60,000',
  }),
  SVC_CHAIN_FINALITY: wholeNumber(1, 10_000).default(CHAIN_FINALITY_DEFAULT).register(SETTINGS, {
    meaning: 'number of blocks after which a block is final, 1 to 10,000; the local stack sets 2',
  }),
  CHAINS: chainsSetting,
  SVC_PAYERS: wholeNumber(1, PAYERS_MAX)
    .default(PAYERS_DEFAULT)
    .register(SETTINGS, {
      meaning: `number of wallets that pay for writes, 1 to ${PAYERS_MAX}: payers 1 to n, funded by payer 0. The contract's owner registers them (\`setApiPayers\`)`,
    }),
  SVC_CONTRACT_ADDRESS: z
    .string()
    .regex(/^0x[0-9a-fA-F]{40}$/, 'expected 20 bytes in hex with 0x')
    .register(SETTINGS, {
      meaning: 'address of the `AccountConfig` diamond, 20 bytes in hex with 0x',
    }),
  SVC_CONTRACT_BLOCK: wholeNumber(0, Number.MAX_SAFE_INTEGER).register(SETTINGS, {
    meaning: 'block in which the contract was deployed',
  }),
  DATABASE_URL: z
    .string()
    .superRefine((text, context) => {
      const message = databaseUrlFault(text)
      if (message !== undefined) context.addIssue({ code: 'custom', message })
    })
    .register(SETTINGS, {
      meaning:
        '`postgres://` or `postgresql://` URL, with TLS as described [below](#tls-to-postgres); `npm start` sets it to its own Postgres. A process opens up to 10 connections, plus those of listeners. Connections without a response for 15 s are closed, and transactions that are idle for 10 s are aborted',
      secret: true,
      production: 'a URL without `sslmode=verify-full`',
    }),
  SVC_DATABASE_CA: z
    .string()
    .transform((text, context) => {
      if (text === SYSTEM_AUTHORITIES) return undefined
      const authorities = parseAuthorities(text)
      if (authorities) return authorities
      context.addIssue({ code: 'custom', message: 'expected certificates, or system' })
      return z.NEVER
    })
    .optional()
    .register(SETTINGS, {
      meaning:
        'certificates of the only authorities that may have issued the certificate of Postgres: PEM, or the base64 text of PEM without line breaks, several separated by commas. `system`: the public authorities that Node trusts',
      default: '`system`, or the file of `sslrootcert`',
    }),
  SVC_TEE: z.enum(['simulated', 'dstack']).default('dstack').register(SETTINGS, {
    meaning:
      '`dstack`: a TDX machine with a guest agent at `/var/run/dstack.sock`. `simulated`: quotes in the real format under a simulated root, and a root key in a file; rejected if that socket exists',
    production: '`simulated`',
  }),
  SVC_APP_COMPOSE_FILE: z.string().min(1).optional().register(SETTINGS, {
    meaning:
      'file with the app-compose text of the simulated machine; only for `simulated`, because a real machine reports its own',
    default: 'the file in `origin/deploy/`',
    production: 'any value: requires `simulated`',
  }),
  SVC_APP_ID: z
    .string()
    .regex(/^(0x)?[0-9a-fA-F]{40}$/, 'expected 20 bytes in hex')
    .transform((hex) => hex.replace(/^0x/, '').toLowerCase())
    .optional()
    .register(SETTINGS, {
      meaning:
        'app ID of the simulated machine, which is the address of its governance contract, 20 bytes in hex; only for `simulated`',
      default: 'first 20 bytes of the compose hash',
      production: 'any value: requires `simulated`',
    }),
  SVC_SIM_ROOT_SHA256: z
    .string()
    .regex(/^[0-9a-f]{64}$/, 'expected lower-case hex of 32 bytes')
    .optional()
    .register(SETTINGS, {
      meaning:
        "SHA-256 in hex of the simulated root, identical to the edge's `SIM_ROOT_SHA256`; only for `simulated`. The origin does not start with the root key of another root. `npm run simulated-root` prints it",
      default: 'none; required in staging',
      production: 'any value: requires `simulated`',
    }),
  SVC_KMS_ROOT: z
    .string()
    .regex(/^(0x)?0[23][0-9a-fA-F]{64}$/, 'expected a compressed point of 33 bytes in hex')
    .transform((hex) => hex.replace(/^0x/, '').toLowerCase())
    .optional()
    .register(SETTINGS, {
      meaning:
        'public root key of the KMS, a compressed secp256k1 point in hex. The root key of this service is accepted only with a signature chain that ends at this key',
      default: 'none; required with `dstack`',
    }),
  SVC_PCCS_URL: z
    .url({ protocol: /^https?$/ })
    .default('https://api.trustedservices.intel.com')
    .register(SETTINGS, {
      meaning:
        "URL from which the platform's collateral is fetched (`dstack`): a PCCS, or Intel's own service. Its responses are signed by Intel",
    }),
  DSTACK_SIMULATOR_ENDPOINT: z.string().optional().register(SETTINGS, {
    meaning:
      "a setting of dstack's libraries, which this service does not use; checked only to reject it",
    production: 'any value: it selects a simulator',
  }),
  SVC_TLS_DIR: z.string().min(1).optional().register(SETTINGS, {
    meaning:
      'folder with `fullchain.pem`, `privkey.pem` and `acme-account.json`. With `SVC_ACME_DIRECTORY`, the origin writes these files, otherwise an ACME client of the operator. Renewed files are served within ten seconds, and the evidence is regenerated; an incomplete pair is ignored',
    default: 'none; the local stack generates its own certificate',
    production: 'if not set',
  }),
  SVC_ACME_DIRECTORY: z
    .url({ protocol: /^https?$/ })
    .optional()
    .register(SETTINGS, {
      meaning:
        'URL of the directory of an ACME server (RFC 8555). The origin obtains its certificate from this server and renews it, with an account key that is derived from the root key. Requires `SVC_TLS_DIR`',
      default: 'none; the files in `SVC_TLS_DIR` come from elsewhere',
      production: '`http`',
    }),
  SVC_ACME_PORT: wholeNumber(0, 65_535).default(8080).register(SETTINGS, {
    meaning:
      'port for the challenges of the ACME server (HTTP-01). They arrive at port 80 of the host in `SVC_PUBLIC_URL`, so map that port to this one; 0 selects any free port',
  }),
  SVC_CHANNEL_PSK: z
    .string()
    .regex(/^[A-Za-z0-9_-]{43}$/, 'expected base64url of 32 random bytes')
    .register(SETTINGS, {
      meaning:
        "32 random bytes in base64url (43 characters), identical to the edge's `CHANNEL_PSK`",
      secret: true,
    }),
  SVC_CHANNEL_EPOCH: wholeNumber(0, 1_000_000).default(1).register(SETTINGS, {
    meaning:
      'epoch from which the channel key is derived, 0 to 1,000,000. A different epoch yields a different key, which the edge must pin',
  }),
  SVC_EXECUTORS_MIN: wholeNumber(1, 64).default(EXECUTORS_MIN_DEFAULT).register(SETTINGS, {
    meaning: 'minimum number of executors, 1 to 64',
  }),
  SVC_EXECUTORS_MAX: wholeNumber(1, 64).optional().register(SETTINGS, {
    default: '64, or fewer if the process may use less than 16 GiB of memory: 4 for each GiB',
    meaning:
      'maximum number of executors, 1 to 64, at least the minimum. Each takes about 25 MB, plus up to 64 MB that an action uses. One account can occupy at most half of them. Grant the origin `CAP_SYS_NICE`: without it, every run that computes for over 100 ms costs a new executor',
  }),
  SVC_EXECUTION_WALL_MS: wholeNumber(100, EXECUTION_WALL_MAX_MS)
    .default(EXECUTION_WALL_MS)
    .register(SETTINGS, {
      meaning: 'wall-clock limit per execution in milliseconds, 100 to 900,000',
    }),
  SVC_EXECUTION_CPU_MS: wholeNumber(100, EXECUTION_WALL_MAX_MS)
    .default(EXECUTION_CPU_MS)
    .register(SETTINGS, {
      meaning: 'CPU time limit per execution in milliseconds, 100 to 900,000',
    }),
  SVC_COMMIT: commitSchema.optional().register(SETTINGS, {
    meaning:
      'commit of the source code, shown in `/health`, `/info`, `/core/v1/version` and the metrics; the local stack sets it',
    default: 'the commit in the image; otherwise `unknown`',
    production: 'any value: the image contains its commit',
  }),
  SVC_DRAIN_MS: wholeNumber(0, EXECUTION_WALL_MAX_MS)
    .optional()
    .register(SETTINGS, {
      meaning:
        'time in milliseconds after SIGTERM or SIGINT in which runs and account writes in flight may end, 0 to 900,000 ([operate.md](operate.md#rolling-restart)). Runs that take longer end as `origin_lost`. The `stop_grace_period` of the container must be at least 25 s longer',
      default: `${DRAIN_DEFAULT_MS.production}; local ${DRAIN_DEFAULT_MS.local}`,
    }),
  SVC_OUTBOUND_ALLOW: commaSeparated(
    parseAllowed,
    'expected host:port, separated by commas',
  ).register(SETTINGS, {
    meaning:
      'for local development: non-public `host:port` entries, separated by commas (IPv6 in brackets), that `fetch` in actions can reach; `npm start` passes it on. Entries must match exactly: `localhost:8545` does not allow `127.0.0.1:8545`',
    production: 'any entry',
  }),
  SVC_OUTBOUND_DENY: commaSeparated(
    parseDenied,
    'expected host:port or host, separated by commas',
  ).register(SETTINGS, {
    meaning:
      "services of this deployment that `fetch` in actions cannot reach, in addition to `SVC_PUBLIC_URL`, `SVC_LOG_SINK`, `OTEL_EXPORTER_OTLP_ENDPOINT` and the database. `host:port` blocks the name and its addresses; `host` blocks only the name, on all ports, for names behind a CDN (such as the edge's)",
  }),
  SVC_STARTER_CREDITS_CENTS: wholeNumber(0, 1_000_000).default(0).register(SETTINGS, {
    meaning:
      'cents granted once to each account, when its credits are first needed, 0 to 1,000,000',
    default: '0; the local stack sets 500',
  }),
  ...processorSettings,
  SVC_NEW_ACCOUNT_BURST: wholeNumber(1, 1_000_000)
    .optional()
    .register(SETTINGS, {
      meaning:
        'number of accounts that one client address (IPv4 /32, IPv6 /64) can open in a burst, 1 to 1,000,000',
      default: `${NEW_ACCOUNT_DEFAULTS.production.burst}; local ${NEW_ACCOUNT_DEFAULTS.local.burst}`,
    }),
  SVC_NEW_ACCOUNT_PER_HOUR: wholeNumber(1, 3_600_000)
    .optional()
    .register(SETTINGS, {
      meaning:
        'sustained number of accounts per hour that one client address can open, 1 to 3,600,000',
      default: `${NEW_ACCOUNT_DEFAULTS.production.perHour}; local ${NEW_ACCOUNT_DEFAULTS.local.perHour}`,
    }),
  SVC_NEW_ACCOUNT_GAS_PER_DAY_WEI: wei.optional().register(SETTINGS, {
    meaning:
      'daily gas budget in wei for all new accounts and conversions ([operate.md](operate.md#daily-gas-budget))',
    default: `${NEW_ACCOUNT_DEFAULTS.production.gasPerDayWei} (0.05 ETH); local: unlimited`,
  }),
  SVC_NEW_ACCOUNT_GAS_NETWORK_PERCENT: wholeNumber(1, 100)
    .default(SITE_SHARE_PERCENT)
    .register(SETTINGS, {
      meaning:
        'share of the daily gas budget, less what others have used, that one network (IPv4 /24, IPv6 /48) can use, in percent, 1 to 100',
    }),
  SVC_LOG_LEVEL: logLevelSetting.register(SETTINGS, { meaning: LOG_LEVEL_MEANING }),
  SVC_METRICS_TOKEN: operatorTokenSetting.optional().register(SETTINGS, {
    meaning:
      'bearer token for `/metrics` ([operate.md](operate.md)): 32 to 128 random characters of base64url',
    default: 'none: `/metrics` returns 404; the local stack generates a token',
    secret: true,
  }),
  SVC_LOG_SINK: z
    .url({ protocol: /^https?$/ })
    .optional()
    .register(SETTINGS, {
      meaning:
        'URL of a collector that gets a copy of the log: batches of JSON lines by POST (`application/x-ndjson`) ([operate.md](operate.md#logs-leave-the-machine))',
      default: 'none: the log goes to standard output only',
      secret: 'if the URL contains a key',
      production: '`http`',
    }),
  SVC_LOG_SINK_TOKEN: z
    .string()
    .regex(/^[\x21-\x7e]{8,512}$/, 'expected 8 to 512 printable characters without spaces')
    .optional()
    .register(SETTINGS, {
      meaning: 'bearer token for the collector in `SVC_LOG_SINK`',
      secret: true,
    }),
  ...telemetrySettings('svc-origin'),
  SVC_SHED_DELAY_MS: wholeNumber(1, 60_000).default(SHED_DELAY_MS).register(SETTINGS, {
    meaning:
      'event loop delay in milliseconds (median over one second) above which requests are rejected with 429, 1 to 60,000',
  }),
  SVC_SHED_CPU_PRESSURE: wholeNumber(1, 100).default(SHED_PRESSURE_PERCENT).register(SETTINGS, {
    meaning:
      'CPU pressure in percent of the last ten seconds (`/proc/pressure/cpu`) above which an account with active runs cannot queue more (429), 1 to 100; 100 disables the check',
  }),
}
