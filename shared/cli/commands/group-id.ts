import { InvalidArgumentError } from 'commander'

/** Group IDs start at 1. 0 means all groups if the option allows it. */
export function groupId(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('Expected a group ID, which is a number.')
}

/** The option can be repeated, or contain a comma-separated list. */
export function groupIds(text: string, before: readonly number[] = []): number[] {
  return [...before, ...text.split(',').map((part) => groupId(part.trim()))]
}
