import { InvalidArgumentError } from 'commander'

/** As an argument: groups count from 1; 0 stands for all, where there can be all. */
export function groupId(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('A group’s id is a number.')
}

/** For an option that may be given several times, or a list with commas. */
export function groupIds(text: string, before: readonly number[] = []): number[] {
  return [...before, ...text.split(',').map((part) => groupId(part.trim()))]
}
