import { readFileSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { isBuilt } from '../../shared/cli/action-source.ts'
import { TestSetupError } from './test-setup-error.ts'
import type { ActionSource } from './types.ts'

type Build = {
  code: string
  /** Modification times of the files from which the code was built. */
  modifiedMs: ReadonlyMap<string, number>
}

/** Builds by path of the entry, because most tests of a file run the same action. */
const builds = new Map<string, Promise<Build>>()

/**
 * Returns the source of an action as it is sent.
 * @throws {TestSetupError} if the file does not exist
 * @throws {ActionBuildError} if it cannot be built
 */
export async function actionCode(action: ActionSource): Promise<string> {
  if (typeof action !== 'string') {
    if (typeof action?.code === 'string') return action.code
    throw new TestSetupError("action: expected a path such as 'src/action.ts', or { code }")
  }
  const path = resolve(action)
  if (modifiedMs(path) === undefined) throw new TestSetupError(`action: ${path} does not exist`)
  if (!isBuilt(path)) return readFileSync(path, 'utf8')
  const known = await builds.get(path)?.catch(() => undefined)
  if (known && [...known.modifiedMs].every(([file, ms]) => modifiedMs(file) === ms))
    return known.code
  const built = build(path)
  builds.set(path, built)
  return (await built).code
}

async function build(path: string): Promise<Build> {
  const { buildAction } = await import('../../shared/build/build-action.ts')
  const { code, inputs, warnings } = await buildAction(path)
  for (const warning of warnings) console.warn(warning)
  return { code, modifiedMs: new Map(inputs.map((file) => [file, modifiedMs(file) ?? 0])) }
}

const modifiedMs = (path: string) => statSync(path, { throwIfNoEntry: false })?.mtimeMs
