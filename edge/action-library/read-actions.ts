/** Reads the action library of a user. All queries are restricted to the user. */
import { and, desc, eq, sql } from 'drizzle-orm'
import type {
  ActionVersion,
  ActionVersionWithSource,
  LibraryAction,
  ListedAction,
} from '../../shared/wire/action-library.ts'
import { actions, actionVersions, triggers } from '../db/schema.ts'
import type { IndexDatabase } from '../triggers/trigger-index.ts'

const listedFields = {
  id: actions.id,
  name: actions.name,
  currentVersion: actions.currentVersion,
  cid: actionVersions.cid,
  versions: sql<number>`(SELECT count(*) FROM ${actionVersions} AS counted WHERE counted.action_id = ${actions.id})`,
  createdAt: actions.createdAt,
  updatedAt: actions.updatedAt,
}

const isCurrent = and(
  eq(actionVersions.actionId, actions.id),
  eq(actionVersions.number, actions.currentVersion),
)

type ListedRow = {
  id: string
  name: string
  currentVersion: number
  cid: string
  versions: number
  createdAt: number
  updatedAt: number
}

const toListed = (row: ListedRow): ListedAction => ({
  id: row.id,
  name: row.name,
  current_version: row.currentVersion,
  cid: row.cid,
  versions: row.versions,
  created_at: new Date(row.createdAt).toISOString(),
  updated_at: new Date(row.updatedAt).toISOString(),
})

/** Returns all actions of the user without their sources, most recently changed first. */
export async function listActions(db: IndexDatabase, ownerId: string): Promise<ListedAction[]> {
  const rows = await db
    .select(listedFields)
    .from(actions)
    .innerJoin(actionVersions, isCurrent)
    .where(eq(actions.ownerId, ownerId))
    .orderBy(desc(actions.updatedAt), desc(actions.id))
  return rows.map(toListed)
}

/** Returns the action with the source of its current version, or undefined if this user has no such action. */
export async function readAction(
  db: IndexDatabase,
  ownerId: string,
  id: string,
): Promise<LibraryAction | undefined> {
  const [row] = await db
    .select({ ...listedFields, source: actionVersions.source })
    .from(actions)
    .innerJoin(actionVersions, isCurrent)
    .where(and(eq(actions.ownerId, ownerId), eq(actions.id, id)))
  if (!row) return undefined
  return { ...toListed(row), source: row.source, triggers: await runningTriggers(db, ownerId, id) }
}

async function runningTriggers(db: IndexDatabase, ownerId: string, id: string) {
  const rows = await db
    .select({
      id: triggers.id,
      name: sql<string>`${triggers.record} ->> '$.name'`,
      enabled: sql<number>`${triggers.record} ->> '$.enabled'`,
      version: sql<number>`max(${actionVersions.number})`,
    })
    .from(triggers)
    .innerJoin(actionVersions, sql`${actionVersions.cid} = ${triggers.record} ->> '$.action_cid'`)
    .where(and(eq(triggers.ownerId, ownerId), eq(actionVersions.actionId, id)))
    .groupBy(triggers.id)
    .orderBy(desc(triggers.createdAt), desc(triggers.id))
  return rows.map((row) => ({ ...row, enabled: row.enabled === 1 }))
}

const versionFields = {
  number: actionVersions.number,
  cid: actionVersions.cid,
  bytes: actionVersions.bytes,
  note: actionVersions.note,
  actorKind: actionVersions.actorKind,
  actorId: actionVersions.actorId,
  actorName: actionVersions.actorName,
  createdAt: actionVersions.createdAt,
}

type VersionRow = Pick<typeof actionVersions.$inferSelect, keyof typeof versionFields>

const toVersion = (row: VersionRow): ActionVersion => ({
  number: row.number,
  cid: row.cid,
  bytes: row.bytes,
  note: row.note,
  created_at: new Date(row.createdAt).toISOString(),
  created_by: { kind: row.actorKind, id: row.actorId, name: row.actorName },
})

const ofAction = (ownerId: string, id: string) =>
  and(eq(actionVersions.actionId, actions.id), eq(actions.id, id), eq(actions.ownerId, ownerId))

/** Returns the versions of an action, newest first. Empty if this user has no such action. */
export async function listVersions(
  db: IndexDatabase,
  ownerId: string,
  id: string,
): Promise<ActionVersion[]> {
  const rows = await db
    .select(versionFields)
    .from(actionVersions)
    .innerJoin(actions, ofAction(ownerId, id))
    .orderBy(desc(actionVersions.number))
  return rows.map(toVersion)
}

/** Returns undefined if this user has no such action, or the action has no such version. */
export async function readVersion(
  db: IndexDatabase,
  ownerId: string,
  { id, number }: { id: string; number: number },
): Promise<ActionVersionWithSource | undefined> {
  const [row] = await db
    .select({ ...versionFields, source: actionVersions.source })
    .from(actionVersions)
    .innerJoin(actions, ofAction(ownerId, id))
    .where(eq(actionVersions.number, number))
  return row && { ...toVersion(row), source: row.source }
}
