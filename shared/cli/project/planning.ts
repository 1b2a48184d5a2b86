import type { Change } from './change.ts'
import type { DeployedState, Names } from './deployed-state.ts'
import type { Project } from './read-project.ts'

export type PlanOptions = {
  /** Also remove objects and permissions of the project that the file does not list. */
  prune: boolean
}

export type Planning = PlanOptions & { project: Project; state: DeployedState; names: Names }

/** Part of a plan: what is created or updated, and what is removed afterwards. */
export type Planned = {
  changes: readonly Change[]
  removals: readonly Change[]
  notes: readonly string[]
}
