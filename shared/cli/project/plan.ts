/** Compares a project with an account. Sends nothing. */
import type { Plan } from './change.ts'
import { type DeployedState, namesOf } from './deployed-state.ts'
import { planGroups } from './plan-groups.ts'
import { planKeys } from './plan-keys.ts'
import { planTriggers } from './plan-triggers.ts'
import { planWallets } from './plan-wallets.ts'
import type { Planned, Planning, PlanOptions } from './planning.ts'
import type { Project } from './read-project.ts'

/**
 * Returns the changes that make the account match the project. Permissions are granted before a trigger needs them, and are
 * removed after the triggers that used them.
 * @throws {UsageError} if the account cannot be changed in this way
 */
export function planDeployment(project: Project, state: DeployedState, options: PlanOptions): Plan {
  const planning: Planning = { project, state, names: namesOf(project.title), ...options }
  const wallets = planWallets(planning)
  const groups = planGroups(planning)
  const keys = planKeys(planning)
  const triggers = planTriggers(planning, keys.newKeys)
  const parts: Planned[] = [wallets, groups, keys, triggers]
  return {
    changes: [
      ...parts.flatMap(({ changes }) => changes),
      ...parts.toReversed().flatMap(({ removals }) => removals),
    ],
    notes: [...parts.flatMap(({ notes }) => notes), ...unusedNotes(project)],
  }
}

/** Actions that nothing runs are probably mistakes. */
function unusedNotes({ actions, groups, triggers }: Project): string[] {
  const permitted = new Set([...groups.values()].flatMap((group) => group.actions))
  const isTriggered = new Set([...triggers.values()].map(({ action }) => action))
  return [...actions.keys()].flatMap((name) => {
    if (permitted.has(name)) return []
    return isTriggered.has(name)
      ? [
          `the action ${name} of a trigger is in no group of the file: its runs are rejected unless another group permits it`,
        ]
      : [`the action ${name} is in no group, so no usage key can run it`]
  })
}
