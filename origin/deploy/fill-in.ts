import { z } from 'zod'
import { chainSettingProblems, chainsSetting } from '../../shared/config/chain-settings.ts'
import { ENVIRONMENT_NAMES } from '../../shared/config/environments.ts'
import { describeFaults, parseEachSetting } from '../../shared/config/parse-settings.ts'
import { parseRpcUrls, requireHttps } from '../accounts/nodes/rpc-urls.ts'

const PLACEHOLDER = 'fill-in.invalid'
const IMAGE = 'image'
const PUBLIC_URL = 'SVC_PUBLIC_URL'
const CHAIN_RPC = 'SVC_CHAIN_RPC'
const CHAINS = 'CHAINS'

/** Digest in the compose file before it is filled in: the SHA-256 hash of empty input. */
const EMPTY_DIGEST = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'
const PINNED_IMAGE = /^[a-z0-9][a-z0-9._/:-]*@sha256:([0-9a-f]{64})$/
/** Values whose characters have no special meaning in YAML and do not start a compose variable. */
const PLAIN_VALUE = /^[A-Za-z0-9_.,:;/@?&=%+~-]+$/
/** JSON without spaces, which has no special meaning in YAML either, because it does not begin the line's value. */
const PLAIN_JSON = /^\{[A-Za-z0-9_.,:;/@?&=%+~{}"[\]-]*\}$/

/** @throws {Error} that names each value that is missing, unknown or invalid */
export function fillInCompose(composeText: string, values: Record<string, unknown>): string {
  const faults: string[] = []
  const unused = new Set(Object.keys(values))
  const valueOf = (name: string): string => {
    unused.delete(name)
    const value = values[name]
    const text = textOf(name, value)
    const fault = typeof text === 'string' ? findFault(name, text) : 'missing'
    if (fault) faults.push(`${name}: ${fault}`)
    return typeof text === 'string' ? text : ''
  }
  const filled = composeText
    .split('\n')
    .map((line) => {
      if (!line.includes(PLACEHOLDER) || /^\s*#/.test(line)) return line
      const image = /^(\s*image: )/.exec(line)
      if (image) return `${image[1]}${valueOf(IMAGE)}`
      const [, start = '', name = ''] = /^(\s*- ([A-Z][A-Z0-9_]*)=)/.exec(line) ?? []
      return `${start}${valueOf(name)}`
    })
    .join('\n')
  for (const name of unused) faults.push(`${name}: not a variable of the compose file`)
  if (faults.length > 0) throw new Error(`invalid: ${[...new Set(faults)].join('; ')}`)
  return filled
}

/** `CHAINS` is a JSON object in `deployment.json`, and its text in the compose file. */
function textOf(name: string, value: unknown): unknown {
  if (name === CHAINS && typeof value === 'object') return JSON.stringify(value)
  return typeof value === 'number' ? String(value) : value
}

function findFault(name: string, value: string): string | undefined {
  if (value.includes('.invalid')) return 'still the example value'
  if (name === IMAGE) {
    const digest = PINNED_IMAGE.exec(value)?.[1]
    if (digest === undefined) return 'expected name@sha256:<64 hex characters>'
    return digest === EMPTY_DIGEST
      ? 'expected the digest of an image, not of an empty file'
      : undefined
  }
  if (name === CHAINS) return chainsFault(value)
  if (!PLAIN_VALUE.test(value))
    return 'contains a character with a special meaning in the compose file'
  if (name === PUBLIC_URL && URL.parse(value)?.origin !== value)
    return 'expected https://host without a path or query'
  if (name === PUBLIC_URL && !value.startsWith('https:')) return 'expected https'
  if (name !== CHAIN_RPC) return undefined
  const parsed = parseRpcUrls(value)
  return 'fault' in parsed ? parsed.fault : requireHttps(parsed.urls)
}

/** Names the position of a fault, but not the value. */
function chainsFault(value: string): string | undefined {
  const shape = { CHAINS: chainsSetting, SVC_ENV: z.enum(ENVIRONMENT_NAMES) }
  const given = { CHAINS: value, SVC_ENV: 'production' }
  const { faults } = parseEachSetting(shape, given, [chainSettingProblems])
  if (faults) return describeFaults(faults)
  return PLAIN_JSON.test(value)
    ? undefined
    : 'contains a character with a special meaning in the compose file'
}
