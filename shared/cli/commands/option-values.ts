import { InvalidArgumentError } from 'commander'
import { tryParseJson } from '../../json/try-parse-json.ts'
import type { Cli } from '../cli.ts'
import { UsageError } from '../terminal.ts'

export const collectOption = (value: string, before: string[] = []): string[] => [...before, value]

/** Group IDs start at 1. 0 means all groups if the option allows it. */
export function groupId(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('Expected a group ID, which is a number.')
}

export function groupIds(text: string, before: readonly number[] = []): number[] {
  return [...before, ...text.split(',').map((part) => groupId(part.trim()))]
}

/**
 * Parses `key=value` pairs. A value that is not valid JSON is used as text.
 * @throws {UsageError} if a pair has no key
 */
export function keyValues(option: string, given: readonly string[]): Record<string, unknown> {
  const entries = given.map((text): [string, unknown] => {
    const at = text.indexOf('=')
    if (at < 1) throw new UsageError(`${option}: expected key=value`)
    const value = tryParseJson(text.slice(at + 1))
    return [text.slice(0, at), value === undefined ? text.slice(at + 1) : value]
  })
  return Object.fromEntries(entries)
}

/** @throws {UsageError} if the text is not JSON. The error message omits the value, which may be long */
export function jsonOf(option: string, text: string): unknown {
  const value = tryParseJson(text)
  if (value === undefined) throw new UsageError(`${option}: expected JSON`)
  return value
}

export function objectOf(option: string, text: string): Record<string, unknown> {
  const value = jsonOf(option, text)
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return value as Record<string, unknown>
  throw new UsageError(`${option}: expected a JSON object`)
}

export function integerOf(option: string, text: string): number {
  if (/^-?[0-9]{1,15}$/.test(text)) return Number(text)
  throw new UsageError(`${option}: expected an integer`)
}

export type GivenParams = { params?: string[]; paramsFile?: string }

/**
 * Merges the params of `--params` and `--params-file`. `--params` takes precedence. Undefined if neither option is set.
 */
export async function paramsOf(
  cli: Cli,
  { params, paramsFile }: GivenParams,
): Promise<Record<string, unknown> | undefined> {
  if (params === undefined && paramsFile === undefined) return undefined
  const ofFile =
    paramsFile === undefined ? {} : objectOf('--params-file', await cli.text(paramsFile))
  return { ...ofFile, ...keyValues('--params', params ?? []) }
}
