import { isDeepStrictEqual } from 'node:util'
import type { UsageKey } from '../../client/core/account.ts'
import type { Cap, Change, KeyFields } from './change.ts'
import { oneNamed } from './deployed-state.ts'
import { deployedGroup } from './plan-groups.ts'
import { limitWords, planLimits } from './plan-key-limits.ts'
import type { Planned, Planning } from './planning.ts'
import type { ProjectKey } from './read-project.ts'

/** @returns `newKeys`: the keys that are created, which their triggers do not have yet */
export function planKeys(planning: Planning): Planned & { newKeys: ReadonlySet<string> } {
  const { project, state, names, prune } = planning
  const newKeys = new Set<string>()
  const changes: Change[] = []
  const removals: Change[] = []
  const notes: string[] = []
  for (const [name, key] of project.keys) {
    const found = deployedKey(planning, name)
    if (!found || isLost(planning, found)) {
      newKeys.add(name)
      changes.push(creation(planning, name, key, found))
      continue
    }
    const planned = changesOf(planning, name, key, found)
    changes.push(...planned.changes)
    removals.push(...planned.removals)
    notes.push(...planned.notes)
  }
  const listed = new Set([...project.keys.keys()].map(names.full))
  for (const { name, api_key_hash } of state.keys) {
    if (!name.startsWith(names.prefix) || listed.has(name)) continue
    if (prune) removals.push(removal(name, api_key_hash))
    else notes.push(`the key ${name} (${api_key_hash}) is not in the file; --prune deletes it`)
  }
  return { changes, removals, notes, newKeys }
}

/** @throws {UsageError} if several keys have its name */
export function deployedKey(
  { state, names }: Pick<Planning, 'state' | 'names'>,
  name: string,
): UsageKey | undefined {
  const fix = 'Delete all but one with svc key delete.'
  return oneNamed(state.keys, names.full(name), 'usage key', (key) => key.api_key_hash, fix)
}

/** Describes the attempt that created a key, so that an interrupted attempt of this machine is recognized. */
export const attemptText = (idempotencyKey: string): string => `svc deploy ${idempotencyKey}`

/** True if this machine created the key, but was interrupted before it stored the key. Nobody has such a key. */
function isLost({ state }: Planning, { name, description, api_key_hash }: UsageKey): boolean {
  const attempts = state.keyAttempts.get(name) ?? []
  return (
    attempts.some((attempt) => description === attemptText(attempt)) &&
    !state.heldKeys.has(api_key_hash)
  )
}

function creation(
  { names }: Planning,
  name: string,
  key: ProjectKey,
  lost: UsageKey | undefined,
): Change {
  const cap = capOf(key)
  return {
    change: 'create',
    kind: 'key',
    name: names.full(name),
    details: [
      capWords(cap),
      ...limitWords(key.limits),
      ...(lost ? ['replaces the key of an interrupted deployment, which was not stored'] : []),
    ],
    permissions: key.execute_in_groups.map((group) => runWords(name, group)),
    operation: {
      do: 'create_key',
      name,
      key: {
        groups: key.execute_in_groups,
        otherGroupIds: [],
        cap,
        ...(key.limits && { limits: { set: key.limits, remove: [] } }),
      },
      ...(lost && { replaces: lost.api_key_hash }),
    },
  }
}

function changesOf(planning: Planning, name: string, key: ProjectKey, found: UsageKey): Planned {
  const { state, names, prune } = planning
  const idOf = (group: string) => deployedGroup(planning, group)?.group_id
  const added = key.execute_in_groups.filter(
    (group) => !found.execute_in_groups.includes(idOf(group) ?? -1),
  )
  const wantedIds = key.execute_in_groups.map(idOf)
  const exists = (id: number) => id === 0 || state.groups.some(({ group_id }) => group_id === id)
  const others = found.execute_in_groups.filter((id) => !wantedIds.includes(id) && exists(id))
  const cap = capOf(key)
  const before = capOf(found)
  const isCapChanged = !isDeepStrictEqual(cap, before)
  const limits = planLimits(name, key.limits, found)
  const groups: Pick<KeyFields, 'groups' | 'otherGroupIds'> = {
    groups: key.execute_in_groups,
    otherGroupIds: others,
  }
  const update = (
    details: readonly string[],
    permissions: readonly string[],
    fields: Partial<KeyFields>,
  ): Change => ({
    change: 'update',
    kind: 'key',
    name: names.full(name),
    details,
    permissions,
    operation: { do: 'update_key', name, hash: found.api_key_hash, key: fields },
  })
  const otherWords = others.map((id) => groupWords(planning, id))
  return {
    changes:
      added.length > 0 || isCapChanged || limits.changes
        ? [
            update(
              [
                ...(isCapChanged ? [`${capWords(before)} becomes ${capWords(cap)}`] : []),
                ...limits.details,
              ],
              [
                ...added.map((group) => runWords(name, group)),
                ...(isCapChanged ? capPermissions(name, before, cap) : []),
                ...limits.permissions,
              ],
              {
                ...(added.length > 0 && groups),
                ...(isCapChanged && { cap }),
                ...(limits.changes && { limits: limits.changes }),
              },
            ),
          ]
        : [],
    removals:
      prune && others.length > 0
        ? [
            update(
              [],
              otherWords.map(
                (group) => `the key ${name} may no longer run the actions of ${group}`,
              ),
              { ...groups, otherGroupIds: [] },
            ),
          ]
        : [],
    notes: prune
      ? []
      : otherWords.map(
          (group) =>
            `the key ${names.full(name)} may still run the actions of ${group}; --prune removes this`,
        ),
  }
}

function removal(name: string, hash: string): Change {
  return {
    change: 'remove',
    kind: 'key',
    name,
    details: [hash],
    permissions: [`the key ${name} can no longer be used`],
    operation: { do: 'remove_key', name, hash },
  }
}

const runWords = (key: string, group: string) =>
  `holders of the key ${key} may run the actions of the group ${group}`

function groupWords({ state }: Planning, id: number): string {
  if (id === 0) return 'every group of the account'
  const found = state.groups.find(({ group_id }) => group_id === id)
  return `the group ${found?.name ?? id} (${id})`
}

type StoredCap = {
  spend_cap_cents?: number | null | undefined
  spend_window_seconds?: number | null | undefined
}

function capOf({ spend_cap_cents: cents, spend_window_seconds: seconds }: StoredCap): Cap | null {
  return typeof cents === 'number' && typeof seconds === 'number' ? { cents, seconds } : null
}

const capWords = (cap: Cap | null) =>
  cap ? `at most ${cap.cents} cents in ${cap.seconds} s` : 'no spending cap'

function capPermissions(name: string, before: Cap | null, after: Cap | null): string[] {
  const isTighter =
    after !== null &&
    (before === null || (after.cents <= before.cents && after.seconds >= before.seconds))
  return isTighter ? [] : [`the key ${name} may spend more: ${capWords(after)}`]
}
