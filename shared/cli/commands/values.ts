/** Parses option values: JSON if they parse as JSON, otherwise text. */
import type { Cli } from '../cli.ts'
import { UsageError } from '../terminal.ts'

/** Collects the values of a repeatable option. */
export const each = (value: string, before: string[] = []): string[] => [...before, value]

/** Parses `key=value` pairs. Each value is JSON if it parses, otherwise text. @throws {UsageError} */
export function keyValues(option: string, given: readonly string[]): Record<string, unknown> {
  const entries = given.map((text): [string, unknown] => {
    const at = text.indexOf('=')
    if (at < 1) throw new UsageError(`${option} takes key=value`)
    return [text.slice(0, at), jsonOrText(text.slice(at + 1))]
  })
  return Object.fromEntries(entries)
}

/** @throws {UsageError} that names the option but omits the value, which may be long */
export function jsonOf(option: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new UsageError(`${option} takes JSON`)
  }
}

/** @throws {UsageError} */
export function objectOf(option: string, text: string): Record<string, unknown> {
  const value = jsonOf(option, text)
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return value as Record<string, unknown>
  throw new UsageError(`${option} takes a JSON object`)
}

/** @throws {UsageError} */
export function integerOf(option: string, text: string): number {
  if (/^-?[0-9]{1,15}$/.test(text)) return Number(text)
  throw new UsageError(`${option} takes an integer`)
}

export type GivenParams = { params?: string[]; paramsFile?: string }

/** Merges `--params` over the content of `--params-file`. @returns undefined if neither is given */
export async function paramsOf(
  cli: Cli,
  { params, paramsFile }: GivenParams,
): Promise<Record<string, unknown> | undefined> {
  if (params === undefined && paramsFile === undefined) return undefined
  const ofFile =
    paramsFile === undefined ? {} : objectOf('--params-file', await cli.text(paramsFile))
  return { ...ofFile, ...keyValues('--params', params ?? []) }
}

function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
