import { isIP } from 'node:net'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { z } from 'zod'
import { type Collateral, collateralSchema } from '../../attestation/evidence.ts'
import { type Policy, TCB_STATUSES, type TcbStatus } from '../../attestation/policy.ts'
import { HOST_URL, parseHostUrl } from '../deployment.ts'
import { type Terminal, UsageError } from '../terminal.ts'
import { type RawVerifyOptions, TIMEOUT_S } from './raw-options.ts'

export type VerifyOptions = {
  from: { url: URL } | { bundleFile: string }
  saveTo: string | undefined
  verifierInputTo: string | undefined
  collateral: Collateral | undefined
  /** Additional trusted authority as a PEM certificate. Undefined if only the default authorities are trusted. */
  authority: string | undefined
  rpcUrl: string | undefined
  dnsServer: string | undefined
  timeoutMs: number
  policy: Policy
  json: boolean
}

const hex = (bytes: number) =>
  z
    .string()
    .regex(new RegExp(`^(0x)?[0-9a-f]{${2 * bytes}}$`, 'i'), `expected ${bytes}-byte hex`)
    .transform((text) => text.replace(/^0x/i, '').toLowerCase())

const measurementsSchema = z
  .array(z.object({ mrtd: hex(48), rtmr0: hex(48), rtmr1: hex(48), rtmr2: hex(48) }))
  .min(1)

export function verifyOptions(
  url: string | undefined,
  given: RawVerifyOptions,
  terminal: Terminal,
): VerifyOptions {
  const { offline, json = false } = given
  if ((url === undefined) === (offline === undefined))
    throw new UsageError('expected a URL, or --offline with a saved bundle')
  for (const name of ['ca', 'rpcUrl', 'dnsServer', 'save'] as const)
    if (offline !== undefined && given[name] !== undefined)
      throw new UsageError(`${optionOf(name)} needs a URL: --offline uses no network`)
  const path = (file: string | undefined) =>
    file === undefined ? undefined : resolve(terminal.folder, file)
  return {
    from:
      offline === undefined
        ? { url: parseHostUrl(url!, url!, `${url} is not ${HOST_URL}`) }
        : { bundleFile: resolve(terminal.folder, offline) },
    saveTo: path(given.save),
    verifierInputTo: path(given.dstackVerifierInput),
    collateral: given.collateral
      ? jsonFile('collateral', given.collateral, collateralSchema, terminal)
      : undefined,
    authority: given.ca === undefined ? undefined : textFile('ca', given.ca, terminal),
    rpcUrl: given.rpcUrl === undefined ? undefined : rpcUrlOf(given.rpcUrl),
    dnsServer: given.dnsServer === undefined ? undefined : nameServer(given.dnsServer),
    timeoutMs: secondsOf(given.timeout) * 1000,
    policy: policyOf(given, terminal),
    json,
  }
}

/** Accepts any root of trust, because the root only determines the verdict. */
export function policyOf(
  given: Pick<RawVerifyOptions, 'measurements' | 'appId' | 'composeHash' | 'tcbStatus'>,
  terminal: Terminal,
): Policy {
  const { measurements, appId, composeHash, tcbStatus } = given
  return {
    root: { kind: 'any' },
    statuses: tcbStatus ? tcbStatus.map(statusOf) : ['UpToDate'],
    ...(measurements !== undefined && {
      measurements: jsonFile('measurements', measurements, measurementsSchema, terminal),
    }),
    ...(appId !== undefined && { appId: requireValid('appId', hex(20), appId) }),
    ...(composeHash && {
      composeHashes: composeHash.map((hash) => requireValid('composeHash', hex(32), hash)),
    }),
  }
}

function statusOf(name: string): TcbStatus {
  const status = TCB_STATUSES.find((known) => known.toLowerCase() === name.toLowerCase())
  if (status && status !== 'Revoked') return status
  const accepted = TCB_STATUSES.filter((known) => known !== 'Revoked').join(', ')
  throw new UsageError(`--tcb-status ${name} is not one of ${accepted}`)
}

export function rpcUrlOf(text: string): string {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text
  throw new UsageError(`--rpc-url is not an http:// or https:// URL`)
}

function nameServer(text: string): string {
  const [, address = text, port] = /^(.*?[^:]|\[.*\]):(\d{1,5})$/.exec(text) ?? []
  const bare = address.replace(/^\[(.*)\]$/, '$1')
  if (isIP(text) || (isIP(bare) && Number(port ?? 53) <= 65_535)) return text
  throw new UsageError(`--dns-server ${text}: expected an IP address, optionally with a port`)
}

function secondsOf(text = TIMEOUT_S): number {
  if (/^[1-9]\d{0,3}$/.test(text)) return Number(text)
  throw new UsageError(`--timeout ${text}: expected a number of seconds`)
}

function jsonFile<Schema extends z.ZodType>(
  option: keyof RawVerifyOptions,
  file: string,
  schema: Schema,
  terminal: Terminal,
): z.output<Schema> {
  const text = textFile(option, file, terminal)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new UsageError(`${optionOf(option)} ${file}: ${(error as Error).message}`)
  }
  return requireValid(option, schema, value)
}

function textFile(option: keyof RawVerifyOptions, file: string, { folder }: Terminal): string {
  try {
    return readFileSync(resolve(folder, file), 'utf8')
  } catch (error) {
    throw new UsageError(`${optionOf(option)} ${file}: ${(error as Error).message}`)
  }
}

function requireValid<Schema extends z.ZodType>(
  option: keyof RawVerifyOptions,
  schema: Schema,
  value: unknown,
): z.output<Schema> {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  const { path, message } = result.error.issues[0]!
  throw new UsageError(`${[optionOf(option), ...path].join(' ')}: ${message}`)
}

function optionOf(name: string): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
}
