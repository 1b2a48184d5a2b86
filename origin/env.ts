import { z } from 'zod'
import { chainSettingProblems } from '../shared/config/chain-settings.ts'
import { ENVIRONMENTS } from '../shared/config/environments.ts'
import {
  describeFaults,
  type ParsedSettings,
  parseEachSetting,
  type SettingFault,
} from '../shared/config/parse-settings.ts'
import { telemetrySettingProblems } from '../shared/config/telemetry-settings.ts'
import { type DatabaseConnection, hasOwnAuthority, sslModeOf } from './db/connection.ts'
import { availableMemory } from './admission/available-memory.ts'
import { DRAIN_DEFAULT_MS } from './admission/drain.ts'
import { memoryLimits } from './admission/memory-limits.ts'
import { NEW_ACCOUNT_DEFAULTS } from './admission/new-account-defaults.ts'
import { requireHttps } from './accounts/nodes/rpc-urls.ts'
import { processorFaults } from './credits/processor/settings.ts'
import { originSettings } from './settings.ts'

type ParsedOriginSettings = z.output<z.ZodObject<typeof originSettings>>

export type OriginSettings = ParsedOriginSettings & {
  SVC_DRAIN_MS: number
  SVC_EXECUTORS_MAX: number
  SVC_CONNECTIONS_MAX: number
  SVC_NEW_ACCOUNT_BURST: number
  SVC_NEW_ACCOUNT_PER_HOUR: number
}

/** Parses the settings, and finds all of their faults. Messages contain no values. */
export function checkSettings(
  environment: Record<string, string | undefined>,
): ParsedSettings<OriginSettings> {
  const rules = [
    machineFaults,
    publicFaults,
    acmeFaults,
    hardwareFaults,
    databaseFaults,
    chainSettingProblems,
    executorFaults,
    logSinkFaults,
    telemetrySettingProblems,
    processorFaults,
  ]
  const parsed = parseEachSetting(originSettings, environment, rules)
  if (!parsed.settings) return parsed as ParsedSettings<OriginSettings>
  return { settings: withDefaults(parsed.settings) }
}

/** Names every missing or invalid setting, but no value. */
export class InvalidSettingsError extends Error {
  override readonly name = 'InvalidSettingsError'
  readonly settings: string

  constructor(faults: readonly SettingFault[]) {
    const settings = describeFaults(faults)
    super(`Invalid settings of the origin: ${settings}`)
    this.settings = settings
  }
}

/** @throws {InvalidSettingsError} */
export function parseSettings(environment: Record<string, string | undefined>): OriginSettings {
  const { settings, faults } = checkSettings(environment)
  if (settings) return settings
  throw new InvalidSettingsError(faults)
}

export function databaseConnection(
  settings: Pick<OriginSettings, 'DATABASE_URL' | 'SVC_DATABASE_CA'>,
): DatabaseConnection {
  return { url: settings.DATABASE_URL, authorities: settings.SVC_DATABASE_CA }
}

type Given = Partial<ParsedOriginSettings>

function* machineFaults(settings: Given): Iterable<SettingFault> {
  const { SVC_ENV, SVC_TEE } = settings
  const { machine } = SVC_ENV ? ENVIRONMENTS[SVC_ENV] : ANY_ENVIRONMENT
  if (SVC_TEE === 'simulated' && machine === 'hardware')
    yield ['SVC_TEE', `simulated is not allowed in ${SVC_ENV}`]
  if (SVC_TEE === 'dstack' && machine === 'simulated')
    yield ['SVC_TEE', `must be simulated in ${SVC_ENV}`]
  if (
    SVC_TEE === 'simulated' &&
    machine === 'simulated' &&
    settings.SVC_SIM_ROOT_SHA256 === undefined
  )
    yield [
      'SVC_SIM_ROOT_SHA256',
      `required in ${SVC_ENV}, because the simulated root must be pinned`,
    ]
  if (SVC_TEE !== 'dstack') return
  if (settings.SVC_KMS_ROOT === undefined)
    yield ['SVC_KMS_ROOT', 'required with dstack; otherwise anyone could impersonate the KMS']
  for (const name of ['SVC_APP_COMPOSE_FILE', 'SVC_APP_ID'] as const)
    if (settings[name] !== undefined)
      yield [name, 'allowed only with simulated; a real machine gets it from the guest agent']
  if (settings.SVC_SIM_ROOT_SHA256 !== undefined)
    yield ['SVC_SIM_ROOT_SHA256', 'allowed only with simulated']
}

function* hardwareFaults({ SVC_ENV, SVC_CHAIN_RPC, SVC_COMMIT }: Given): Iterable<SettingFault> {
  if (SVC_ENV === undefined || ENVIRONMENTS[SVC_ENV].machine !== 'hardware') return
  const insecure = SVC_CHAIN_RPC && requireHttps(SVC_CHAIN_RPC)
  if (insecure !== undefined) yield ['SVC_CHAIN_RPC', insecure]
  if (SVC_COMMIT !== undefined)
    yield ['SVC_COMMIT', `not allowed in ${SVC_ENV}; the image contains its commit`]
}

/** Properties that add no fault, for a malformed `SVC_ENV`. */
const ANY_ENVIRONMENT = ENVIRONMENTS.local

function* publicFaults(settings: Given): Iterable<SettingFault> {
  const { SVC_ENV } = settings
  if (SVC_ENV === undefined || !ENVIRONMENTS[SVC_ENV].isPublic) return
  if (settings.DSTACK_SIMULATOR_ENDPOINT !== undefined)
    yield ['DSTACK_SIMULATOR_ENDPOINT', `not allowed in ${SVC_ENV}, because it selects a simulator`]
  if (settings.SVC_TLS_DIR === undefined)
    yield ['SVC_TLS_DIR', `required in ${SVC_ENV}: the folder with the certificate`]
  if (settings.SVC_OUTBOUND_ALLOW && settings.SVC_OUTBOUND_ALLOW.length > 0)
    yield ['SVC_OUTBOUND_ALLOW', `not allowed in ${SVC_ENV}, only for local development`]
  if (settings.DATABASE_URL !== undefined && sslModeOf(settings.DATABASE_URL) !== 'verify-full')
    yield ['DATABASE_URL', `must have sslmode=verify-full in ${SVC_ENV}`]
}

function* acmeFaults({ SVC_ENV, SVC_ACME_DIRECTORY, SVC_TLS_DIR }: Given): Iterable<SettingFault> {
  if (SVC_ACME_DIRECTORY === undefined) return
  if (SVC_TLS_DIR === undefined)
    yield ['SVC_TLS_DIR', 'required with SVC_ACME_DIRECTORY: the folder for the certificate']
  if (SVC_ENV === undefined || !ENVIRONMENTS[SVC_ENV].isPublic) return
  if (SVC_ACME_DIRECTORY.startsWith('http:'))
    yield ['SVC_ACME_DIRECTORY', `must use https in ${SVC_ENV}`]
}

function* databaseFaults({ DATABASE_URL, SVC_DATABASE_CA }: Given): Iterable<SettingFault> {
  if (DATABASE_URL === undefined || SVC_DATABASE_CA === undefined) return
  if (sslModeOf(DATABASE_URL) !== 'verify-full')
    yield ['SVC_DATABASE_CA', 'requires sslmode=verify-full in DATABASE_URL']
  if (hasOwnAuthority(DATABASE_URL))
    yield ['SVC_DATABASE_CA', 'not allowed with sslrootcert in DATABASE_URL']
}

function* executorFaults({ SVC_EXECUTORS_MIN, SVC_EXECUTORS_MAX }: Given): Iterable<SettingFault> {
  if (SVC_EXECUTORS_MIN === undefined || SVC_EXECUTORS_MAX === undefined) return
  if (SVC_EXECUTORS_MIN > SVC_EXECUTORS_MAX)
    yield ['SVC_EXECUTORS_MIN', 'must not exceed SVC_EXECUTORS_MAX']
}

function* logSinkFaults(settings: Given): Iterable<SettingFault> {
  const { SVC_ENV, SVC_LOG_SINK, SVC_LOG_SINK_TOKEN } = settings
  if (SVC_LOG_SINK === undefined) {
    if (SVC_LOG_SINK_TOKEN !== undefined) yield ['SVC_LOG_SINK_TOKEN', 'requires SVC_LOG_SINK']
    return
  }
  if (SVC_ENV && ENVIRONMENTS[SVC_ENV].isPublic && !SVC_LOG_SINK.startsWith('https:'))
    yield ['SVC_LOG_SINK', `must be https in ${SVC_ENV}`]
}

function withDefaults(settings: ParsedOriginSettings): OriginSettings {
  const { burst, perHour, gasPerDayWei } = NEW_ACCOUNT_DEFAULTS[settings.SVC_ENV]
  const { executors, connections } = memoryLimits(availableMemory())
  return {
    ...settings,
    SVC_EXECUTORS_MAX:
      settings.SVC_EXECUTORS_MAX ?? Math.max(settings.SVC_EXECUTORS_MIN, executors),
    SVC_CONNECTIONS_MAX: settings.SVC_CONNECTIONS_MAX ?? connections,
    SVC_DRAIN_MS: settings.SVC_DRAIN_MS ?? DRAIN_DEFAULT_MS[settings.SVC_ENV],
    SVC_NEW_ACCOUNT_BURST: settings.SVC_NEW_ACCOUNT_BURST ?? burst,
    SVC_NEW_ACCOUNT_PER_HOUR: settings.SVC_NEW_ACCOUNT_PER_HOUR ?? perHour,
    SVC_NEW_ACCOUNT_GAS_PER_DAY_WEI: settings.SVC_NEW_ACCOUNT_GAS_PER_DAY_WEI ?? gasPerDayWei,
  }
}
