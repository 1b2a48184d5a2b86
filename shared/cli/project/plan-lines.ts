import { colorize, printable, type Terminal } from '../terminal.ts'
import type { Change, Plan } from './change.ts'

const SIGNS = { create: '+', update: '~', remove: '-' } as const
const COLORS = { create: 'green', update: 'yellow', remove: 'red' } as const

/** The plan in words. Lines that begin with `!` are changes of permissions. */
export function planLines({ changes, notes }: Plan, terminal: Terminal): string[] {
  return [
    ...merged(changes).flatMap(({ change, kind, name, details, permissions }) => [
      colorize(`${SIGNS[change]} ${kind} ${printable(name)}`, COLORS[change], terminal),
      ...details.map((line) => `    ${printable(line)}`),
      ...permissions.map((line) => colorize(`  ! ${printable(line)}`, 'yellow', terminal)),
    ]),
    ...notes.map((note) => colorize(`  note: ${printable(note)}`, 'grey', terminal)),
    summary(changes),
  ]
}

/** Combines consecutive changes of one object, such as the creation of a group and its first actions. */
function merged(changes: readonly Change[]): Omit<Change, 'operation'>[] {
  const found: Omit<Change, 'operation'>[] = []
  for (const { operation: _operation, ...change } of changes) {
    const last = found.at(-1)
    if (last && last.kind === change.kind && last.name === change.name)
      found[found.length - 1] = {
        ...last,
        details: [...last.details, ...change.details],
        permissions: [...last.permissions, ...change.permissions],
      }
    else found.push(change)
  }
  return found
}

export function summary(changes: readonly Change[]): string {
  if (changes.length === 0) return 'No changes.'
  const objects = merged(changes)
  const count = (of: Change['change']) => objects.filter(({ change }) => change === of).length
  return `${count('create')} to create, ${count('update')} to update, ${count('remove')} to remove.`
}

/** The plan as JSON, without the operations, which contain sources. */
export function planJson({ changes, notes }: Plan): object {
  return { changes: merged(changes), notes }
}
