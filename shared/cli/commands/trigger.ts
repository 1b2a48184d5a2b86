import type { Command } from 'commander'
import type { Cli } from '../cli.ts'
import { registerTriggerAudit } from './trigger/audit.ts'
import { registerCreate, registerPreview, registerUpdate } from './trigger/create.ts'
import { registerFailed } from './trigger/failed.ts'
import { registerReplayFailed, registerReplays } from './trigger/replays.ts'
import {
  registerCancel,
  registerReplay,
  registerShowRun,
  registerRuns,
  registerTail,
} from './trigger/runs.ts'
import { registerList, registerShow } from './trigger/show.ts'
import { registerDelete, registerPurge, registerSwitches } from './trigger/switch.ts'
import { registerFire, registerTest } from './trigger/test.ts'

export function registerTrigger(program: Command, cli: Cli): void {
  const trigger = program.command('trigger').description('Manage triggers and their runs.')
  const commands = [
    registerCreate,
    registerPreview,
    registerList,
    registerShow,
    registerUpdate,
    registerTest,
    registerFire,
    registerRuns,
    registerShowRun,
    registerTail,
    registerReplay,
    registerFailed,
    registerReplayFailed,
    registerReplays,
    registerCancel,
    registerPurge,
    registerSwitches,
    registerDelete,
    registerTriggerAudit,
  ]
  for (const register of commands) register(trigger, cli)
}
