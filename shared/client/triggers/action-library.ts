/** Actions that a user keeps at the trigger service (`docs/action-library.md`). */
import type {
  ActionVersion,
  ActionVersionWithSource,
  ChangeAction,
  CreateAction,
  LibraryAction,
  ListedAction,
  SavedVersion,
  SaveVersion,
} from '../../wire/action-library.ts'
import type { CallOptions } from '../options.ts'
import { deleteOnce, sendOnce } from './lost-responses.ts'
import { actionPath, triggerBody, type TriggersParts, versionPath } from './send-request.ts'

export type { ActionVersion, ActionVersionWithSource, LibraryAction, ListedAction, SavedVersion }
export type ActionFields = CreateAction
/** Absent fields stay unchanged. */
export type ActionChanges = ChangeAction
export type VersionFields = SaveVersion

/** Operations of `client.triggers.actions`. */
export type ActionLibraryOperations = {
  /** Lists the actions without their sources, most recently changed first. */
  list(options?: CallOptions): Promise<ListedAction[]>
  /** Adds an action. Not retried. @throws {Unprocessable} with `position`, if the source does not compile */
  create(fields: ActionFields, options?: CallOptions): Promise<LibraryAction>
  /** Returns an action with its current source, and the triggers that run a version of it. */
  get(id: string, options?: CallOptions): Promise<LibraryAction>
  /** @example change(id, { current_version: 3 }) */
  change(id: string, fields: ActionChanges, options?: CallOptions): Promise<LibraryAction>
  /** Deletes an action with all versions. Triggers keep their sources. */
  delete(id: string, options?: CallOptions): Promise<void>
  /** Lists the versions without their sources, newest first. */
  versions(id: string, options?: CallOptions): Promise<ActionVersion[]>
  version(id: string, number: number, options?: CallOptions): Promise<ActionVersionWithSource>
  /** Adds a version, and makes it the current one. Can be repeated: saving the current source again changes nothing. */
  save(id: string, fields: VersionFields, options?: CallOptions): Promise<SavedVersion>
  /** Deletes a version that is not the current one. */
  deleteVersion(id: string, number: number, options?: CallOptions): Promise<void>
}

const PATH = '/api/actions'
const CHECK_ACTIONS_FIX =
  'An action may have been added. Before you retry, look for it in triggers.actions.list().'

export function actionLibraryOperations(parts: TriggersParts): ActionLibraryOperations {
  const get = <Body>(path: string, options?: CallOptions) =>
    triggerBody<Body>(parts, { method: 'GET', path, repeat: 'idempotent' }, options)
  return {
    list: async (options) => (await get<{ actions: ListedAction[] }>(PATH, options)).actions,
    create: async (json, options) =>
      sendOnce(parts, { method: 'POST', path: PATH, json }, options, CHECK_ACTIONS_FIX),
    get: async (id, options) => get(actionPath(id), options),
    async change(id, json, options) {
      const path = actionPath(id)
      return triggerBody(parts, { method: 'PATCH', path, json, repeat: 'idempotent' }, options)
    },
    delete: async (id, options) => deleteOnce(parts, actionPath(id), options),
    async versions(id, options) {
      const path = `${actionPath(id)}/versions`
      return (await get<{ versions: ActionVersion[] }>(path, options)).versions
    },
    version: async (id, number, options) => get(versionPath(id, number), options),
    async save(id, json, options) {
      const path = `${actionPath(id)}/versions`
      return triggerBody(parts, { method: 'POST', path, json, repeat: 'idempotent' }, options)
    },
    deleteVersion: async (id, number, options) =>
      deleteOnce(parts, versionPath(id, number), options),
  }
}
