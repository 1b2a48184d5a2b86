import type { McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'
import {
  actionsResponse,
  actionVersionsResponse,
  actionVersionWithSource,
  createActionRequest,
  libraryAction,
  savedVersion,
} from '../../wire/action-library.ts'
import { ADDS, addTool, READS, type ToolParts } from '../tool.ts'

const action_id = z.string().describe('ID of the action, from list_actions.')
const number = z.int().min(1).describe('Number of the version.')

export function addActionLibraryTools(server: McpServer, { session }: ToolParts): void {
  const library = async () => (await session.triggers()).actions
  addTool(server, 'list_actions', {
    title: 'List actions',
    description: 'Lists the actions that your user keeps in the library, without their sources.',
    input: z.strictObject({}),
    output: actionsResponse,
    hints: READS,
    run: async (_, signal) => ({ actions: await (await library()).list({ signal }) }),
  })
  addTool(server, 'get_action', {
    title: 'Read an action',
    description:
      'Returns an action with the source of its current version, and the triggers that run a version of it.',
    input: z.strictObject({ action_id }),
    output: libraryAction,
    hints: READS,
    run: async ({ action_id: id }, signal) => (await library()).get(id, { signal }),
  })
  addTool(server, 'list_action_versions', {
    title: 'List versions of an action',
    description: 'Lists the versions of an action without their sources, newest first.',
    input: z.strictObject({ action_id }),
    output: actionVersionsResponse,
    hints: READS,
    run: async ({ action_id: id }, signal) => ({
      versions: await (await library()).versions(id, { signal }),
    }),
  })
  addTool(server, 'get_action_version', {
    title: 'Read a version of an action',
    description: 'Returns a version of an action with its source.',
    input: z.strictObject({ action_id, number }),
    output: actionVersionWithSource,
    hints: READS,
    run: async ({ action_id: id, number: of }, signal) =>
      (await library()).version(id, of, { signal }),
  })
  addTool(server, 'create_action', {
    title: 'Add an action to the library',
    description:
      'Keeps the source of an action with a name. The source is compiled, but not run, and no group permits it yet.',
    input: createActionRequest,
    output: libraryAction,
    hints: ADDS,
    run: async (fields, signal) => (await library()).create(fields, { signal }),
  })
  addTool(server, 'save_action_version', {
    title: 'Save a version of an action',
    description:
      'Adds a version, which becomes the current one. Triggers keep the source that they have. created is false if the source has not changed.',
    input: createActionRequest.omit({ name: true }).extend({ action_id }),
    output: savedVersion,
    hints: ADDS,
    run: async ({ action_id: id, ...fields }, signal) =>
      (await library()).save(id, fields, { signal }),
  })
  addTool(server, 'use_action_version', {
    title: 'Make a version the current one',
    description:
      'Makes an earlier version of an action the current one again. Triggers keep the source that they have.',
    input: z.strictObject({ action_id, number }),
    output: libraryAction,
    hints: ADDS,
    run: async ({ action_id: id, number: current_version }, signal) =>
      (await library()).change(id, { current_version }, { signal }),
  })
}
