import { type Command, InvalidArgumentError } from 'commander'
import { NotFound } from '../../client/failures/by-status.ts'
import { ACTION_ID_PATTERN } from '../../ids.ts'
import type {
  ActionLibraryOperations,
  ActionVersion,
  ListedAction,
} from '../../client/triggers/action-library.ts'
import { readAction } from '../action-source.ts'
import type { Cli } from '../cli.ts'
import { printable, UsageError } from '../terminal.ts'
import { columns, facts } from './columns.ts'
import { addExamples } from './examples.ts'

export function registerAction(program: Command, cli: Cli): void {
  const action = program.command('action').description('Manage the actions in your library.')
  registerList(action, cli)
  registerAdd(action, cli)
  registerSave(action, cli)
  registerShow(action, cli)
  registerVersions(action, cli)
  registerUse(action, cli)
  registerRename(action, cli)
  registerDelete(action, cli)
}

const ACTION = 'ID of the action, or its name if only one action has it'

function registerList(action: Command, cli: Cli): void {
  const command = cli.command(action, 'list', 'List your actions.')
  addExamples(command, ['svc action list'])
  command.action(async () => {
    const actions = await (await cli.client(command, { token: true })).triggers.actions.list()
    cli.print(command, actions, () =>
      actions.length === 0 ? ['no actions'] : columns(actions.map(cells)),
    )
  })
}

function registerAdd(action: Command, cli: Cli): void {
  const command = cli
    .command(
      action,
      'add',
      'Save the source of an action. This does not permit the action in a group.',
    )
    .argument('<file>', 'the action: TypeScript is built, JavaScript is sent as it is')
    .requiredOption('--name <text>', 'name of the action')
    .option('--note <text>', 'note on the version')
  addExamples(command, ['svc action add action.js --name payments'])
  command.action(async (file: string, { name, note }: { name: string; note?: string }) => {
    const { actions } = (await cli.client(command, { token: true })).triggers
    const { code: source } = await readAction(file, cli.terminal)
    const added = await actions.create({ name, source, ...(note !== undefined && { note }) })
    cli.print(command, added, () => facts({ action: added.id, version: '1', cid: added.cid }))
  })
}

function registerSave(action: Command, cli: Cli): void {
  const command = cli
    .command(
      action,
      'save',
      'Save a version of an action. Triggers keep the source that they have.',
    )
    .argument('<action>', ACTION)
    .argument('<file>', 'the action: TypeScript is built, JavaScript is sent as it is')
    .option('--note <text>', 'note on the version')
  addExamples(command, ['svc action save payments action.js --note "Retries payments"'])
  command.action(async (named: string, file: string, { note }: { note?: string }) => {
    const { actions } = (await cli.client(command, { token: true })).triggers
    const id = await resolveActionId(actions, named)
    const { code: source } = await readAction(file, cli.terminal)
    const saved = await actions.save(id, { source, ...(note !== undefined && { note }) })
    const version = `${saved.number}${saved.created ? '' : ' (unchanged)'}`
    cli.print(command, saved, () => facts({ action: id, version, cid: saved.cid }))
  })
}

function registerShow(action: Command, cli: Cli): void {
  const command = cli
    .command(action, 'show', 'Print the source of an action.')
    .argument('<action>', ACTION)
    .option('--at <version>', 'number of a version; by default, the current one', versionNumber)
  addExamples(command, ['svc action show payments', 'svc action show payments --at 1'])
  command.action(async (named: string, { at }: { at?: number }) => {
    const { actions } = (await cli.client(command, { token: true })).triggers
    const id = await resolveActionId(actions, named)
    const shown = at === undefined ? await actions.get(id) : await actions.version(id, at)
    cli.print(command, shown, () => [shown.source])
  })
}

function registerVersions(action: Command, cli: Cli): void {
  const command = cli
    .command(action, 'versions', 'List the versions of an action, and the triggers that run them.')
    .argument('<action>', ACTION)
  addExamples(command, ['svc action versions payments'])
  command.action(async (named: string) => {
    const { actions } = (await cli.client(command, { token: true })).triggers
    const id = await resolveActionId(actions, named)
    const [{ current_version, triggers }, versions] = await Promise.all([
      actions.get(id),
      actions.versions(id),
    ])
    const names = (number: number) =>
      triggers.filter(({ version }) => version === number).map(({ name }) => name)
    cli.print(command, { current_version, triggers, versions }, () =>
      columns(
        versions.map((version) => [
          `${version.number}${version.number === current_version ? ' (current)' : ''}`,
          ...versionCells(version),
          names(version.number).join(', '),
        ]),
      ),
    )
  })
}

function registerUse(action: Command, cli: Cli): void {
  const command = cli
    .command(action, 'use', 'Make another version the current one.')
    .argument('<action>', ACTION)
    .argument('<version>', 'number of the version', versionNumber)
  addExamples(command, ['svc action use payments 1'])
  command.action(async (named: string, current_version: number) => {
    const { actions } = (await cli.client(command, { token: true })).triggers
    const id = await resolveActionId(actions, named)
    const changed = await actions.change(id, { current_version })
    cli.print(command, changed, () => columns([cells(changed)]))
  })
}

function registerRename(action: Command, cli: Cli): void {
  const command = cli
    .command(action, 'rename', 'Rename an action.')
    .argument('<action>', ACTION)
    .argument('<name>', 'new name')
  addExamples(command, ['svc action rename payments charges'])
  command.action(async (named: string, name: string) => {
    const { actions } = (await cli.client(command, { token: true })).triggers
    const id = await resolveActionId(actions, named)
    const changed = await actions.change(id, { name })
    cli.print(command, changed, () => columns([cells(changed)]))
  })
}

function registerDelete(action: Command, cli: Cli): void {
  const command = cli
    .command(action, 'delete', 'Delete an action with all versions. Triggers keep their sources.')
    .argument('<action>', ACTION)
    .option('--at <version>', 'delete only this version, which must not be current', versionNumber)
  addExamples(command, ['svc action delete charges'])
  command.action(async (named: string, { at }: { at?: number }) => {
    const { actions } = (await cli.client(command, { token: true })).triggers
    const id = await resolveActionId(actions, named)
    await (at === undefined ? actions.delete(id) : actions.deleteVersion(id, at))
    const version = at === undefined ? {} : { version: at }
    cli.print(command, { id, ...version, deleted: true }, () => [
      `${at === undefined ? id : `version ${at} of ${id}`} deleted`,
    ])
  })
}

function cells({ id, name, current_version, cid, updated_at }: ListedAction): string[] {
  return [id, name, `version ${current_version}`, cid, updated_at]
}

function versionCells({ cid, created_at, created_by, note }: ActionVersion): string[] {
  return [cid, created_at, created_by.name ?? created_by.kind, note ?? '']
}

/**
 * @throws {NotFound} if no action has the name
 * @throws {UsageError} if several actions have the name
 */
async function resolveActionId(actions: ActionLibraryOperations, named: string): Promise<string> {
  if (ACTION_ID_PATTERN.test(named)) return named
  const found = (await actions.list()).filter(({ name }) => name === named)
  const [action] = found
  if (action === undefined)
    throw new NotFound(`no action has the ID or name ${printable(named)}`, {
      status: 404,
      code: 'not_found',
      fix: 'Run svc action list.',
    })
  if (found.length === 1) return action.id
  const ids = found.map(({ id }) => id).join(', ')
  throw new UsageError(
    `${found.length} actions are named ${printable(named)}; use one of these IDs: ${ids}`,
  )
}

/** @throws {InvalidArgumentError} */
function versionNumber(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('Expected the number of a version.')
}
