import { BY_OPERATOR } from '../audit-log/trigger-change.ts'
import type { OperatorRequest, OperatorResponse } from '../../shared/wire/operator.ts'
import type { Env } from '../env.ts'
import type { OperatorDeps } from './deps.ts'
import type { TriggerObject, TriggerStatus } from '../queue/trigger-object.ts'
import { changeTrigger } from '../triggers/change-trigger.ts'
import { isTriggerId } from '../triggers/trigger-id.ts'
import { indexUsage } from '../triggers/trigger-index.ts'
import { recordAction } from './audit-log.ts'
import { eraseUser, planErasure } from './erase-user.ts'
import { exportTriggers } from './export-triggers.ts'
import { findUser } from './find-user.ts'
import { importTrigger, planImport } from './import-trigger.ts'
import { OperatorRefusedError } from './operator-refused-error.ts'

type Command = {
  /** ID of the user or trigger, for the audit log. */
  subject: string
  plan: Record<string, unknown>
  act: () => Promise<Record<string, unknown>>
}

/**
 * Plans the command, and unless it is a dry run, records and performs it.
 * @throws {OperatorRefusedError} if the command cannot be performed; nothing is recorded
 */
export async function performCommand(
  env: Env,
  services: OperatorDeps,
  request: OperatorRequest,
): Promise<OperatorResponse> {
  const { subject, plan, act } = await planCommand(env, services, request)
  if (request.dry_run) return { plan, done: false }
  await recordAction(services, request, subject)
  return { plan, done: true, result: await act() }
}

async function planCommand(
  env: Env,
  services: OperatorDeps,
  request: OperatorRequest,
): Promise<Command> {
  switch (request.command) {
    case 'suspend-trigger':
    case 'resume-trigger':
      return planSuspension(env, services, request)
    case 'erase-user': {
      const user = await findUser(services.db, request.user)
      return {
        subject: user.id,
        plan: await planErasure(services.db, user),
        act: () => eraseUser(env, services, user),
      }
    }
    case 'export-triggers': {
      const { id } = await findUser(services.db, request.user)
      const { after } = request
      return {
        subject: id,
        plan: { user_id: id, triggers: (await indexUsage(services.db, id)).triggers },
        act: () => exportTriggers(env, services.db, id, after),
      }
    }
    case 'import-trigger': {
      const { id: ownerId } = await findUser(services.db, request.user)
      const given = { ownerId, trigger: request.trigger, usageKey: request.usage_api_key }
      const { mode } = await planImport(env, services, given)
      const plan = { user_id: ownerId, trigger_id: given.trigger.id, mode }
      return {
        subject: given.trigger.id,
        plan,
        act: async () =>
          mode === 'exists'
            ? { id: given.trigger.id, imported: false }
            : { ...(await importTrigger(env, services, given)), imported: true },
      }
    }
  }
}

async function planSuspension(
  env: Env,
  services: OperatorDeps,
  { command, trigger_id: id }: Extract<OperatorRequest, { trigger_id: string }>,
): Promise<Command> {
  const isIssued = await isTriggerId(services.settings.ID_MAC_KEY, id)
  const queue: Pick<TriggerObject, 'status' | 'suspend' | 'liftSuspension'> =
    env.TRIGGER_QUEUE.getByName(id)
  const status = isIssued ? await queue.status() : undefined
  if (!status)
    throw new OperatorRefusedError(
      'unknown',
      'trigger_id: no trigger has this ID.',
      'The ID is the last part of the webhook URL, and in the owner’s list of triggers.',
    )
  const { ownerId, kind, enabled, isSuspended } = status
  const suspends = command === 'suspend-trigger'
  if (isSuspended === suspends)
    throw new OperatorRefusedError(
      'state',
      `The trigger is ${suspends ? 'already' : 'not'} suspended.`,
      'Nothing was changed.',
    )
  return {
    subject: id,
    plan: { trigger_id: id, user_id: ownerId, kind, enabled },
    act: async () => {
      if (suspends) return { suspended: await queue.suspend() }
      return { enabled: await resume(env, services, id, status, queue) }
    },
  }
}

/** Enables the trigger if it was enabled before the suspension. */
async function resume(
  env: Env,
  { db, now, random, settings }: OperatorDeps,
  triggerId: string,
  { ownerId }: TriggerStatus,
  queue: Pick<TriggerObject, 'liftSuspension'>,
): Promise<boolean> {
  const lifted = await queue.liftSuspension()
  if (lifted?.from !== 'enabled') return false
  const context = { triggerId, ownerId, db, now, random, settings, by: BY_OPERATOR }
  const record = await changeTrigger(env, context, { enabled: true })
  return record?.enabled ?? false
}
