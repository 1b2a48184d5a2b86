/** Changes the action library of a user. Sources are compiled before they are stored. */
import { and, eq, sql, sum } from 'drizzle-orm'
import { actionCid } from '../../shared/cid/compute-cid.ts'
import { encodeBase64url } from '../../shared/encoding/base64url.ts'
import {
  ACTION_LIBRARY_DATABASE_BYTES,
  ACTION_LIBRARY_MAX_BYTES,
  ACTION_VERSIONS_MAX,
  LIBRARY_ACTIONS_MAX,
} from '../../shared/limits.ts'
import type {
  ActionVersion,
  ChangeAction,
  CreateAction,
  LibraryAction,
  SaveVersion,
} from '../../shared/wire/action-library.ts'
import type { ChangeOrigin } from '../audit-log/trigger-change.ts'
import { requireCompilingSource } from '../compile-check/source-does-not-compile-error.ts'
import { actions, actionVersions } from '../db/schema.ts'
import { IndexFullError } from '../triggers/index-full-error.ts'
import { type IndexDatabase, indexUsage } from '../triggers/trigger-index.ts'
import { requireSource, utf8Bytes } from '../triggers/trigger-rules.ts'
import { LibraryFullError } from './library-full-error.ts'
import { readAction, readVersion } from './read-actions.ts'

export type LibraryContext = {
  db: IndexDatabase
  ownerId: string
  /** Returns the current time in Unix milliseconds. */
  now: () => number
  by: ChangeOrigin
  /** @default ACTION_LIBRARY_DATABASE_BYTES */
  databaseBytesMax?: number
}

const ID_BYTES = 16

/**
 * @throws {TriggerRejectedError} if the source is too large
 * @throws {SourceDoesNotCompileError}
 * @throws {LibraryFullError}
 * @throws {IndexFullError}
 */
export async function createAction(
  context: LibraryContext & { random: (bytes: number) => Uint8Array },
  { name, source, note }: CreateAction,
): Promise<LibraryAction> {
  const { db, ownerId, now, random } = context
  const version = await checkedVersion(context, { source, note })
  if ((await db.$count(actions, eq(actions.ownerId, ownerId))) >= LIBRARY_ACTIONS_MAX)
    throw new LibraryFullError('actions')
  const id = `actn_${encodeBase64url(random(ID_BYTES))}`
  const at = now()
  await db.batch([
    db.insert(actions).values({
      id,
      ownerId,
      name,
      currentVersion: 1,
      lastVersion: 1,
      createdAt: at,
      updatedAt: at,
    }),
    db.insert(actionVersions).values({ ...version, actionId: id, number: 1 }),
  ])
  return (await readAction(db, ownerId, id))!
}

/**
 * Adds a version and makes it the current one, unless the source is that of the current version.
 * @returns undefined if this user has no such action
 * @throws like `createAction`
 */
export async function saveVersion(
  context: LibraryContext,
  id: string,
  save: SaveVersion,
): Promise<{ version: ActionVersion; created: boolean } | undefined> {
  const { db, ownerId, now } = context
  const known = await readAction(db, ownerId, id)
  if (!known) return undefined
  const current = async (created: boolean) => {
    const { current_version: number } = (await readAction(db, ownerId, id))!
    const { source: _, ...version } = (await readVersion(db, ownerId, { id, number }))!
    return { version, created }
  }
  if (known.source === save.source) return current(false)
  if (known.versions >= ACTION_VERSIONS_MAX) throw new LibraryFullError('versions')
  const version = await checkedVersion(context, save)
  const next = sql<number>`(SELECT last_version FROM actions WHERE id = ${id})`
  await db.batch([
    db
      .update(actions)
      .set({
        lastVersion: sql`${actions.lastVersion} + 1`,
        currentVersion: sql`${actions.lastVersion} + 1`,
        updatedAt: now(),
      })
      .where(and(eq(actions.id, id), eq(actions.ownerId, ownerId))),
    db.insert(actionVersions).values({ ...version, actionId: id, number: next }),
  ])
  return current(true)
}

/**
 * Renames an action, or makes another version the current one.
 * @returns undefined if this user has no such action; `'no_version'` if the action has no such version
 */
export async function changeAction(
  { db, ownerId, now }: Pick<LibraryContext, 'db' | 'ownerId' | 'now'>,
  id: string,
  { name, current_version: number }: ChangeAction,
): Promise<LibraryAction | 'no_version' | undefined> {
  if (number !== undefined) {
    if (!(await readAction(db, ownerId, id))) return undefined
    if (!(await readVersion(db, ownerId, { id, number }))) return 'no_version'
  }
  const version =
    number === undefined
      ? undefined
      : // Keeps the version if the other one is deleted at the same time.
        sql`coalesce((SELECT number FROM action_versions WHERE action_id = ${id} AND number = ${number}), ${actions.currentVersion})`
  await db
    .update(actions)
    .set({
      ...(name === undefined ? {} : { name }),
      ...(version === undefined ? {} : { currentVersion: version }),
      updatedAt: now(),
    })
    .where(and(eq(actions.id, id), eq(actions.ownerId, ownerId)))
  return readAction(db, ownerId, id)
}

/** Deletes an action with all versions. Triggers keep their sources. Returns false if this user has no such action. */
export async function deleteAction(
  { db, ownerId }: Pick<LibraryContext, 'db' | 'ownerId'>,
  id: string,
): Promise<boolean> {
  const owned = sql`(SELECT id FROM actions WHERE id = ${id} AND owner_id = ${ownerId})`
  const [, deleted] = await db.batch([
    db.delete(actionVersions).where(sql`${actionVersions.actionId} IN ${owned}`),
    db
      .delete(actions)
      .where(and(eq(actions.id, id), eq(actions.ownerId, ownerId)))
      .returning({ id: actions.id }),
  ])
  return deleted.length > 0
}

/** Deletes a version that is not the current one. Returns false if there is no such version. */
export async function deleteVersion(
  { db, ownerId }: Pick<LibraryContext, 'db' | 'ownerId'>,
  { id, number }: { id: string; number: number },
): Promise<boolean> {
  const deleted = await db
    .delete(actionVersions)
    .where(
      and(
        eq(actionVersions.number, number),
        sql`${actionVersions.actionId} IN (SELECT id FROM actions WHERE id = ${id} AND owner_id = ${ownerId} AND current_version <> ${number})`,
      ),
    )
    .returning({ number: actionVersions.number })
  return deleted.length > 0
}

async function checkedVersion(
  { db, ownerId, now, by, databaseBytesMax = ACTION_LIBRARY_DATABASE_BYTES }: LibraryContext,
  { source, note }: SaveVersion,
) {
  requireSource('source', source)
  await requireCompilingSource('source', source)
  const bytes = utf8Bytes(source)
  // Concurrent requests may exceed the limits. That is acceptable, because they are safeguards and not exact quotas.
  if ((await storedBytes(db, ownerId)) + bytes > ACTION_LIBRARY_MAX_BYTES)
    throw new LibraryFullError('bytes')
  if ((await indexUsage(db, ownerId)).databaseBytes >= databaseBytesMax) throw new IndexFullError()
  return {
    cid: await actionCid(source),
    bytes,
    note: note ?? null,
    actorKind: by.actor.kind,
    actorId: by.actor.id,
    actorName: by.actorName,
    createdAt: now(),
    source,
  }
}

async function storedBytes(db: IndexDatabase, ownerId: string): Promise<number> {
  const [row] = await db
    .select({ bytes: sum(actionVersions.bytes).mapWith(Number) })
    .from(actionVersions)
    .innerJoin(actions, eq(actions.id, actionVersions.actionId))
    .where(eq(actions.ownerId, ownerId))
  return row?.bytes ?? 0
}
