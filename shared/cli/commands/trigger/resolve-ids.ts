import { NotFound } from '../../../client/failures/by-status.ts'
import type { TriggerOperations } from '../../../client/triggers/triggers.ts'
import { RUN_ID_CHARACTERS, TRIGGER_ID_CHARACTERS } from '../../../ids.ts'
import { printable, UsageError } from '../../terminal.ts'

export const TRIGGER_ARGUMENT = 'ID of the trigger, or its name if it is unique'
export const RUN_ARGUMENT = 'ID of the run, or a trigger for its newest run'

const isId = (text: string, characters: number) =>
  text.length === characters && /^[\w-]+$/.test(text)

/**
 * @throws {NotFound} if no trigger has the name
 * @throws {UsageError} if several triggers have the name
 */
export async function resolveTriggerId(
  triggers: TriggerOperations,
  named: string,
): Promise<string> {
  if (isId(named, TRIGGER_ID_CHARACTERS)) return named
  const ids: string[] = []
  for await (const { id, name } of triggers.list()) if (name === named) ids.push(id)
  const [id] = ids
  if (id === undefined)
    throw notFoundError(`no trigger has the ID or name ${printable(named)}`, 'svc trigger list')
  if (ids.length === 1) return id
  throw new UsageError(
    `${ids.length} triggers are named ${printable(named)}; use one of these IDs: ${ids.join(', ')}`,
  )
}

/**
 * Resolves a run's ID from a run ID, or from the ID or name of a trigger, which selects the trigger's newest run.
 * @throws {NotFound} if the trigger or its runs do not exist
 * @throws {UsageError} if several triggers have the name
 */
export async function resolveRunId(triggers: TriggerOperations, named: string): Promise<string> {
  if (isId(named, RUN_ID_CHARACTERS)) return named
  const id = await resolveTriggerId(triggers, named)
  const [newest] = await triggers.runs(id, { limit: 1 }).all()
  if (newest) return newest.id
  throw notFoundError(`${printable(named)} has no runs yet`, 'svc trigger test')
}

function notFoundError(message: string, command: string): NotFound {
  return new NotFound(message, { status: 404, code: 'not_found', fix: `Run ${command}.` })
}
